// SPDX-License-Identifier: MIT
//
// The recorder's part about those who end what others do: waits that are stopped, and operators.
#include <string>

#include "scenarios/judge/forced.h"
#include "scenarios/log/recorder.h"

namespace interlock::scenarios {

void Recorder::OnStop(Party who) {
  if (log_.closed || log_.dealing(who).doing != Doing::kAsking) return;
  log_.Note(who, "stop");
  log_.history(who).attempts[log_.dealing(who).attempt].stopped = log_.now();
}

void Recorder::OnInspect(Party who) {
  if (log_.closed) return;
  log_.Note(who, "look who holds");
  log_.dealing(who).looked = log_.now();
}

void Recorder::OnInspected(Party who, const Status& status) {
  if (log_.closed) return;
  log_.Note(who, status.ok() ? std::string_view("seen") : ToString(status.code()));
  log_.dealing(who).inspected = log_.now();
}

void Recorder::OnForce(Party who, const harness::SeenHolder& holder) {
  if (log_.closed) return;
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

void Recorder::OnForced(Party who, const Status& status) {
  if (log_.closed) return;
  log_.Note(who, status.ok() ? std::string_view("released") : ToString(status.code()));
  log_.dealing(who).doing = Doing::kNothing;
  Force& force = log_.history(who).forces[log_.dealing(who).force];
  force.answered = log_.now();
  force.answer = status.code();
  if (!log_.resource(who).observable) return;
  const std::size_t first = log_.violations.size();
  JudgeForced(force, log_.history(who), log_.violations);
  log_.Attribute(first, who.resource);
}

}  // namespace interlock::scenarios
