// SPDX-License-Identifier: MIT
//
// Fenced writes (LK004): the guarded resource accepts no access of a grant after it has accepted
// one of a later grant. Later is what the server granted later. Readers come in any order among
// themselves. What an operator took the lock away from writes on, which only fencing tokens could
// stop: without any it is excused.
//
// And a resource that is fenced by tokens accepts what its holder sends in time: whoever has the
// server's promise when its access arrives, and believes in it, is not refused for its token.
// Non-guarantee: of servers that have forgotten, or were replaced, that is not judged.
#pragma once

#include <vector>

#include "scenarios/log/history.h"

namespace interlock::scenarios {

/// Appends one violation of each kind at most, the earliest. `by_token`: the resource compares
/// fencing tokens, and nothing else.
void JudgeWrites(const History& history, bool by_token, std::vector<Violation>& violations);

struct Property;
extern const Property kFencedWritesProperty;

}  // namespace interlock::scenarios
