// SPDX-License-Identifier: MIT
//
// The recorder's part about what a client sends: for which of its attempts, in which words.
#include <algorithm>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "scenarios/judge/forced.h"
#include "scenarios/log/recorder.h"

namespace interlock::scenarios {
namespace {

/// Tokens stand in keys and arguments, never in a script's text, which is long.
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

void NoteSent(int client, VirtualTime now, std::span<ServerHold> entries) {
  for (ServerHold& entry : entries) {
    const bool live = entry.ended == kOpen && entry.promised_until > now;
    if (entry.client == client && live) entry.last_sent = now;
  }
}

}  // namespace

void Recorder::OnSend(int process, std::uint64_t number, sim::VirtualTime now) {
  if (closed_) return;
  const std::optional<int> sender = users_.On(process, world_->running_task());
  users_.NoteSender(process, number, sender);
  users_.ForEach(process, [&](int client) {
    if (sender.value_or(client) == client) state(client).sent = now;
    for (int i = 0; i < static_cast<int>(resources_.size()); ++i) {
      const Party who{client, i};
      if (traits_.renews) NoteSent(client, now, Unsettled(who));
      if (sender == client) {
        NoteSending(who, number, now);
      } else if (!sender.has_value()) {
        NoteUnasked(who, now);
      }
    }
  });
}

void Recorder::NoteSending(Party who, std::uint64_t number, VirtualTime now) {
  const Dealing& client = dealing(who);
  switch (client.doing) {
    case Doing::kNothing:
      NoteUnasked(who, now);
      break;
    case Doing::kAsking:
      history(who).attempts[client.attempt].Sends(number);
      break;
    case Doing::kExtending:
      history(who).renewals[client.renewal].sent = now;
      history(who).renewals[client.renewal].number = number;
      break;
    case Doing::kSettingLimit:
      history(who).limits.NoteSent(who.client, number);
      break;
    case Doing::kReleasing:
      hold(who).release_sent = now;
      break;
    case Doing::kForcing:
      break;
  }
}

Doing Recorder::DoingOf(Party who, std::uint64_t number) {
  const auto& attempts = history(who).attempts;
  const auto& renewals = history(who).renewals;
  if (FindSender(attempts, who.client, number) != attempts.rend()) return Doing::kAsking;
  const bool extended = std::any_of(renewals.begin(), renewals.end(), [&](const Renewal& one) {
    return one.client == who.client && one.sent != kOpen && one.number == number;
  });
  return extended ? Doing::kExtending : dealing(who).doing;
}

void Recorder::NoteQueued(int client, std::uint64_t number, const sim::redis::Argv& argv) {
  for (int i = 0; i < static_cast<int>(resources_.size()); ++i) {
    auto& attempts = history({client, i}).attempts;
    const auto attempt = FindSender(attempts, client, number);
    if (attempt != attempts.rend()) attempt->in_transaction += WordsOf(argv);
  }
}

// Of the attempt that sent it, which may be over by now.
void Recorder::NoteWords(int client, std::uint64_t number, const sim::redis::Argv& argv,
                         VirtualTime now) {
  for (int i = 0; i < static_cast<int>(resources_.size()); ++i) {
    const Party who{client, i};
    auto& attempts = history(who).attempts;
    const auto attempt = FindSender(attempts, client, number);
    if (attempt == attempts.rend()) continue;
    attempt->Executed(WordsOf(argv), number, now);
    const Dealing& its = dealing(who);
    const bool asking = its.doing == Doing::kAsking && &attempts[its.attempt] == &*attempt;
    const bool counts = attempt->counts_for >= 0;  // whether its client still hears of it or not
    if ((asking || counts) && attempt->queued == kOpen) attempt->queued = now;
    if (asking && attempt->queued_again == kOpen &&
        TurnTakenAway(history(who), *attempt).to <= now) {
      attempt->queued_again = now;
    }
  }
}

}  // namespace interlock::scenarios
