// SPDX-License-Identifier: MIT
#include "scenarios/run/recorder/attempt_log.h"

#include <string>
#include <utility>

#include "scenarios/cases/parties.h"

namespace interlock::scenarios {

void AttemptLog::OnAsk(Party who, const AskDetails& asked) {
  if (asked.shared) {
    log_.Note(who, std::string("as a reader: ").append(ToString(asked.ask)));
  } else {
    log_.Note(who, ToString(asked.ask));
  }
  log_.dealing(who).doing = Doing::kAsking;
  log_.dealing(who).attempt = log_.history(who).attempts.size();
  Attempt& attempt = log_.history(who).attempts.emplace_back();
  attempt.client = who.client;
  attempt.ask = asked.ask;
  attempt.shared = asked.shared;
  attempt.of_several = log_.traits.several;
  attempt.beside = asked.beside;
  attempt.asked = log_.now();
  attempt.stopped_before = asked.stopped;
  if (asked.ask == Ask::kWaitFor) {
    const MonotonicTime local = log_.LocalTime(who.client, attempt.asked);
    log_.dealing(who).gives_up = AddSaturating(local, asked.patience);
    attempt.deadline = log_.GlobalTime(who.client, log_.dealing(who).gives_up);
  }
}

void AttemptLog::OnStop(Party who) {
  if (log_.dealing(who).doing != Doing::kAsking) return;
  log_.Note(who, "stop");
  log_.history(who).attempts[log_.dealing(who).attempt].stopped = log_.now();
}

void AttemptLog::OnCountDown(Party who, int party) {
  log_.Note(who, "count down for " + NameOfParty(party));
  log_.dealing(who).doing = Doing::kAsking;
  log_.dealing(who).attempt = log_.history(who).attempts.size();
  Attempt attempt;
  attempt.client = who.client;
  attempt.asked = log_.now();
  attempt.counts_for = party;
  log_.history(who).attempts.push_back(std::move(attempt));
}

void AttemptLog::OnAnswered(Party who, StatusCode status) {
  log_.Note(who, ToString(status));
  log_.dealing(who).doing = Doing::kNothing;
  Attempt& attempt = log_.history(who).attempts[log_.dealing(who).attempt];
  attempt.answered = log_.now();
  attempt.answer = status;
}

}  // namespace interlock::scenarios
