// SPDX-License-Identifier: MIT
//
// Strings as rows of bits: bit 0 is the most significant one of the first byte. Shared by the bit
// commands and BITFIELD.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "sim/redis/context.h"

namespace interlock::sim::redis {

/// Reads a bit's offset; if `field_bits` is not 0, "#2" is the one of the third field of that many
/// bits. False, with an error as reply, if it is no offset, or past the longest string.
bool ParseBitOffset(Context& c, std::string_view text, std::size_t field_bits, std::size_t* offset);

inline bool BitAt(std::string_view text, std::size_t offset) {
  const std::size_t byte = offset / 8;
  return byte < text.size() &&
         ((static_cast<unsigned char>(text[byte]) >> (7 - offset % 8)) & 1) != 0;
}
/// REQUIRES: the byte is there.
inline void PutBit(std::string* text, std::size_t offset, bool bit) {
  const unsigned mask = 1U << (7 - offset % 8);
  const unsigned byte = static_cast<unsigned char>((*text)[offset / 8]);
  (*text)[offset / 8] = static_cast<char>(bit ? byte | mask : byte & ~mask);
}

/// A command's first key, to be written up to this bit; it is made and grown, with zeros.
struct WrittenBits {
  std::string* text = nullptr;
  bool grown = false;
};
/// False, with WRONGTYPE as reply, if the key holds another type. Tells nobody: see Touch.
bool FindBitsToWrite(Context& c, std::size_t last_bit, WrittenBits* bits);

}  // namespace interlock::sim::redis
