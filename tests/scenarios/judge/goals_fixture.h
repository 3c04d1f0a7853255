// SPDX-License-Identifier: MIT
//
// What the tests of goals and of exercised properties share: the smallest history with a hold, and
// one of two that stand in line.
#pragma once

#include <tuple>

#include "scenarios/judge/exercised.h"
#include "tests/scenarios/judge/histories.h"

namespace interlock::scenarios::testing {

/// It promises an order, and extends leases.
inline constexpr harness::Traits kOrderedLock = {.can_extend = true, .bypass_bound = 0};
inline constexpr harness::Traits kAnySemaphore = {.kind = harness::Permits{}};

inline GoalSet GoalsOf(const History& history) {
  GoalSet goals;
  AddGoals(history, goals);
  return goals;
}

/// C1 holds over [10, 500) and releases.
inline History OneHold() {
  History history = NewHistory();
  history.attempts = {Answered(Asked(0, Ask::kTry, Ms(9)), Ms(11), StatusCode::kOk)};
  history.server_holds = {Ended(Owns(0, Ms(10), Ms(1010)), ServerHoldEnd::kReleased, Ms(500))};
  history.holds = {
      Released(Inside(Believes(0, Ms(11), Ms(499)), Ms(11), Ms(499)), Ms(499), Ms(501))};
  return history;
}

/// C2 stands in line from 20 ms on, C3 from 30 ms on; C2 is granted at `second`, C3 at `third`.
inline History Line(VirtualTime second, VirtualTime third) {
  History history = OneHold();
  for (const auto& [client, queued, granted] :
       {std::tuple(1, Ms(20), second), {2, Ms(30), third}}) {
    Attempt attempt = Answered(Asked(client, Ask::kWait, queued), granted, StatusCode::kOk);
    attempt.queued = queued;
    history.attempts.push_back(attempt);
    history.server_holds.push_back(
        Ended(Owns(client, granted, granted + kLease), ServerHoldEnd::kReleased, granted + Ms(9)));
  }
  return history;
}

}  // namespace interlock::scenarios::testing
