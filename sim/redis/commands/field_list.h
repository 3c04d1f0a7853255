// SPDX-License-Identifier: MIT
//
// FIELDS numfields field [field ...], and the time before it, of the commands on the TTLs of
// fields. Redis wants FIELDS at one place; Valkey looks for it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "sim/redis/commands/set_options.h"
#include "sim/redis/context.h"

namespace interlock::sim::redis {

/// These reply an error and return false on failure.

/// What Redis says of a number of fields that is none, or below 1.
inline constexpr std::string_view kNoFieldCount = "ERR Number of fields must be a positive integer";

/// FIELDS stands at argument `at` and ends the command.
bool ParseFieldsAt(Context& c, std::size_t at, std::string_view wrong_count, Arguments* fields);

/// Finds FIELDS among the arguments from `first` on; it may not be the last one.
bool FindFields(Context& c, std::size_t first, std::size_t* at);
/// What follows FIELDS: a number, and so many times `size` arguments, which end the command.
bool ParseFieldsAfter(Context& c, std::size_t at, std::size_t size, std::string_view mismatch,
                      Arguments* fields);
inline constexpr std::string_view kFieldMismatch =
    "ERR numfields should be greater than 0 and match the provided number of fields";

/// A command that has nothing but a key and its fields: the hash (null: there is none) comes first
/// for Redis, and last for Valkey.
bool ParseHashFields(Context& c, std::string_view mismatch, Arguments* fields, Hash** hash);

/// An expiry in ms from a time in this unit; 0 and what has passed are fine.
bool ReadFieldExpiry(Context& c, std::string_view text, const TtlUnit& unit,
                     std::int64_t* expires_at_ms);

}  // namespace interlock::sim::redis
