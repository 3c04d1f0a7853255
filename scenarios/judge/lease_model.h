// SPDX-License-Identifier: MIT
//
// Whether the answers to clients of one real server are explained by any order of events: a search
// after Wing and Gong, with Lowe's memoization, over a model of leases. Every answer takes effect
// at an instant between call and return; an owner has the resource until it releases it or its
// lease ends, which from outside is known only to the millisecond. One model covers a mutex (one
// permit), a semaphore (several), and readers and writers (those that do not conflict may hold
// together).
//
// It assumes nothing that might be false: where the outcome of a grant, release or extension is
// unknown, anything that helps may have happened; leases that a lock renews by itself have no known
// end. So what no order explains is a violation; an unfinished search says nothing. REQUIRES: the
// server keeps its data, and nothing was delayed on the way to it (OutsideRules::servers_answered).
// Thread safety: pure functions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include <interlock/harness/traits.h>

#include "scenarios/log/history.h"

namespace interlock::scenarios {

/// How much a search may try before it gives up.
struct ModelLimits {
  std::size_t operations = 64;
  std::size_t steps = 50'000;
};

/// Which answers the search must explain, each level including the previous ones.
enum class ModelDepth : std::uint8_t {
  kGrants,    ///< grants, and releases insofar as they may have ended them
  kReleases,  ///< and that holds released, or not, existed, or did not
  kExtends,   ///< and that holds extended existed
  kRefusals,  ///< and that tries were refused because somebody held
};

struct ModelAnswer {
  /// The first depth that cannot be explained; nullopt: none, as far as was searched.
  std::optional<ModelDepth> fails;
  bool gave_up = false;  ///< at the depth after the last one explained
};

/// REQUIRES: the lock is no latch, and a single server decides its ownership.
ModelAnswer SearchModel(const History& history, const harness::Traits& traits, ModelDepth deepest,
                        const ModelLimits& limits = {});

}  // namespace interlock::scenarios
