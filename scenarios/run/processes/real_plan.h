// SPDX-License-Identifier: MIT
//
// Which workloads run on a real server, and how long they take there: generated ones are drawn as
// for the simulation, those that are long or put nothing to the test are passed over, and all
// durations of one, the lease included, are multiplied by one factor. Where a crash strikes is
// derived from the step that the fault names.
//
// Guarantee: a function of (scenario, seed, readers). Thread safety: pure functions.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "scenarios/cases/scenario.h"

namespace interlock::scenarios::real {

enum class DeathPlace : std::uint8_t {
  kAskSent,        ///< some command of the request for the lock has just been sent
  kInSection,      ///< the section has just been entered
  kBeforeRelease,  ///< the release is about to be sent
};

/// The client kills itself when it first reaches the place in this operation or a later one.
struct Death {
  std::size_t operation = 0;
  DeathPlace place = DeathPlace::kAskSent;
  int sends = 1;        ///< kAskSent: which command of the request, from 1
  bool reborn = false;  ///< another client goes on with the operation
  bool operator==(const Death&) const = default;
};

struct RealPlan {
  Workload workload;                         ///< in wall time
  std::chrono::milliseconds original_lease;  ///< before scaling
};

/// The earliest of the client's crashes; nullopt: none, or the client does nothing.
std::optional<Death> DeathOf(const ClientPlan& client);

/// True if the client surely holds when it dies: in its section, and after a wait without a
/// deadline.
bool DiesHolding(const ClientPlan& client);

/// About how long everybody's work takes, one after the other.
Duration BusyTime(const Workload& workload);

/// All durations times `lease` / workload.lease. REQUIRES: lease >= 1 ms.
Workload Scaled(const Workload& workload, std::chrono::milliseconds lease);

/// Why the scenario cannot run on real servers, in half a sentence; empty: it can. Servers and
/// links are tampered with only on servers of one's own (`own`).
std::string_view WhyNotHere(const Scenario& scenario, bool own);

/// What is left of the scenario's shape on real servers: one resource, and what WhyNotReal leaves.
WorkloadShape RealShape(const Scenario& scenario);

/// The class of the scenario that runs: the pauses of a real machine cannot be kept within bounds.
inline SynchronyClass RealClass(const Scenario& scenario) { return scenario.classes.back(); }

/// The scenario's one pinned workload, or a small fixed number of generated ones. With readers some
/// operations are theirs, and everything else is the same.
std::vector<RealPlan> PlansFor(const Scenario& scenario, std::uint64_t seed, bool readers);

}  // namespace interlock::scenarios::real
