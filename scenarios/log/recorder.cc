// SPDX-License-Identifier: MIT
#include "scenarios/log/recorder.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>

#include "scenarios/judge/kept_alive.h"
#include "scenarios/judge/validity.h"
#include "scenarios/run/latch_program.h"

namespace interlock::scenarios {
namespace {

/// It waits for the EXEC of a transaction.
bool IsQueued(const sim::redis::Value* reply) {
  return reply != nullptr && reply->type == sim::redis::Value::Type::kStatus &&
         reply->text == "QUEUED";
}

/// Whether the renewal has made the promise to that token longer, and it goes on.
void NoteProlonged(const History& history, const std::string& token, Renewal& renewal) {
  const ServerHold* entry = FindServerHold(history, renewal.client, token);
  if (entry == nullptr || entry->promised_until <= renewal.promised_until) return;
  const bool kept = std::min(entry->ended, entry->promised_until) > renewal.answered;
  if (kept && entry->renewed >= renewal.called) renewal.prolonged = entry->renewed;
}

}  // namespace

Recorder::Recorder(RunMemory& memory, const harness::Subject& subject,
                   const std::vector<harness::LockOptions>& options, SynchronyClass synchrony,
                   int database, GuardKind guard)
    : memory_(memory),
      subject_(subject),
      traits_(subject.traits()),
      synchrony_(synchrony),
      database_(database),
      guard_(guard),
      resources_(std::move(memory.resources)),
      clients_(std::move(memory.clients)),
      dealings_(std::move(memory.dealings)) {
  resources_.reserve(options.size());
  for (const harness::LockOptions& one : options) {
    Resource& resource = resources_.emplace_back(
        Resource{&one, Ledger(traits_.semaphore), {}, GuardedResource(guard)});
    memory_.Lend(resources_.size() - 1, resource.history);
    resource.history.lease = one.lease;
    resource.history.limits = Limits(one.permits);
    resource.history.short_lived = one.life.count() > 0;
    if (const auto stands = traits_.limit_stands) resource.history.limits.Keep(*stands);
    resource.history.leaseless = traits_.lasts_as_connection;
    resource.history.prefers_writers = traits_.prefers_writers;
    resource.history.nests = traits_.nests;
    resource.history.recalls_releases = traits_.recalls_releases;
    resource.history.drift_allowance = subject.DriftAllowance(one);
    resource.history.barred_for = subject.BarredFor(one);
    key_limits_.lease_ms =
        std::max<std::int64_t>(key_limits_.lease_ms, subject.LongestLease(one).count());
    std::vector<harness::AuxiliaryKey> some = subject.AuxiliaryKeys(one);
    std::vector<harness::AuxiliaryKey>& all = key_limits_.auxiliary;
    if (all.empty()) all.swap(some);
    std::move(some.begin(), some.end(), std::back_inserter(all));
  }
}

Recorder::~Recorder() {
  for (std::size_t i = 0; i < resources_.size(); ++i) {
    memory_.TakeBack(i, resources_[i].history);
  }
  resources_.clear();
  clients_.clear();
  dealings_.clear();
  memory_.resources = std::move(resources_);
  memory_.clients = std::move(clients_);
  memory_.dealings = std::move(dealings_);
}

void Recorder::Attach(sim::World& world, int clients, Duration latency) {
  world_ = &world;
  for (Resource& resource : resources_) {
    resource.history.latency = latency;
    resource.history.leases.reserve(static_cast<std::size_t>(clients));
    resource.history.limits.ReserveClients(static_cast<std::size_t>(clients));
    if (!traits_.quorum) continue;
    resource.history.nodes = world.nodes();
    resource.history.quorum = world.nodes() / 2 + 1;
  }
  clients_.resize(static_cast<std::size_t>(clients));
  dealings_.resize(clients_.size() * resources_.size());
}

void Recorder::RunsOnThisTask(int client) {
  if (const auto task = world_->running_task()) users_.RunsOn(client, *task);
}

void Recorder::Close(VirtualTime end) {
  for (Resource& resource : resources_) {
    History& history = resource.history;
    history.end = end;
    for (ClientHold& hold : history.holds) {
      const VirtualTime died = DiedAt(history, hold.client, hold.belief.front().from);
      for (Interval& belief : hold.belief)
        belief.to = std::max(belief.from, std::min(belief.to, died));
      if (hold.entered()) hold.section.to = std::min(hold.section.to, died);
    }
  }
  closed_ = true;
}

void Recorder::AfterCommand(int process, std::uint64_t number, const sim::redis::Argv& argv,
                            const sim::redis::Value* reply, sim::VirtualTime now) {
  if (closed_) return;
  if (world_->crashed(process)) NoteServed(process, now);
  const bool gone = world_->crashed(process) || state(process).silent;
  if (gone && reply != nullptr && reply->type == sim::redis::Value::Type::kArray && !argv.empty() &&
      (argv[0] == "BLPOP" || argv[0] == "blpop")) {
    goals_.Add(Goal::kHalfOpenServed);
  }
  const std::optional<int> sender = users_.SenderOf(process, number);
  SeenServer& seen = seen_[static_cast<std::size_t>(world_->server_node())];
  const sim::redis::Server& server = world_->server();
  const std::uint64_t changes = server.changes();
  const bool changed = changes != seen.changes;
  if (sender.has_value() && (changed || reply == nullptr)) NoteWords(*sender, number, argv, now);
  if (sender.has_value() && IsQueued(reply)) NoteQueued(*sender, number, argv);
  if (changed) users_.ForEach(process, [&](int client) { NoteLimits(client, number, now); });
  seen.changes = changes;
  const std::uint64_t mutations = server.mutations();
  if (mutations != seen.mutations) SyncOwners(process, sender, number, now);
  users_.ForEach(process, [&](int client) { NoteRenewed(client, now); });
  if (mutations == seen.mutations) return;
  seen.mutations = mutations;
  if (!lives_too_long_ || stray_key_.empty()) JudgeKeys(sender.value_or(process), now);
}

void Recorder::SetSent(const History& history, ClientHold& record, VirtualTime now) const {
  const ServerHold* entry = FindServerHold(history, record.client, record.token);
  if (entry == nullptr || entry->granted < record.asked) return;
  record.sent = entry->sent != kOpen ? entry->sent : entry->granted;
  record.elapsed = LocalTime(record.client, now) - LocalTime(record.client, record.sent);
}

void Recorder::Attribute(std::size_t first, int resource) {
  for (; first < violations_.size(); ++first) violations_[first].resource = resource;
}

void Recorder::OnAsk(Party who, const Operation& operation) {
  if (closed_) return;
  if (operation.shared) {
    Note(who, std::string("as a reader: ").append(ToString(operation.ask)));
  } else {
    Note(who, ToString(operation.ask));
  }
  dealing(who).doing = Doing::kAsking;
  dealing(who).attempt = history(who).attempts.size();
  Attempt& attempt = history(who).attempts.emplace_back();
  attempt.client = who.client;
  attempt.ask = operation.ask;
  attempt.shared = operation.shared;
  attempt.of_several = traits_.several;
  attempt.beside = who.resource != operation.resource;
  attempt.asked = world_->now();
  const bool waits = operation.ask != Ask::kTry;
  attempt.stopped_before = waits && operation.stops && operation.stop_after.count() == 0;
  if (operation.ask == Ask::kWaitFor) {
    const MonotonicTime asked = LocalTime(who.client, attempt.asked);
    dealing(who).gives_up = AddSaturating(asked, operation.wait);
    attempt.deadline = GlobalTime(who.client, dealing(who).gives_up);
  }
}

void Recorder::OnRefused(Party who, const Status& status) { OnAnswered(who, status); }

void Recorder::OnCountDown(Party who, int party) {
  if (closed_) return;
  Note(who, "count down for " + NameOfParty(party));
  dealing(who).doing = Doing::kAsking;
  dealing(who).attempt = history(who).attempts.size();
  Attempt attempt;
  attempt.client = who.client;
  attempt.asked = world_->now();
  attempt.counts_for = party;
  history(who).attempts.push_back(std::move(attempt));
}

void Recorder::OnAnswered(Party who, const Status& status) {
  if (closed_) return;
  Note(who, ToString(status.code()));
  dealing(who).doing = Doing::kNothing;
  Attempt& attempt = history(who).attempts[dealing(who).attempt];
  attempt.answered = world_->now();
  attempt.answer = status.code();
}

void Recorder::OnGranted(Party who, const harness::Hold& granted) {
  if (closed_) return;
  Note(who, "granted");
  const VirtualTime now = world_->now();
  Attempt& attempt = history(who).attempts[dealing(who).attempt];
  attempt.answered = now;
  attempt.answer = StatusCode::kOk;
  dealing(who).hold = history(who).holds.size();
  ClientHold& record = history(who).holds.emplace_back();
  record.client = who.client;
  record.token = granted.owner_token();
  record.fencing_token = granted.fencing_token();
  record.asked = attempt.asked;
  record.shared = attempt.shared;
  if (attempt.NewestWords().find(record.token) != std::string::npos) {
    record.last_asked = attempt.newest_at;
  }
  dealing(who).valid_until = granted.valid_until();
  const VirtualTime until = GlobalTime(who.client, granted.valid_until());
  record.belief.push_back({now, std::max(now, until)});
  dealing(who).doing = Doing::kNothing;
  dealing(who).believes_until = until;
  dealing(who).valid_end = until;
  dealing(who).told_lost = false;
  Ledger::Claim(who.client, record.token, attempt.asked, history(who));
  SetSent(history(who), record, now);
}

void Recorder::OnEnter(Party who) {
  if (closed_) return;
  Note(who, "enter section");
  dealing(who).inside = true;
  hold(who).section.from = world_->now();
  hold(who).section.to = kOpen;
}

void Recorder::OnLeave(Party who) {
  if (closed_) return;
  Note(who, "leave section");
  dealing(who).inside = false;
  hold(who).section.to = world_->now();
}

std::int64_t Recorder::LeastServerMs(int nodes) {
  std::int64_t least_us = world_->ServerTimeUs();
  for (int node = 0; nodes > 1 && node < nodes; ++node) {
    least_us = std::min(least_us, world_->server(node).time_us());
  }
  return least_us / 1000;
}

void Recorder::OnExtend(Party who) {
  if (closed_) return;
  Note(who, "extend");
  const ServerHold* entry = FindServerHold(history(who), who.client, hold(who).token);
  if (entry != nullptr && std::min(entry->ended, entry->promised_until) <= world_->now()) {
    goals_.Add(Goal::kExtendAfterLoss);
  }
  dealing(who).doing = Doing::kExtending;
  dealing(who).renewal = history(who).renewals.size();
  dealing(who).extend_called_ms = LeastServerMs(history(who).nodes);
  Renewal renewal;
  renewal.client = who.client;
  renewal.called = world_->now();
  if (entry != nullptr) renewal.promised_until = entry->promised_until;
  history(who).renewals.push_back(renewal);
}

void Recorder::OnExtended(Party who, const Status& status, const harness::Hold& extended) {
  if (closed_) return;
  Note(who, ToString(status.code()));
  const VirtualTime now = world_->now();
  Renewal& renewal = history(who).renewals[dealing(who).renewal];
  renewal.answered = now;
  renewal.answer = status.code();
  NoteProlonged(history(who), hold(who).token, renewal);
  dealing(who).doing = Doing::kNothing;
  if (!status.ok()) {
    const bool lost =
        status.code() == StatusCode::kNotOwner || status.code() == StatusCode::kLeaseLost;
    if (lost) NoteToldLost(who);
    return;
  }
  goals_.Add(Goal::kExtended);
  ClientHold& record = hold(who);
  if (resource(who).observable && !record.token.empty()) {
    const std::size_t first = violations_.size();
    Ledger::JudgeExtended(record, renewal.called, dealing(who).extend_called_ms, now, history(who),
                          violations_);
    Attribute(first, who.resource);
  }
  NoteBelief(who, extended);
}

void Recorder::NoteBelief(Party who, const harness::Hold& prolonged) {
  const VirtualTime now = world_->now();
  ClientHold& record = hold(who);
  dealing(who).valid_until = prolonged.valid_until();
  const VirtualTime until = GlobalTime(who.client, prolonged.valid_until());
  dealing(who).believes_until = until;
  dealing(who).valid_end = until;
  dealing(who).told_lost = false;
  if (record.belief.back().to >= now) {
    record.belief.back().to = std::max(record.belief.back().to, until);
  } else if (until > now) {
    record.belief.push_back({now, until});
  }
}

void Recorder::OnAskValid(Party who) { dealing(who).asked_valid = world_->now(); }

void Recorder::OnAskedValid(Party who, bool valid, const harness::Hold& asked_of) {
  if (closed_) return;
  Note(who, valid ? "told: valid" : "told: not valid");
  // A lock that renews by itself has moved it since.
  if (valid && asked_of.valid_until() > dealing(who).valid_until) {
    NoteBelief(who, asked_of);
    if (resource(who).observable && !free_clocks_) {
      const std::size_t before = violations_.size();
      JudgeRenewed(hold(who), dealing(who).believes_until, world_->now(), history(who),
                   violations_);
      Attribute(before, who.resource);
    }
  }
  const VirtualTime until = dealing(who).valid_end;
  // The question counts from when it was asked: a pause before the answer is not the lock's.
  const VirtualTime asked = dealing(who).asked_valid;
  if (!MustKnowOfEnd(until, dealing(who).told_lost, asked)) return;
  goals_.Add(Goal::kAskedAfterValidity);
  if (!valid) return;
  const std::size_t first = violations_.size();
  ConvictCalledValid(who.client, until, asked, violations_);
  Attribute(first, who.resource);
}

void Recorder::OnRelease(Party who) {
  if (closed_) return;
  Note(who, "release");
  hold(who).release_called = world_->now();
  EndBelief(who);
  dealing(who).doing = Doing::kReleasing;
}

void Recorder::OnReleased(Party who, const Status& status) {
  if (closed_) return;
  Note(who, status.ok() ? std::string_view("released") : ToString(status.code()));
  ClientHold& record = hold(who);
  record.release_returned = world_->now();
  record.release_status = status.code();
  dealing(who).doing = Doing::kNothing;
  if (status.ok() && resource(who).observable && !record.token.empty()) {
    const std::size_t first = violations_.size();
    Ledger::JudgeReleased(record, world_->now(), history(who), violations_);
    Attribute(first, who.resource);
  }
}

void Recorder::OnDrop(Party who) {
  if (closed_) return;
  Note(who, "drop its hold");
  hold(who).dropped = world_->now();
  EndBelief(who);
}

void Recorder::EndBelief(Party who) {
  const VirtualTime now = world_->now();
  for (Interval& belief : hold(who).belief) belief.to = std::min(belief.to, now);
  dealing(who).believes_until = VirtualTime{-1};
}

void Recorder::Step(int client) {
  // What is guarded is accessed right behind it.
  if (!closed_) world_->Step(users_.ProcessOf(client), guarded());
}

void Recorder::Note(Party who, std::string_view text) {
  sim::Trace& trace = world_->trace();
  if (resources_.size() == 1) {
    return trace.Add(world_->now(), who.client, sim::TraceKind::kNote, text);
  }
  note_.assign(text).append(": ").append(resource(who).options->resource);
  trace.Add(world_->now(), who.client, sim::TraceKind::kNote, note_);
}

}  // namespace interlock::scenarios
