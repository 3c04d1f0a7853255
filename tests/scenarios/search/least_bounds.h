// SPDX-License-Identifier: MIT
//
// What the exhaustive search has to explore to convict a specimen within its least bound: shared by
// the tests that hold bounds and shrunk cases against it. Thread safety: pure functions.
#pragma once

#include <optional>
#include <vector>

#include "scenarios/locks/specimen.h"
#include "scenarios/search/explore/exhaustive.h"

namespace interlock::scenarios::testing {

/// How clients may go about it. A least bound counts, and says nothing of that.
std::vector<Bounds> Ways();

/// The bound of the specimen, gone about in this way. Nothing: the scenario has no such thing, the
/// bound is too small for it, or there would be too much to explore.
std::optional<ExploreOptions> Within(const Specimen& specimen, const Conviction& conviction,
                                     Bounds way);

}  // namespace interlock::scenarios::testing
