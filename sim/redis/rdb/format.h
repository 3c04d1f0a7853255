// SPDX-License-Identifier: MIT
//
// Constants of Redis' snapshot format (rdb.h of 7.0).
#pragma once

#include <cstddef>
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
  kRdbLast = 20,
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

inline constexpr int kRdbVersion = 10;
inline constexpr std::size_t kVersionSize = 2;
inline constexpr std::size_t kChecksumSize = 8;

}  // namespace interlock::sim::redis
