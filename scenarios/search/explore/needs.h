// SPDX-License-Identifier: MIT
//
// Behaviour of a lock that the bounds of an exploration miss: some kinds of locks go wrong only
// where somebody waits, or is late twice. An exploration without a violation reports it.
//
// Guarantee: each need has a reason and the bounds that it asks for; within those, a lock of that
// kind with the usual bug is convicted (needs_test.cc has one for each). Non-guarantee: that these
// bounds show every bug of the kind.
// Thread safety: that of Universe. Determinism: a function of the options.
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

/// The needs that the bounds do not meet. Makes one calm run to see what the lock sends.
std::vector<Need> UnmetNeeds(sim::Universe& universe, const ExploreOptions& options);

/// "beyond these bounds: why: options"
std::string ToText(const Need& need);

}  // namespace interlock::scenarios
