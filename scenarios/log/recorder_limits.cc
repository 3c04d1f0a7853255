// SPDX-License-Identifier: MIT
//
// The recorder's part about semaphores that keep their limit in the server: what each client takes
// for it, and who sets another one.
#include <algorithm>
#include <chrono>
#include <string>

#include "scenarios/cases/scenario.h"
#include "scenarios/log/recorder.h"

namespace interlock::scenarios {

void Recorder::NoteClient(int client, int process, const ClientPlan& plan) {
  if (process != client) users_.Share(process, client);
  for (Resource& resource : resources_) {
    if (process != client) resource.history.mates.push_back({process, client});
    const std::chrono::milliseconds lease = LeaseWith(plan, *resource.options);
    resource.history.limits.SetWish(client, PermitsWith(plan, *resource.options));
    resource.history.leases.push_back(lease);
    shortest_lease_ = std::min<Duration>(shortest_lease_, lease);
  }
}

void Recorder::NoteLimits(int client, std::uint64_t number, VirtualTime now) {
  for (Resource& resource : resources_) resource.history.limits.NoteChange(client, number, now);
}

void Recorder::OnSetLimit(Party who, int limit) {
  if (closed_) return;
  Note(who, "set the limit to " + std::to_string(limit));
  dealing(who).doing = Doing::kSettingLimit;
  history(who).limits.NoteCall(who.client, limit, world_->now());
}

void Recorder::OnLimitSet(Party who, const Status& status) {
  if (closed_) return;
  Note(who, ToString(status.code()));
  dealing(who).doing = Doing::kNothing;
  history(who).limits.NoteAnswer(who.client, status.code(), world_->now());
}

}  // namespace interlock::scenarios
