// SPDX-License-Identifier: MIT
//
// Workloads for RapidCheck: drawn by the swarm, and made smaller along a tree, so that a property
// that fails says so with a small case.
#pragma once

#include <cstdint>
#include <vector>

#include <rapidcheck.h>

#include "scenarios/cases/scenario.h"
#include "scenarios/cases/swarm.h"

namespace interlock::scenarios::testing {

/// What is one step smaller: parts left out, the largest first, then smaller numbers. Each is
/// smaller by a measure of its own, so that descending ends.
std::vector<RawWorkload> SmallerThan(const RawWorkload& raw);

/// The swarm's workload for this seed, at the root of the tree of smaller ones.
rc::Shrinkable<Workload> TreeOf(const Scenario& scenario, std::uint64_t seed);

/// REQUIRES: a generated scenario, without pinned workloads.
rc::Gen<Workload> AnyWorkload(const Scenario& scenario);

}  // namespace interlock::scenarios::testing
