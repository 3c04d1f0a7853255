// SPDX-License-Identifier: MIT
//
// The recorder's part about those who end what others do: waits that are stopped, and operators.
#include <string>

#include "scenarios/judge/forced.h"
#include "scenarios/log/recorder.h"

namespace interlock::scenarios {

void Recorder::OnStop(Party who) {
  if (closed_ || dealing(who).doing != Doing::kAsking) return;
  Note(who, "stop");
  history(who).attempts[dealing(who).attempt].stopped = world_->now();
}

void Recorder::OnInspect(Party who) {
  if (closed_) return;
  Note(who, "look who holds");
  dealing(who).looked = world_->now();
}

void Recorder::OnInspected(Party who, const Status& status) {
  if (closed_) return;
  Note(who, status.ok() ? std::string_view("seen") : ToString(status.code()));
  dealing(who).inspected = world_->now();
}

void Recorder::OnForce(Party who, const harness::SeenHolder& holder) {
  if (closed_) return;
  Note(who, "force a release");
  dealing(who).doing = Doing::kForcing;
  dealing(who).force = history(who).forces.size();
  Force force;
  force.client = who.client;
  force.token = holder.token;
  force.looked = dealing(who).looked;
  force.inspected = dealing(who).inspected;
  force.called = world_->now();
  history(who).forces.push_back(std::move(force));
}

void Recorder::OnForced(Party who, const Status& status) {
  if (closed_) return;
  Note(who, status.ok() ? std::string_view("released") : ToString(status.code()));
  dealing(who).doing = Doing::kNothing;
  Force& force = history(who).forces[dealing(who).force];
  force.answered = world_->now();
  force.answer = status.code();
  if (!resource(who).observable) return;
  const std::size_t first = violations_.size();
  JudgeForced(force, history(who), violations_);
  Attribute(first, who.resource);
}

}  // namespace interlock::scenarios
