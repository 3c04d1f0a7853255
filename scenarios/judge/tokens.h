// SPDX-License-Identifier: MIT
//
// Tokens (LK007): fencing tokens strictly increase in the order in which the server granted, and an
// owner token serves one grant only.
#pragma once

#include <vector>

#include "scenarios/log/history.h"

namespace interlock::scenarios {

/// Appends at most one violation, the earliest.
void JudgeTokens(const History& history, std::vector<Violation>& violations);

}  // namespace interlock::scenarios
