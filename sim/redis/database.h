// SPDX-License-Identifier: MIT
//
// One of a server's databases, as plain data: keys with their values and expiries.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>

#include "sim/redis/data.h"

namespace interlock::sim::redis {

/// What OBJECT ENCODING says of a string depends on how it was made.
enum class StringForm : std::uint8_t {
  kShortest,  ///< "int" if it is a number, else as kText
  kCopied,    ///< as kShortest, but a small number is not shared with other keys
  kText,      ///< "embstr" if short, else "raw"
  kRaw,
};

struct Entry {
  Data data;
  std::int64_t expires_at_ms = kNoExpiry;
  std::int64_t accessed_ms = 0;  // OBJECT IDLETIME, and eviction of the least recently used.
  StringForm form = StringForm::kShortest;
  std::size_t size = 0;  // As accounted for, while memory is tracked.

  /// It is not expired at its expiry, but after it.
  bool IsExpiredAt(std::int64_t now_ms) const {
    return expires_at_ms >= 0 && now_ms > expires_at_ms;
  }
};

inline constexpr int kDatabases = 16;
using Database = std::map<std::string, Entry, std::less<>>;
using Databases = std::array<Database, kDatabases>;

}  // namespace interlock::sim::redis
