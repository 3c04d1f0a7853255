// SPDX-License-Identifier: MIT
//
// Constants of Redis' snapshot format.
#pragma once

#include <cstdint>

namespace interlock::sim::redis {

enum RdbType : std::uint8_t {
  kRdbString = 0,
  kRdbSet = 2,
  kRdbHash = 4,
  kRdbSortedSet = 5,
  kRdbIntegerSet = 11,
  kRdbHashListpack = 16,
  kRdbSortedSetListpack = 17,
  kRdbQuicklist = 18,
  kRdbSetListpack = 20,    ///< since version 11, as is everything behind it
  kRdbTimedHash = 22,      ///< of Valkey, with TTLs of fields
  kRdbLibrary = 245,       ///< of functions
  kRdbEarlyLibrary = 246,  ///< as release candidates of Redis 7.0 wrote it
};

// The start of a length's first byte: its two highest bits, or all of it.
inline constexpr std::uint8_t kLengthOf6Bits = 0x00;
inline constexpr std::uint8_t kLengthOf14Bits = 0x40;
inline constexpr std::uint8_t kLengthOf32Bits = 0x80;
inline constexpr std::uint8_t kLengthOf64Bits = 0x81;
// A text not written as length and bytes.
inline constexpr std::uint8_t kTextInteger8 = 0xc0;
inline constexpr std::uint8_t kTextInteger16 = 0xc1;
inline constexpr std::uint8_t kTextInteger32 = 0xc2;
inline constexpr std::uint8_t kTextCompressed = 0xc3;

inline constexpr std::uint64_t kPlainNode = 1;   // One element, too long for a listpack.
inline constexpr std::uint64_t kPackedNode = 2;  // A listpack.

}  // namespace interlock::sim::redis
