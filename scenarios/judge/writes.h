// SPDX-License-Identifier: MIT
//
// Fenced writes (LK004): the guarded resource accepts no access of a grant after it has accepted
// one of a later grant. Later is what the server granted later. Readers come in any order among
// themselves. What an operator took the lock away from writes on, which only fencing tokens could
// stop: without any it is excused.
#pragma once

#include <vector>

#include "scenarios/log/history.h"

namespace interlock::scenarios {

/// Appends one violation at most, the earliest.
void JudgeWrites(const History& history, std::vector<Violation>& violations);

}  // namespace interlock::scenarios
