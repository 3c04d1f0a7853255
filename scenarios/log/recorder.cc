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
    : log_(memory, subject, options, synchrony, guard),
      server_data_(log_, database),
      commands_(log_, server_data_),
      faults_(log_),
      bounds_(log_) {}

void Recorder::RunsOnThisTask(int client) {
  if (const auto task = log_.world->running_task()) log_.users.RunsOn(client, *task);
}

void Recorder::SetSent(const History& history, ClientHold& record, VirtualTime now) const {
  const ServerHold* entry = FindServerHold(history, record.client, record.token);
  if (entry == nullptr || entry->granted < record.asked) return;
  record.sent = entry->sent != kOpen ? entry->sent : entry->granted;
  record.elapsed = log_.LocalTime(record.client, now) - log_.LocalTime(record.client, record.sent);
}

void Recorder::OnAsk(Party who, const Operation& operation) {
  if (log_.closed) return;
  if (operation.shared) {
    log_.Note(who, std::string("as a reader: ").append(ToString(operation.ask)));
  } else {
    log_.Note(who, ToString(operation.ask));
  }
  log_.dealing(who).doing = Doing::kAsking;
  log_.dealing(who).attempt = log_.history(who).attempts.size();
  Attempt& attempt = log_.history(who).attempts.emplace_back();
  attempt.client = who.client;
  attempt.ask = operation.ask;
  attempt.shared = operation.shared;
  attempt.of_several = log_.traits.several;
  attempt.beside = who.resource != operation.resource;
  attempt.asked = log_.now();
  const bool waits = operation.ask != Ask::kTry;
  attempt.stopped_before = waits && operation.stops && operation.stop_after.count() == 0;
  if (operation.ask == Ask::kWaitFor) {
    const MonotonicTime asked = log_.LocalTime(who.client, attempt.asked);
    log_.dealing(who).gives_up = AddSaturating(asked, operation.wait);
    attempt.deadline = log_.GlobalTime(who.client, log_.dealing(who).gives_up);
  }
}

void Recorder::OnRefused(Party who, const Status& status) { OnAnswered(who, status); }

void Recorder::OnCountDown(Party who, int party) {
  if (log_.closed) return;
  log_.Note(who, "count down for " + NameOfParty(party));
  log_.dealing(who).doing = Doing::kAsking;
  log_.dealing(who).attempt = log_.history(who).attempts.size();
  Attempt attempt;
  attempt.client = who.client;
  attempt.asked = log_.now();
  attempt.counts_for = party;
  log_.history(who).attempts.push_back(std::move(attempt));
}

void Recorder::OnAnswered(Party who, const Status& status) {
  if (log_.closed) return;
  log_.Note(who, ToString(status.code()));
  log_.dealing(who).doing = Doing::kNothing;
  Attempt& attempt = log_.history(who).attempts[log_.dealing(who).attempt];
  attempt.answered = log_.now();
  attempt.answer = status.code();
}

void Recorder::OnGranted(Party who, const harness::Hold& granted) {
  if (log_.closed) return;
  log_.Note(who, "granted");
  const VirtualTime now = log_.now();
  Attempt& attempt = log_.history(who).attempts[log_.dealing(who).attempt];
  attempt.answered = now;
  attempt.answer = StatusCode::kOk;
  log_.dealing(who).hold = log_.history(who).holds.size();
  ClientHold& record = log_.history(who).holds.emplace_back();
  record.client = who.client;
  record.token = granted.owner_token();
  record.fencing_token = granted.fencing_token();
  record.asked = attempt.asked;
  record.shared = attempt.shared;
  if (attempt.NewestWords().find(record.token) != std::string::npos) {
    record.last_asked = attempt.newest_at;
  }
  log_.dealing(who).valid_until = granted.valid_until();
  const VirtualTime until = log_.GlobalTime(who.client, granted.valid_until());
  record.belief.push_back({now, std::max(now, until)});
  log_.dealing(who).doing = Doing::kNothing;
  log_.dealing(who).believes_until = until;
  log_.dealing(who).valid_end = until;
  log_.dealing(who).told_lost = false;
  Ledger::Claim(who.client, record.token, attempt.asked, log_.history(who));
  SetSent(log_.history(who), record, now);
}

void Recorder::OnEnter(Party who) {
  if (log_.closed) return;
  log_.Note(who, "enter section");
  log_.dealing(who).inside = true;
  log_.hold(who).section.from = log_.now();
  log_.hold(who).section.to = kOpen;
}

void Recorder::OnLeave(Party who) {
  if (log_.closed) return;
  log_.Note(who, "leave section");
  log_.dealing(who).inside = false;
  log_.hold(who).section.to = log_.now();
}

std::int64_t Recorder::LeastServerMs(int nodes) {
  std::int64_t least_us = log_.world->ServerTimeUs();
  for (int node = 0; nodes > 1 && node < nodes; ++node) {
    least_us = std::min(least_us, log_.world->server(node).time_us());
  }
  return least_us / 1000;
}

