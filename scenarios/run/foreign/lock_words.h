// SPDX-License-Identifier: MIT
//
// What commands and values say about locks. Pure functions. Times are Unix times in ms.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sim/redis/server.h"

namespace interlock::scenarios::drive {

/// The key that a SETNX, a SET with NX, or the like asks for, and is given if it is free.
std::optional<std::string> AskedFor(const sim::redis::Argv& argv);
/// The key that a command looks at, whether it is there or whose it is.
std::optional<std::string> LookedAt(const sim::redis::Argv& argv);
/// The key that a command gives a value, whatever stood there.
std::optional<std::string> Overwritten(const sim::redis::Argv& argv);
/// It says in its reply what stood there, so that a client that has overwritten something takes it
/// back.
bool TellsWhatWasThere(const sim::redis::Argv& argv);
/// A command that counts: a refused client counts, too.
bool Counts(const sim::redis::Argv& argv);

/// The end of a lease as its client writes it down, if the server does not see to that.
struct WrittenTime {
  std::int64_t ms = 0;
  bool whole_seconds = false;
};
/// A Unix time in s, ms or us that is less than a day away; nullopt: the word is none.
std::optional<WrittenTime> TimeOf(const std::string& word, std::int64_t now_ms);
/// The same, also of a part of the word, if it is yet to come.
std::optional<WrittenTime> TimeToComeIn(const std::string& word, std::int64_t now_ms);

/// A command that takes out of a sorted set what is older than `age_ms`: how old an entry may be
/// there; 0: scores are the ends of leases.
struct Purge {
  std::string key;
  std::int64_t age_ms = 0;
};
std::optional<Purge> PurgeOf(const sim::redis::Argv& argv, std::int64_t now_ms);

}  // namespace interlock::scenarios::drive
