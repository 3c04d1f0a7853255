// SPDX-License-Identifier: MIT
//
// Which workloads run on a real server, and their durations there: generated ones are drawn as for
// the simulation, those that take long or put nothing to the test are skipped, and all durations of
// a workload, the lease included, are scaled by one factor. The step that a crash names determines
// where it strikes.
//
// Guarantee: a function of (scenario, seed, readers). Thread safety: pure functions.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>
#include <vector>

#include "scenarios/cases/scenario.h"

namespace interlock::scenarios::real {

enum class DeathPlace : std::uint8_t {
  kAskSent,        ///< a command of the request for the lock has just been sent
  kInSection,      ///< the section has just been entered
  kBeforeRelease,  ///< the release is about to be sent
};

/// The client kills itself when it first reaches the place in this operation or a later one.
struct Death {
  std::size_t operation = 0;
  DeathPlace place = DeathPlace::kAskSent;
  int sends = 1;        ///< kAskSent: which command of the request, from 1
  bool reborn = false;  ///< another client continues with the operation
  bool operator==(const Death&) const = default;
};

struct RealPlan {
  Workload workload;                         ///< in wall time
  std::chrono::milliseconds original_lease;  ///< before scaling
};

/// The earliest of the client's crashes; nullopt: none, or the client does nothing.
std::optional<Death> DeathOf(const ClientPlan& client);

/// Whether the client surely holds when it dies: in its section, and after a wait without a
/// deadline.
bool DiesHolding(const ClientPlan& client);

/// Approximate total time of everybody's work, one after the other.
Duration BusyTime(const Workload& workload);

/// All durations times `lease` / workload.lease. REQUIRES: lease >= 1 ms.
Workload Scaled(const Workload& workload, std::chrono::milliseconds lease);

/// Why the scenario cannot run on real servers, as half a sentence; empty: it can. Servers and
/// links are tampered with only on servers started for it (`own`).
std::string_view WhyNotHere(const Scenario& scenario, bool own);

/// The scenario's shape on real servers: one resource, without the faults that are unreal.
WorkloadShape RealShape(const Scenario& scenario);

/// The class of the scenario that runs: the pauses of a real machine cannot be bounded.
inline SynchronyClass RealClass(const Scenario& scenario) { return scenario.classes.back(); }

/// The scenario's one pinned workload, or a small fixed number of generated ones. With `readers`
/// some operations are readers', and everything else is the same. `seed_of`: of the run with an
/// index.
using SeedOfRun = std::function<std::uint64_t(std::uint64_t index)>;
std::vector<RealPlan> PlansFor(const Scenario& scenario, const SeedOfRun& seed_of, bool readers);

}  // namespace interlock::scenarios::real