void Recorder::OnExtend(Party who) {
  if (log_.closed) return;
  log_.Note(who, "extend");
  const ServerHold* entry = FindServerHold(log_.history(who), who.client, log_.hold(who).token);
  if (entry != nullptr && std::min(entry->ended, entry->promised_until) <= log_.now()) {
    log_.goals.Add(Goal::kExtendAfterLoss);
  }
  log_.dealing(who).doing = Doing::kExtending;
  log_.dealing(who).renewal = log_.history(who).renewals.size();
  log_.dealing(who).extend_called_ms = LeastServerMs(log_.history(who).nodes);
  Renewal renewal;
  renewal.client = who.client;
  renewal.called = log_.now();
  if (entry != nullptr) renewal.promised_until = entry->promised_until;
  log_.history(who).renewals.push_back(renewal);
}

void Recorder::OnExtended(Party who, const Status& status, const harness::Hold& extended) {
  if (log_.closed) return;
  log_.Note(who, ToString(status.code()));
  const VirtualTime now = log_.now();
  Renewal& renewal = log_.history(who).renewals[log_.dealing(who).renewal];
  renewal.answered = now;
  renewal.answer = status.code();
  NoteProlonged(log_.history(who), log_.hold(who).token, renewal);
  log_.dealing(who).doing = Doing::kNothing;
  if (!status.ok()) {
    const bool lost =
        status.code() == StatusCode::kNotOwner || status.code() == StatusCode::kLeaseLost;
    if (lost) NoteToldLost(who);
    return;
  }
  log_.goals.Add(Goal::kExtended);
  ClientHold& record = log_.hold(who);
  if (log_.resource(who).observable && !record.token.empty()) {
    const std::size_t first = log_.violations.size();
    Ledger::JudgeExtended(record, renewal.called, log_.dealing(who).extend_called_ms, now,
                          log_.history(who), log_.violations);
    log_.Attribute(first, who.resource);
  }
  NoteBelief(who, extended);
}

void Recorder::NoteBelief(Party who, const harness::Hold& prolonged) {
  const VirtualTime now = log_.now();
  ClientHold& record = log_.hold(who);
  log_.dealing(who).valid_until = prolonged.valid_until();
  const VirtualTime until = log_.GlobalTime(who.client, prolonged.valid_until());
  log_.dealing(who).believes_until = until;
  log_.dealing(who).valid_end = until;
  log_.dealing(who).told_lost = false;
  if (record.belief.back().to >= now) {
    record.belief.back().to = std::max(record.belief.back().to, until);
  } else if (until > now) {
    record.belief.push_back({now, until});
  }
}

void Recorder::OnAskValid(Party who) { log_.dealing(who).asked_valid = log_.now(); }

void Recorder::OnAskedValid(Party who, bool valid, const harness::Hold& asked_of) {
  if (log_.closed) return;
  log_.Note(who, valid ? "told: valid" : "told: not valid");
  // A lock that renews by itself has moved it since.
  if (valid && asked_of.valid_until() > log_.dealing(who).valid_until) {
    NoteBelief(who, asked_of);
    if (log_.resource(who).observable && !log_.free_clocks) {
      const std::size_t before = log_.violations.size();
      JudgeRenewed(log_.hold(who), log_.dealing(who).believes_until, log_.now(), log_.history(who),
                   log_.violations);
      log_.Attribute(before, who.resource);
    }
  }
  const VirtualTime until = log_.dealing(who).valid_end;
  // The question counts from when it was asked: a pause before the answer is not the lock's.
  const VirtualTime asked = log_.dealing(who).asked_valid;
  if (!MustKnowOfEnd(until, log_.dealing(who).told_lost, asked)) return;
  log_.goals.Add(Goal::kAskedAfterValidity);
  if (!valid) return;
  const std::size_t first = log_.violations.size();
  ConvictCalledValid(who.client, until, asked, log_.violations);
  log_.Attribute(first, who.resource);
}

void Recorder::OnRelease(Party who) {
  if (log_.closed) return;
  log_.Note(who, "release");
  log_.hold(who).release_called = log_.now();
  EndBelief(who);
  log_.dealing(who).doing = Doing::kReleasing;
}

void Recorder::OnReleased(Party who, const Status& status) {
  if (log_.closed) return;
  log_.Note(who, status.ok() ? std::string_view("released") : ToString(status.code()));
  ClientHold& record = log_.hold(who);
  record.release_returned = log_.now();
  record.release_status = status.code();
  log_.dealing(who).doing = Doing::kNothing;
  if (status.ok() && log_.resource(who).observable && !record.token.empty()) {
    const std::size_t first = log_.violations.size();
    Ledger::JudgeReleased(record, log_.now(), log_.history(who), log_.violations);
    log_.Attribute(first, who.resource);
  }
}

void Recorder::OnDrop(Party who) {
  if (log_.closed) return;
  log_.Note(who, "drop its hold");
  log_.hold(who).dropped = log_.now();
  EndBelief(who);
}

void Recorder::EndBelief(Party who) {
  const VirtualTime now = log_.now();
  for (Interval& belief : log_.hold(who).belief) belief.to = std::min(belief.to, now);
  log_.dealing(who).believes_until = VirtualTime{-1};
}

void Recorder::Step(int client) {
  // What is guarded is accessed right behind it.
  if (!log_.closed) log_.world->Step(log_.users.ProcessOf(client), guarded());
}

}  // namespace interlock::scenarios
