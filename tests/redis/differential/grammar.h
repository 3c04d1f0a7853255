// SPDX-License-Identifier: MIT
//
// The commands that the comparison generates, as patterns (arguments.h), by concept. Patterns of
// commands that the fake does not model yet may stand here: they are passed over.
//
// A pattern that begins with ! is taken as it is or with a wrong number of arguments, but no
// argument of it is exchanged: an odd one would end the comparison (a time-out that runs out) or
// have no comparable answer (a random choice).
#pragma once

#include <span>
#include <string_view>

#include "sim/redis/server.h"

namespace interlock::testing {

using Patterns = std::span<const std::string_view>;

Patterns StringPatterns();
Patterns BitPatterns();
Patterns KeyPatterns();
Patterns ListPatterns();
Patterns HashPatterns();
/// TTLs of fields; none for a server without them.
Patterns FieldPatterns();
Patterns SetPatterns();
Patterns SortedSetPatterns();
Patterns SortPatterns();

/// What every connection may send at any time: PUBLISH, PING, WAIT, ...
Patterns PlainPatterns();
/// Commands that choose at random, with nothing to choose: anywhere.
Patterns NoChoicePatterns();
/// The same with a choice, by themselves only: see IsRandomChoice.
Patterns ChoosingPatterns();

Patterns BlockingPatterns();
/// What wakes those that BlockingPatterns block.
Patterns WakingPatterns();
Patterns PubSubPatterns();
Patterns TransactionPatterns();
Patterns ConnectionPatterns();
Patterns ScriptingPatterns();
Patterns SettingPatterns();
Patterns TrackingPatterns();

/// What a sequence may begin with: one key of each type, and one whose time is over.
Patterns PopulatingPatterns();

/// Whether the command, by itself or in a script, is of FieldPatterns and gives fields a TTL that
/// must be over before the next one: no two servers have quite the same time.
bool EndsSoon(const sim::redis::Argv& argv);

}  // namespace interlock::testing
