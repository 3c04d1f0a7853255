// SPDX-License-Identifier: MIT
//
// The positions of a command's keys among its arguments, in terms of the key specifications that
// COMMAND INFO prints.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace interlock::sim::redis {

/// What a command does to a key. Exactly one of RO, RW, OW (overwrites) and RM is set, unless the
/// position holds no key (kKeyNot: a shard channel).
enum KeyFlag : std::uint16_t {
  kKeyRo = 1 << 0,
  kKeyRw = 1 << 1,
  kKeyOw = 1 << 2,
  kKeyRm = 1 << 3,
  kKeyAccess = 1 << 4,  // The content is returned to the client, or copied.
  kKeyUpdate = 1 << 5,
  kKeyInsert = 1 << 6,
  kKeyDelete = 1 << 7,
  kKeyNot = 1 << 8,
  kKeyIncomplete = 1 << 9,      // There may be more keys than the specification finds.
  kKeyVariableFlags = 1 << 10,  // The options decide which of the flags apply.
};

struct KeySpec {
  enum class Begin : std::uint8_t { kNone, kUnknown, kIndex, kKeyword };
  enum class Find : std::uint8_t { kUnknown, kRange, kCounted };

  std::uint16_t flags = 0;
  Begin begin = Begin::kNone;  ///< kNone: no specification at all
  Find find = Find::kUnknown;
  /// kIndex: where the keys begin. kKeyword: where the search for it begins; negative: counted from
  /// the end, and searched backwards.
  std::int8_t index = 0;
  /// kRange: the last key, relative to the first; negative: counted from the end of the arguments.
  std::int8_t last = 0;
  std::int8_t step = 1;
  std::int8_t limit = 0;          ///< kRange with last -1: n > 1 takes the first 1/n of the rest
  bool cuts_count = true;         ///< kCounted: to 32 bits, rather than refuse a count beyond them
  const char* keyword = nullptr;  ///< upper case
  const char* notes = nullptr;
};

inline constexpr std::size_t kMaxKeySpecs = 3;
using KeySpecs = std::array<KeySpec, kMaxKeySpecs>;

/// First and last key and step, as COMMAND described keys before there were specifications; `last`
/// is negative if it counts from the end. All 0: no keys at fixed positions.
struct KeyRange {
  std::int8_t first = 0;
  std::int8_t last = 0;
  std::int8_t step = 0;
};

}  // namespace interlock::sim::redis
