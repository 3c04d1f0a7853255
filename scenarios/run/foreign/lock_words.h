// SPDX-License-Identifier: MIT
//
// What commands and values reveal about locks. Pure functions. Times are Unix times in ms.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "sim/redis/server.h"

namespace interlock::scenarios::drive {

/// The key that a SETNX, a SET with NX, or the like acquires if it is free.
std::optional<std::string> AskedFor(const sim::redis::Argv& argv);
/// The key whose existence or owner a command checks.
std::optional<std::string> LookedAt(const sim::redis::Argv& argv);
/// The key to which a command gives a value, whatever it had before.
std::optional<std::string> Overwritten(const sim::redis::Argv& argv);
/// The same, or the hash whose counter it moves: by a client that has found nothing there, this is
/// how re-entrant locks are made (Redisson's, for instance).
std::optional<std::string> Created(const sim::redis::Argv& argv);
/// Whether its reply tells the previous value, so that a client that overwrote something can
/// restore it.
bool TellsWhatWasThere(const sim::redis::Argv& argv);
/// Whether the command is a counter, which refused clients increment, too.
bool Counts(const sim::redis::Argv& argv);

/// The end of a lease as written down by its client, if the server does not enforce it.
struct WrittenTime {
  std::int64_t ms = 0;
  bool whole_seconds = false;
};
/// A Unix time in s, ms or us less than a day away; nullopt: the word is none.
std::optional<WrittenTime> TimeOf(const std::string& word, std::int64_t now_ms);
/// The same for any part of the word, if it is in the future.
std::optional<WrittenTime> TimeToComeIn(const std::string& word, std::int64_t now_ms);

/// A command that removes entries older than `age_ms` from a sorted set: the age limit of an entry;
/// 0: scores are the ends of leases.
struct Purge {
  std::string key;
  std::int64_t age_ms = 0;
};
std::optional<Purge> PurgeOf(const sim::redis::Argv& argv, std::int64_t now_ms);

}  // namespace interlock::scenarios::drive
