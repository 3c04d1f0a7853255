// SPDX-License-Identifier: MIT
//
// The conditions of EXPIRE and its relatives, and of HEXPIRE: NX, XX, GT, LT.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace interlock::sim::redis {

struct Context;

struct ExpireOptions {
  bool nx = false;
  bool xx = false;
  bool gt = false;
  bool lt = false;
};

/// On failure replies an error and returns false.
bool ParseExpireOptions(Context& c, std::span<const std::string_view> words, ExpireOptions* o);
/// Whether a TTL may be changed from `current` to `when`; having none counts as the longest.
bool Permits(const ExpireOptions& o, std::int64_t current, std::int64_t when);

}  // namespace interlock::sim::redis
