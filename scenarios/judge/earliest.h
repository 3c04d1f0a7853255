// SPDX-License-Identifier: MIT
//
// Reports only the earliest of several violations of a property in a run.
#pragma once

#include <optional>
#include <utility>

#include "scenarios/log/history.h"

namespace interlock::scenarios {

/// On a tie, keeps the one found first.
inline void KeepEarlier(std::optional<Violation> found, std::optional<Violation>& first) {
  if (found.has_value() && (!first.has_value() || found->at < first->at)) first = std::move(found);
}

}  // namespace interlock::scenarios
