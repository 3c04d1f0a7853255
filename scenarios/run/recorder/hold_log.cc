// SPDX-License-Identifier: MIT
#include "scenarios/run/recorder/hold_log.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "scenarios/log/answers.h"
#include "scenarios/log/ledger.h"

namespace interlock::scenarios {
namespace {

/// Notes when the renewal extended the server's promise to that token, if the promise still stands.
void NoteProlonged(const History& history, const std::string& token, Renewal& renewal) {
  const ServerHold* entry = FindServerHold(history, renewal.client, token);
  if (entry == nullptr || entry->promised_until <= renewal.promised_until) return;
  const bool kept = entry->had_until() > renewal.answered;
  if (kept && entry->renewed >= renewal.called) renewal.prolonged = entry->renewed;
}

}  // namespace

void HoldLog::OnGranted(Party who, const GrantDetails& granted) {
  log_.Note(who, "granted");
  const VirtualTime now = log_.now();
  Attempt& attempt = log_.history(who).attempts[log_.dealing(who).attempt];
  attempt.answered = now;
  attempt.answer = StatusCode::kOk;
  log_.dealing(who).hold = log_.history(who).holds.size();
  ClientHold& record = log_.history(who).holds.emplace_back();
  record.client = who.client;
  record.token = granted.token;
  record.fencing_token = granted.fencing_token;
  record.asked = attempt.asked;
  record.shared = attempt.shared;
  if (attempt.NewestWords().find(record.token) != std::string::npos) {
    record.last_asked = attempt.newest_at;
  }
  record.belief.push_back(
      {now, std::max(now, SetValidity(who, MonotonicTime(granted.valid_until)))});
  log_.dealing(who).doing = Doing::kNothing;
  Ledger::Claim(who.client, record.token, attempt.asked, log_.history(who));
  SetSent(log_.history(who), record, now);
}

void HoldLog::OnEnter(Party who) {
  log_.Note(who, "enter section");
  log_.dealing(who).inside = true;
  log_.hold(who).section.from = log_.now();
  log_.hold(who).section.to = kOpen;
}

void HoldLog::OnLeave(Party who) {
  log_.Note(who, "leave section");
  log_.dealing(who).inside = false;
  log_.hold(who).section.to = log_.now();
}

void HoldLog::OnExtend(Party who) {
  log_.Note(who, "extend");
  const ServerHold* entry = FindServerHold(log_.history(who), who.client, log_.hold(who).token);
  if (entry != nullptr && entry->had_until() <= log_.now()) {
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

void HoldLog::OnExtended(Party who, const ExtendedDetails& extended) {
  const StatusCode status = extended.status;
  log_.Note(who, ToString(status));
  const VirtualTime now = log_.now();
  Renewal& renewal = log_.history(who).renewals[log_.dealing(who).renewal];
  renewal.answered = now;
  renewal.answer = status;
  NoteProlonged(log_.history(who), log_.hold(who).token, renewal);
  log_.dealing(who).doing = Doing::kNothing;
  if (status != StatusCode::kOk) {
    const bool lost = status == StatusCode::kNotOwner || status == StatusCode::kLeaseLost;
    if (lost) log_.dealing(who).TellLost(log_.now());
    return;
  }
  log_.goals.Add(Goal::kExtended);
  ClientHold& record = log_.hold(who);
  if (log_.resource(who).observable && !record.token.empty()) {
    CompareExtended(record, renewal.called, log_.dealing(who).extend_called_ms, now,
                    log_.history(who));
  }
  Prolong(who, MonotonicTime(extended.valid_until));
}

void HoldLog::OnRelease(Party who) {
  log_.Note(who, "release");
  log_.hold(who).release_called = log_.now();
  EndBelief(who);
  log_.dealing(who).doing = Doing::kReleasing;
}

void HoldLog::OnReleased(Party who, StatusCode status) {
  log_.Note(who, status == StatusCode::kOk ? std::string_view("released") : ToString(status));
  ClientHold& record = log_.hold(who);
  record.release_returned = log_.now();
  record.release_status = status;
  log_.dealing(who).doing = Doing::kNothing;
  if (status == StatusCode::kOk && log_.resource(who).observable && !record.token.empty()) {
    CompareReleased(record, log_.now(), log_.history(who));
  }
}

void HoldLog::OnDrop(Party who) {
  log_.Note(who, "drop its hold");
  log_.hold(who).dropped = log_.now();
  EndBelief(who);
}

void HoldLog::Prolong(Party who, MonotonicTime end) {
  const VirtualTime now = log_.now();
  const VirtualTime until = SetValidity(who, end);
  std::vector<Interval>& belief = log_.hold(who).belief;
  if (belief.back().to >= now) {
    belief.back().to = std::max(belief.back().to, until);
  } else if (until > now) {
    belief.push_back({now, until});
  }
}

VirtualTime HoldLog::SetValidity(Party who, MonotonicTime until) {
  Dealing& dealing = log_.dealing(who);
  dealing.valid_until = until;
  dealing.believes_until = log_.GlobalTime(who.client, until);
  dealing.valid_end = dealing.believes_until;
  dealing.told_lost = false;
  return dealing.believes_until;
}

void HoldLog::EndBelief(Party who) {
  const VirtualTime now = log_.now();
  for (Interval& belief : log_.hold(who).belief) belief.to = std::min(belief.to, now);
  log_.dealing(who).believes_until = VirtualTime{-1};
}

void HoldLog::SetSent(const History& history, ClientHold& record, VirtualTime now) const {
  const ServerHold* entry = FindServerHold(history, record.client, record.token);
  if (entry == nullptr || entry->granted < record.asked) return;
  record.sent = entry->sent != kOpen ? entry->sent : entry->granted;
  record.elapsed = log_.LocalTime(record.client, now) - log_.LocalTime(record.client, record.sent);
}

std::int64_t HoldLog::LeastServerMs(int nodes) const {
  std::int64_t least_us = log_.world->ServerTimeUs();
  for (int node = 0; nodes > 1 && node < nodes; ++node) {
    least_us = std::min(least_us, log_.world->server(node).time_us());
  }
  return least_us / 1000;
}

}  // namespace interlock::scenarios
