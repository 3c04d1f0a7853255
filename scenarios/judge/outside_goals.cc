// SPDX-License-Identifier: MIT
#include "scenarios/judge/outside.h"

#include <algorithm>
#include <cstddef>

#include "scenarios/judge/exercised.h"
#include "scenarios/judge/validity.h"

namespace interlock::scenarios {
namespace {

/// Whether another client surely held at some time between call and return.
bool IsContended(const History& history, const Attempt& attempt) {
  return std::ranges::any_of(history.server_holds, [&](const ServerHold& other) {
    const Interval held = ProvenHold(other);
    return other.client != attempt.client && Conflict(attempt, other) &&
           held.from < attempt.answered && attempt.asked < held.to;
  });
}

/// Whether somebody else had been granted what the hold had lost by the time it was released.
bool ReleasedAnothers(const History& history, std::size_t index) {
  const ClientHold& hold = history.holds[index];
  const VirtualTime over = LatestEnd(history, history.server_holds[index]);
  if (hold.release_called == kOpen || hold.release_called <= over) return false;
  return std::ranges::any_of(history.server_holds, [&](const ServerHold& other) {
    return other.client != hold.client && other.granted < hold.release_called &&
           hold.release_returned < ProvenHold(other).to;
  });
}

void AddLateGoals(const History& history, GoalSet& goals) {
  for (std::size_t i = 0; i < history.holds.size(); ++i) {
    if (ReleasedAnothers(history, i)) goals.Add(Goal::kReleaseOfLostLease);
  }
  if (AskedLate(history)) goals.Add(Goal::kAskedAfterValidity);
  if (std::ranges::any_of(history.renewals, [](const Renewal& renewal) {
        return renewal.called > renewal.promised_until;
      })) {
    goals.Add(Goal::kExtendAfterLoss);
  }
}

}  // namespace

GoalSet OutsideGoals(const History& history) {
  GoalSet goals;
  AddLateGoals(history, goals);
  for (const Attempt& attempt : history.attempts) {
    AddAnswerGoals(attempt, IsContended(history, attempt), goals);
  }
  VirtualTime first_death = kOpen;
  for (std::size_t i = 0; i < history.holds.size(); ++i) {
    const ClientHold& hold = history.holds[i];
    const ServerHold& promise = history.server_holds[i];
    const VirtualTime died = DiedAt(history, hold.client, hold.asked);
    if (died != kOpen && died < std::min(hold.release_called, promise.promised_until)) {
      goals.Add(Goal::kCrashWhileHolding);
      if (hold.entered() && died <= hold.section.to) goals.Add(Goal::kCrashInSection);
      first_death = std::min(first_death, died);
    }
    // The lease counts from the latest instant at which the server can have started it.
    const bool lost = hold.release_status == StatusCode::kNotOwner ||
                      hold.release_status == StatusCode::kLeaseLost;
    if (hold.release_called != kOpen && lost &&
        hold.release_called > promise.renewed + history.lease) {
      goals.Add(Goal::kLeaseExpiredWhileHeld);
    }
    if (promise.renewed > promise.granted) goals.Add(Goal::kExtended);
  }
  for (const ClientHold& hold : history.holds) {
    if (hold.told_at() > first_death) goals.Add(Goal::kRecoveredAfterCrash);
  }
  return goals;
}

}  // namespace interlock::scenarios
