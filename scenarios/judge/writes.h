// SPDX-License-Identifier: MIT
//
// Fenced writes (LK004): the guarded resource accepts no access of a grant after accepting one of a
// later grant, in the server's grant order. Readers come in any order among themselves. A client
// that lost the lock to an operator keeps writing, which only fencing tokens could stop: without
// them it is excused.
//
// Conversely, a resource fenced by tokens accepts its holder's accesses: one whose sender has the
// server's promise at its arrival, and believes in it, is not refused for its token. Non-guarantee:
// not judged for servers that have forgotten, or were replaced.
#pragma once

#include <vector>

#include "scenarios/log/history.h"

namespace interlock::scenarios {

/// Appends at most one violation of each kind, the earliest. `by_token`: the resource compares
/// fencing tokens, and nothing else.
void JudgeWrites(const History& history, bool by_token, std::vector<Violation>& violations);

}  // namespace interlock::scenarios
