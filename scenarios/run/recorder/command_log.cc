// SPDX-License-Identifier: MIT
#include "scenarios/run/recorder/command_log.h"

#include <algorithm>
#include <optional>
#include <span>
#include <string>

#include "scenarios/log/forced.h"
#include "scenarios/log/whose.h"

namespace interlock::scenarios {
namespace {

/// Joins the words of a command except long ones: tokens are in keys and arguments, never in a
/// script's text, which is long.
std::string WordsOf(const sim::redis::Argv& argv) {
  constexpr std::size_t kLongestWord = 256;
  std::size_t size = 0;
  for (const auto& word : argv) size += word.size() > kLongestWord ? 0 : word.size() + 1;
  std::string words(size, ' ');
  char* to = words.data();
  for (const auto& word : argv) {
    if (word.size() <= kLongestWord) to = std::copy(word.begin(), word.end(), to) + 1;
  }
  return words;
}

/// Whether the command waits for the EXEC of its transaction.
bool IsQueued(const sim::redis::Value* reply) {
  return reply != nullptr && reply->type == sim::redis::Value::Type::kStatus &&
         reply->text == "QUEUED";
}

void NoteSent(int client, VirtualTime now, std::span<ServerHold> entries) {
  for (ServerHold& entry : entries) {
    const bool live = entry.ended == kOpen && entry.promised_until > now;
    if (entry.client == client && live) entry.last_sent = now;
  }
}

}  // namespace

void CommandLog::OnSend(int process, std::uint64_t number, sim::VirtualTime now) {
  if (log_.closed) return;
  const std::optional<int> sender = log_.users.On(process, log_.world->running_task());
  log_.users.NoteSender(process, number, sender);
  log_.users.ForEach(process, [&](int client) {
    if (sender.value_or(client) == client) log_.state(client).sent = now;
    for (int i = 0; i < static_cast<int>(log_.resources.size()); ++i) {
      const Party who{client, i};
      if (log_.traits.renews) NoteSent(client, now, log_.Unsettled(who));
      if (sender == client) {
        NoteSending(who, number, now);
      } else if (!sender.has_value()) {
        NoteUnasked(who, now);
      }
    }
  });
}

void CommandLog::NoteSending(Party who, std::uint64_t number, VirtualTime now) {
  const Dealing& client = log_.dealing(who);
  switch (client.doing) {
    case Doing::kNothing:
      NoteUnasked(who, now);
      break;
    case Doing::kAsking:
      log_.history(who).attempts[client.attempt].Sends(number);
      break;
    case Doing::kExtending: {
      Renewal& renewal = log_.history(who).renewals[client.renewal];
      renewal.sent = now;
      renewal.number = number;
      ++renewal.commands;
      break;
    }
    case Doing::kSettingLimit:
      log_.history(who).limits.NoteSent(who.client, number);
      break;
    case Doing::kReleasing:
      log_.hold(who).release_sent = now;
      ++log_.hold(who).release_commands;
      break;
    case Doing::kForcing:
      break;
  }
}

void CommandLog::AfterCommand(int process, std::uint64_t number, const sim::redis::Argv& argv,
                              const sim::redis::Value* reply, VirtualTime now) {
  if (log_.closed) return;
  NoteServedWhenGone(process, argv, reply, now);
  const std::optional<int> sender = log_.users.SenderOf(process, number);
  const ServerDataLog::Effect effect = data_.TakeEffect();
  if (sender.has_value() && (effect.changed || reply == nullptr)) {
    NoteWords(*sender, number, argv, now);
  }
  if (sender.has_value() && IsQueued(reply)) NoteQueued(*sender, number, argv);
  if (effect.changed) NoteLimits(process, number, now);
  if (effect.mutated) data_.SyncOwners(process, sender, number, now);
  log_.users.ForEach(process, [&](int client) { NoteRenewed(client, now); });
  if (effect.mutated) data_.LookAtKeys(sender.value_or(process), now);
}

void CommandLog::NoteServedWhenGone(int process, const sim::redis::Argv& argv,
                                    const sim::redis::Value* reply, VirtualTime now) {
  const bool dead = log_.world->crashed(process);
  if (!dead && !log_.state(process).silent) return;
  for (RecordedResource& resource : log_.resources) {
    for (Death& death : resource.history.deaths) {
      if (dead && log_.users.ProcessOf(death.client) == process) death.last_served = now;
    }
  }
  const bool popped = reply != nullptr && reply->type == sim::redis::Value::Type::kArray;
  if (popped && !argv.empty() && (argv[0] == "BLPOP" || argv[0] == "blpop")) {
    log_.goals.Add(Goal::kHalfOpenServed);
  }
}

void CommandLog::NoteLimits(int process, std::uint64_t number, VirtualTime now) {
  log_.users.ForEach(process, [&](int client) {
    for (RecordedResource& resource : log_.resources) {
      resource.history.limits.NoteChange(client, number, now);
    }
  });
}

void CommandLog::NoteQueued(int client, std::uint64_t number, const sim::redis::Argv& argv) {
  for (int i = 0; i < static_cast<int>(log_.resources.size()); ++i) {
    auto& attempts = log_.history({client, i}).attempts;
    const auto attempt = FindSender(attempts, client, number);
    if (attempt != attempts.rend()) attempt->in_transaction += WordsOf(argv);
  }
}

void CommandLog::NoteWords(int client, std::uint64_t number, const sim::redis::Argv& argv,
                           VirtualTime now) {
  for (int i = 0; i < static_cast<int>(log_.resources.size()); ++i) {
    const Party who{client, i};
    auto& attempts = log_.history(who).attempts;
    const auto attempt = FindSender(attempts, client, number);
    if (attempt == attempts.rend()) continue;
    attempt->Executed(WordsOf(argv), number, now);
    const Dealing& its = log_.dealing(who);
    const bool asking = its.doing == Doing::kAsking && &attempts[its.attempt] == &*attempt;
    const bool counts = attempt->counts_for >= 0;  // even if its client no longer awaits the answer
    if ((asking || counts) && attempt->queued == kOpen) attempt->queued = now;
    if (asking && attempt->queued_again == kOpen &&
        TurnTakenAway(log_.history(who), *attempt).to <= now) {
      attempt->queued_again = now;
    }
  }
}

void CommandLog::NoteUnasked(Party who, VirtualTime now) {
  log_.dealing(who).renews_before = kOpen;
  if (!log_.traits.renews) return;
  for (const Dealing& one : log_.DealingsOf({who.client, who.client})) {
    if (one.doing != Doing::kNothing) return;
  }
  // Entries that are over for good matter only until the goal is reached once in the run.
  const bool found = log_.goals.Has(Goal::kRenewedAfterLoss);
  const std::span<const ServerHold> all = log_.history(who).server_holds;
  for (const ServerHold& entry : found ? log_.Unsettled(who) : all) {
    if (entry.client != who.client) continue;
    const bool over = entry.promised_until <= now && !entry.given_back();
    if (!over && entry.ended == kOpen) log_.dealing(who).renews_before = entry.promised_until;
    if (over && IsOut(log_.history(who), entry)) log_.goals.Add(Goal::kRenewedAfterLoss);
  }
}

void CommandLog::NoteRenewed(int client, VirtualTime now) {
  for (int i = 0; i < static_cast<int>(log_.resources.size()); ++i) {
    const Party who{client, i};
    Dealing& its = log_.dealing(who);
    if (its.doing != Doing::kNothing || its.renews_before == kOpen) continue;
    if (its.renews_before <= now) log_.goals.Add(Goal::kRenewalRacedExpiry);
    its.renews_before = kOpen;
    for (const ServerHold& entry : log_.Unsettled(who)) {
      const bool renewed = entry.renewed == now && entry.granted < now && !entry.copied;
      if (entry.client == client && renewed) log_.goals.Add(Goal::kRenewedByItself);
    }
  }
}

}  // namespace interlock::scenarios
