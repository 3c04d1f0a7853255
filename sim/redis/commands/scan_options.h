// SPDX-License-Identifier: MIT
//
// The cursor and the options of SCAN, HSCAN, SSCAN and ZSCAN.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace interlock::sim::redis {

struct Context;

enum class ScanOf : std::uint8_t { kKeys, kHash, kSet, kSortedSet };

struct ScanOptions {
  std::string_view pattern = "*";
  std::string_view type;  // Its data() is null without TYPE.
  std::int64_t count = 10;
  bool names_only = false;  // NOVALUES, NOSCORES
};

/// Returns false, with an error as reply, if it is not an unsigned number.
bool ParseScanCursor(Context& c, std::string_view text, std::uint64_t* cursor);
/// Reads the options from argument `first` on; only SCAN takes TYPE. On failure replies an error
/// and returns false.
bool ParseScanOptions(Context& c, std::size_t first, ScanOf what, ScanOptions* options);

}  // namespace interlock::sim::redis
