// SPDX-License-Identifier: MIT
#include "scenarios/recorder.h"

#include <algorithm>
#include <utility>

#include "scenarios/oracles/keys.h"
#include "scenarios/oracles/validity.h"

namespace interlock::scenarios {

Recorder::Recorder(const harness::Subject& subject, const harness::LockOptions& options,
                   SynchronyClass synchrony, int database, GuardKind guard)
    : subject_(subject),
      options_(options),
      synchrony_(synchrony),
      database_(database),
      guard_(guard),
      guarded_resource_(guard),
      ledger_(options.permits, subject.traits().semaphore) {
  history_.lease = options.lease;
  history_.permits = options.permits;
  history_.drift_allowance = subject.DriftAllowance(options);
}

void Recorder::Attach(sim::World& world, int clients, Duration latency) {
  world_ = &world;
  history_.latency = latency;
  clients_.resize(static_cast<std::size_t>(clients));
}

void Recorder::MarkHealed() { history_.healed = world_->now(); }

void Recorder::Close(VirtualTime end) {
  history_.end = end;
  for (ClientHold& hold : history_.holds) {
    const VirtualTime died = DiedAt(history_, hold.client, hold.belief.front().from);
    for (Interval& belief : hold.belief)
      belief.to = std::max(belief.from, std::min(belief.to, died));
    if (hold.entered()) hold.section.to = std::min(hold.section.to, died);
  }
  closed_ = true;
}

void Recorder::AfterCommand(int process, const sim::redis::Argv& argv,
                            const sim::redis::Value* reply, sim::VirtualTime now) {
  if (closed_) return;
  const bool gone = world_->crashed(process) || state(process).silent;
  if (gone && reply != nullptr && reply->type == sim::redis::Value::Type::kArray && !argv.empty() &&
      (argv[0] == "BLPOP" || argv[0] == "blpop")) {
    goals_.Add(Goal::kHalfOpenServed);
  }
  Seen& seen = seen_[static_cast<std::size_t>(world_->server_node())];
  const std::uint64_t changes = world_->server().changes();
  if ((changes != seen.changes || reply == nullptr) && state(process).doing == Doing::kAsking) {
    VirtualTime& queued = history_.attempts[state(process).attempt].queued;
    queued = std::min(queued, now);
  }
  seen.changes = changes;
  const std::uint64_t mutations = world_->server().mutations();
  if (mutations == seen.mutations) return;
  seen.mutations = mutations;
  SyncOwners(process, now);
  if (key_without_ttl_ && !stray_key_.empty()) return;
  const auto keys = world_->server().PeekKeys(database_);
  for (const auto& key : keys) {
    if (!key.key.starts_with(options_.key_prefix)) stray_key_ = key.key;
  }
  if (!key_without_ttl_) {
    const std::size_t before = violations_.size();
    JudgeKeyHasTtl(keys, process, now, violations_);
    key_without_ttl_ = violations_.size() > before;
  }
}

Ledger::Look Recorder::LookAtServer() {
  Ledger::Look look;
  look.node = world_->server_node();
  const FakeServerView view(world_->server(), database_);
  look.now_ms = view.NowMs();
  const auto owners = subject_.Owners(view, options_);
  observable_ = owners.has_value();
  history_.ownership_seen = observable_;
  if (!observable_) return look;
  look.owners.reserve(owners->size());
  for (const harness::Owner& owner : *owners) {
    // Redis expires when now > deadline, in whole milliseconds: the deadline's own ms still counts.
    const auto deadline = owner.expires_at_ms;
    look.owners.push_back(
        {owner.token, deadline.has_value() ? world_->GlobalTimeOfServerMs(*deadline + 1) : kOpen,
         deadline.value_or(kNoDeadline)});
  }
  return look;
}

void Recorder::SyncOwners(int process, VirtualTime now) {
  const Ledger::Look look = LookAtServer();
  if (!observable_) return;
  ledger_.Sync(process, state(process).doing, now, look, history_, violations_);
  for (ServerHold& entry : history_.server_holds) {
    if (entry.client == process && entry.renewed == now) entry.sent = state(process).sent;
  }
}

void Recorder::SetSent(ClientHold& record, VirtualTime now) const {
  const ServerHold* entry = FindServerHold(history_, record.client, record.token);
  if (entry == nullptr || entry->granted < record.asked) return;
  record.sent = entry->sent != kOpen ? entry->sent : entry->granted;
  record.elapsed =
      world_->LocalTime(record.client, now) - world_->LocalTime(record.client, record.sent);
}

void Recorder::OnSend(int process, sim::VirtualTime now) {
  if (closed_) return;
  ClientState& client = state(process);
  client.sent = now;
  switch (client.doing) {
    case Doing::kNothing:
      break;
    case Doing::kAsking:
      ++history_.attempts[client.attempt].commands;
      break;
    case Doing::kExtending:
      history_.renewals[client.renewal].sent = now;
      break;
    case Doing::kReleasing:
      hold(process).release_sent = now;
      break;
  }
}

void Recorder::OnRestart(int process, sim::VirtualTime /*now*/) {
  if (!closed_) state(process) = ClientState{};
}

void Recorder::OnClockChange(int process, sim::VirtualTime now) {
  ClientState& client = state(process);
  if (closed_) return;
  if (client.doing == Doing::kAsking && history_.attempts[client.attempt].deadline != kOpen) {
    // A jump that brings the deadline nearer is noticed when the wait ends that has begun already.
    VirtualTime& deadline = history_.attempts[client.attempt].deadline;
    deadline = std::max(deadline, world_->GlobalTime(process, client.gives_up));
  }
  if (client.believes_until <= now) return;
  client.believes_until = std::max(now, world_->GlobalTime(process, client.valid_until));
  if (client.valid_end > now) client.valid_end = client.believes_until;
  Interval& belief = hold(process).belief.back();
  if (belief.to > now) belief.to = client.believes_until;
}

void Recorder::OnAsk(int client, const Operation& operation) {
  if (closed_) return;
  Note(client, ToString(operation.ask));
  state(client).doing = Doing::kAsking;
  state(client).attempt = history_.attempts.size();
  Attempt attempt;
  attempt.client = client;
  attempt.ask = operation.ask;
  attempt.asked = world_->now();
  if (operation.ask == Ask::kWaitFor) {
    const MonotonicTime asked = world_->LocalTime(client, attempt.asked);
    state(client).gives_up = AddSaturating(asked, operation.wait);
    attempt.deadline = world_->GlobalTime(client, state(client).gives_up);
  }
  history_.attempts.push_back(attempt);
}

void Recorder::OnRefused(int client, const Status& status) {
  if (closed_) return;
  Note(client, ToString(status.code()));
  state(client).doing = Doing::kNothing;
  Attempt& attempt = history_.attempts[state(client).attempt];
  attempt.answered = world_->now();
  attempt.answer = status.code();
}

void Recorder::OnGranted(int client, const harness::Hold& granted) {
  if (closed_) return;
  Note(client, "granted");
  const VirtualTime now = world_->now();
  Attempt& attempt = history_.attempts[state(client).attempt];
  attempt.answered = now;
  attempt.answer = StatusCode::kOk;
  ClientHold record;
  record.client = client;
  record.token = granted.owner_token();
  record.fencing_token = granted.fencing_token();
  record.asked = attempt.asked;
  state(client).valid_until = granted.valid_until();
  const VirtualTime until = world_->GlobalTime(client, granted.valid_until());
  record.belief.push_back({now, std::max(now, until)});
  state(client).doing = Doing::kNothing;
  state(client).hold = history_.holds.size();
  state(client).believes_until = until;
  state(client).valid_end = until;
  Ledger::Claim(client, record.token, attempt.asked, history_);
  SetSent(record, now);
  history_.holds.push_back(std::move(record));
}

void Recorder::OnEnter(int client) {
  if (closed_) return;
  Note(client, "enter section");
  state(client).inside = true;
  hold(client).section.from = world_->now();
  hold(client).section.to = kOpen;
}

void Recorder::OnLeave(int client) {
  if (closed_) return;
  Note(client, "leave section");
  state(client).inside = false;
  hold(client).section.to = world_->now();
}

void Recorder::OnExtend(int client) {
  if (closed_) return;
  Note(client, "extend");
  const ServerHold* entry = FindServerHold(history_, client, hold(client).token);
  if (entry != nullptr && std::min(entry->ended, entry->promised_until) <= world_->now()) {
    goals_.Add(Goal::kExtendAfterLoss);
  }
  state(client).doing = Doing::kExtending;
  state(client).renewal = history_.renewals.size();
  state(client).extend_called_ms = world_->ServerTimeUs() / 1000;
  Renewal renewal;
  renewal.client = client;
  renewal.called = world_->now();
  if (entry != nullptr) renewal.promised_until = entry->promised_until;
  history_.renewals.push_back(renewal);
}

void Recorder::OnExtended(int client, const Status& status, const harness::Hold& extended) {
  if (closed_) return;
  Note(client, ToString(status.code()));
  const VirtualTime now = world_->now();
  Renewal& renewal = history_.renewals[state(client).renewal];
  renewal.answered = now;
  state(client).doing = Doing::kNothing;
  if (!status.ok()) {
    const bool lost =
        status.code() == StatusCode::kNotOwner || status.code() == StatusCode::kLeaseLost;
    if (lost) state(client).valid_end = std::min(state(client).valid_end, now);
    return;
  }
  goals_.Add(Goal::kExtended);
  ClientHold& record = hold(client);
  if (observable_ && !record.token.empty()) {
    Ledger::JudgeExtended(record, renewal.called, state(client).extend_called_ms, now, history_,
                          violations_);
  }
  state(client).valid_until = extended.valid_until();
  const VirtualTime until = world_->GlobalTime(client, extended.valid_until());
  state(client).believes_until = until;
  state(client).valid_end = until;
  if (record.belief.back().to >= now) {
    record.belief.back().to = std::max(record.belief.back().to, until);
  } else if (until > now) {
    record.belief.push_back({now, until});
  }
}

void Recorder::OnAskValid(int client) { state(client).asked_valid = world_->now(); }

void Recorder::OnAskedValid(int client, bool valid) {
  if (closed_) return;
  Note(client, valid ? "told: valid" : "told: not valid");
  const VirtualTime until = state(client).valid_end;
  // The question counts from when it was asked: a pause before the answer is not the lock's.
  const VirtualTime asked = state(client).asked_valid;
  if (until == kOpen || asked <= until + kNotice) return;
  goals_.Add(Goal::kAskedAfterValidity);
  if (valid) JudgeCalledValid(client, until, asked, violations_);
}

void Recorder::OnRelease(int client) {
  if (closed_) return;
  Note(client, "release");
  const VirtualTime now = world_->now();
  ClientHold& record = hold(client);
  record.release_called = now;
  for (Interval& belief : record.belief) belief.to = std::min(belief.to, now);
  state(client).doing = Doing::kReleasing;
  state(client).believes_until = VirtualTime{-1};
}

void Recorder::OnReleased(int client, const Status& status) {
  if (closed_) return;
  Note(client, status.ok() ? std::string_view("released") : ToString(status.code()));
  ClientHold& record = hold(client);
  record.release_returned = world_->now();
  record.release_status = status.code();
  state(client).doing = Doing::kNothing;
  if (status.ok() && observable_ && !record.token.empty()) {
    Ledger::JudgeReleased(record, world_->now(), history_, violations_);
  }
}

void Recorder::Step(int client) {
  if (!closed_) world_->Step(client);
}

void Recorder::Note(int client, std::string_view text) {
  world_->trace().Add(world_->now(), client, sim::TraceKind::kNote, text);
}

}  // namespace interlock::scenarios
