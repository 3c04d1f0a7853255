// SPDX-License-Identifier: MIT
#include "scenarios/run/recorder/operator_log.h"

#include <string>
#include <string_view>
#include <utility>

#include "scenarios/log/answers.h"

namespace interlock::scenarios {

void OperatorLog::OnSetLimit(Party who, int limit) {
  log_.Note(who, "set the limit to " + std::to_string(limit));
  log_.dealing(who).doing = Doing::kSettingLimit;
  log_.history(who).limits.NoteCall(who.client, limit, log_.now());
}

void OperatorLog::OnLimitSet(Party who, StatusCode status) {
  log_.Note(who, ToString(status));
  log_.dealing(who).doing = Doing::kNothing;
  log_.history(who).limits.NoteAnswer(who.client, status, log_.now());
}

void OperatorLog::OnInspect(Party who) {
  log_.Note(who, "look who holds");
  log_.dealing(who).looked = log_.now();
}

void OperatorLog::OnInspected(Party who, StatusCode status) {
  log_.Note(who, status == StatusCode::kOk ? std::string_view("seen") : ToString(status));
  log_.dealing(who).inspected = log_.now();
}

void OperatorLog::OnForce(Party who, const HolderDetails& holder) {
  log_.Note(who, "force a release");
  log_.dealing(who).doing = Doing::kForcing;
  log_.dealing(who).force = log_.history(who).forces.size();
  Force force;
  force.client = who.client;
  force.token = holder.token;
  force.looked = log_.dealing(who).looked;
  force.inspected = log_.dealing(who).inspected;
  force.called = log_.now();
  log_.history(who).forces.push_back(std::move(force));
}

void OperatorLog::OnForced(Party who, StatusCode status) {
  log_.Note(who, status == StatusCode::kOk ? std::string_view("released") : ToString(status));
  log_.dealing(who).doing = Doing::kNothing;
  Force& force = log_.history(who).forces[log_.dealing(who).force];
  force.answered = log_.now();
  force.answer = status;
  if (log_.resource(who).observable) CompareForced(force, log_.history(who));
}

}  // namespace interlock::scenarios
