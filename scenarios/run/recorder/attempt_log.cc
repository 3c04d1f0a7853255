// SPDX-License-Identifier: MIT
#include "scenarios/run/recorder/attempt_log.h"

#include <string>
#include <utility>

#include "scenarios/cases/parties.h"

namespace interlock::scenarios {

void AttemptLog::OnAsk(Party who, const Operation& operation) {
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

void AttemptLog::OnStop(Party who) {
  if (log_.closed || log_.dealing(who).doing != Doing::kAsking) return;
  log_.Note(who, "stop");
  log_.history(who).attempts[log_.dealing(who).attempt].stopped = log_.now();
}

void AttemptLog::OnCountDown(Party who, int party) {
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

void AttemptLog::OnAnswered(Party who, const Status& status) {
  if (log_.closed) return;
  log_.Note(who, ToString(status.code()));
  log_.dealing(who).doing = Doing::kNothing;
  Attempt& attempt = log_.history(who).attempts[log_.dealing(who).attempt];
  attempt.answered = log_.now();
  attempt.answer = status.code();
}

}  // namespace interlock::scenarios
