// SPDX-License-Identifier: MIT
//
// The grants that clients know of, in the order in which the server made them.
#pragma once

#include <vector>

#include "scenarios/log/history.h"

namespace interlock::scenarios {

struct Grant {
  VirtualTime granted{};  ///< by the server or, if that was not seen, when its client learned of it
  const ClientHold* hold = nullptr;
};

/// The pointers refer into `history`.
std::vector<Grant> GrantsInOrder(const History& history);

}  // namespace interlock::scenarios
