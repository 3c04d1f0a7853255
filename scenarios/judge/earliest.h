// SPDX-License-Identifier: MIT
//
// Of several violations of one property in one run, the earliest is told.
#pragma once

#include <optional>
#include <utility>

#include "scenarios/log/history.h"

namespace interlock::scenarios {

/// Of two at the same instant, the one that was found first.
inline void KeepEarlier(std::optional<Violation> found, std::optional<Violation>& first) {
  if (found.has_value() && (!first.has_value() || found->at < first->at)) first = std::move(found);
}

}  // namespace interlock::scenarios
