// SPDX-License-Identifier: MIT
//
// Whether what clients of one real server were told can have happened in any order at all: a search
// after Wing and Gong, with Lowe's memory of what was tried, over a model of leases. Every answer
// is an instant between call and return; an owner has the resource until it releases it, or its
// lease ends, which cannot be known outside to the millisecond. One model is a mutex (one permit),
// a semaphore (several), and readers and writers (those that do not conflict may hold together).
//
// Nothing is ever assumed that might be false: where a grant, a release or an extension is unknown,
// anything that helps may have happened; leases that a lock renews by itself have no known end. So
// what no order explains is a violation; a search that did not end says nothing. REQUIRES: the
// server keeps its data, and nothing was held back on the way to it (RealRules::servers_answered).
// Thread safety: pure functions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include <interlock/harness/traits.h>

#include "scenarios/run/processes/real_history.h"

namespace interlock::scenarios::real {

/// How much a search may try before it gives up.
struct ModelLimits {
  std::size_t operations = 64;
  std::size_t steps = 50'000;
};

/// Which answers the search has to explain, each with those before it.
enum class ModelDepth : std::uint8_t {
  kGrants,    ///< grants, and releases as far as they may have ended them
  kReleases,  ///< and that what was released, or not, was held, or not
  kExtends,   ///< and that what was extended was held
  kRefusals,  ///< and that tries were refused because somebody held
};

struct ModelAnswer {
  /// The first depth that cannot be explained; nullopt: all can, as far as was searched.
  std::optional<ModelDepth> fails;
  bool gave_up = false;  ///< at the depth after the last one that can be explained
};

/// REQUIRES: the lock is no latch, and owns by one server's word.
ModelAnswer SearchModel(const RealHistory& history, const harness::Traits& traits,
                        ModelDepth deepest, const ModelLimits& limits = {});

}  // namespace interlock::scenarios::real
