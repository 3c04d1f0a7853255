// SPDX-License-Identifier: MIT
//
// What differs from one kind of primitive to another, a row for each kind. How many may hold at
// once at which time is in log/limits.h, and what conflicts in log/holds.h; both are the same for
// all that is held.
//
// Thread safety: immutable.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <optional>

#include <interlock/harness/traits.h>

#include "scenarios/cases/goals.h"
#include "scenarios/cases/judged.h"

namespace interlock::scenarios {

struct Scenario;

struct KindModel {
  /// What it is judged by where a lock is by server, belief and section exclusion.
  std::array<Judged, 3> exclusion = {Judged::kServerExclusion, Judged::kBeliefExclusion,
                                     Judged::kSectionExclusion};
  /// Clients hold it for a while, and may lose it. What they only pass has no leases, no operators
  /// and no contention; it may be remembered for a short time only.
  bool held = true;
  /// As many as LockOptions::permits may hold it at once. So grants have no order, and no write is
  /// stale.
  bool permits = false;
  /// Some of a workload's operations are to be shared: readers', or those of clients that only wait
  /// at a latch.
  bool shares = false;
  /// How far apart the clients of an exploration come, in % of a lease. At a latch, events at the
  /// same instant are never too early.
  int stagger = 0;
  /// Adds what a campaign must reach besides what any lock that is held must; see ReachableGoals.
  void (*add_goals)(const Scenario& scenario, const harness::Traits& traits, bool rare,
                    GoalSet& goals) = nullptr;
};

const KindModel& ModelOf(const harness::Kind& kind);

/// The property that stands for this one where such a primitive is judged.
Judged CounterpartOf(const harness::Kind& kind, Judged property);

/// See harness::Permits::limit_stands; nullopt for what keeps no limit.
std::optional<std::chrono::milliseconds> LimitStands(const harness::Kind& kind);
/// Whether clients may set limits, and follow those that others have set.
bool MaySetLimits(const harness::Kind& kind);
bool PrefersWriters(const harness::Kind& kind);

}  // namespace interlock::scenarios
