// SPDX-License-Identifier: MIT
//
// What the bounds of an exploration leave out of what this lock does: locks of some kinds go wrong
// only where somebody waits, or is late twice. An exploration that ends without a violation says
// so.
//
// Guarantee: each need has a reason, and the bounds that it asks for; within those a lock of that
// kind that is wrong in the usual way is convicted (needs_test.cc has one for each). Non-guarantee:
// that these bounds show every fault of the kind.
// Thread safety: as Universe. Determinism: a function of the options.
#pragma once

#include <string>
#include <vector>

#include "scenarios/search/explore/exhaustive.h"
#include "sim/universe.h"

namespace interlock::scenarios {

struct Need {
  std::string why;      ///< "a lock that releases by WATCH and EXEC ..."
  std::string options;  ///< "--expiries 2 --pauses 2"
};

/// The needs that the bounds do not meet. One calm run is made, to see what the lock sends.
std::vector<Need> UnmetNeeds(sim::Universe& universe, const ExploreOptions& options);

/// "beyond these bounds: why: options"
std::string ToText(const Need& need);

}  // namespace interlock::scenarios
