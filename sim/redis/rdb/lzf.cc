// SPDX-License-Identifier: MIT
#include "sim/redis/rdb/lzf.h"

#include <cstdint>

#include "sim/redis/rdb/bytes.h"

namespace interlock::sim::redis {

namespace {

constexpr std::uint64_t kLiterals = 32;   // A smaller first byte n starts n + 1 literals.
constexpr std::uint64_t kLongLength = 7;  // The length continues in another byte.

// The first byte of a reference has three bits of its length and five of its distance.
bool ReadReference(std::uint64_t first, ByteReader* reader, std::uint64_t* length,
                   std::uint64_t* distance) {
  *length = first >> 5;
  std::uint64_t more = 0;
  if (*length == kLongLength) {
    if (!reader->LittleEndian(1, &more)) return false;
    *length += more;
  }
  if (!reader->LittleEndian(1, &more)) return false;
  *length += 2;
  *distance = ((first & 0x1f) << 8 | more) + 1;
  return true;
}

}  // namespace

std::optional<std::string> ExpandLzf(std::string_view compressed, std::size_t size) {
  ByteReader reader(compressed);
  std::string text;
  while (!reader.AtEnd()) {
    std::uint64_t first = 0;
    reader.LittleEndian(1, &first);
    if (first < kLiterals) {
      std::string_view literals;
      if (!reader.Bytes(first + 1, &literals)) return std::nullopt;
      text.append(literals);
    } else {
      std::uint64_t length = 0;
      std::uint64_t distance = 0;
      if (!ReadReference(first, &reader, &length, &distance)) return std::nullopt;
      if (distance > text.size()) return std::nullopt;
      // Byte by byte: a reference may overlap its own output.
      for (; length > 0; --length) {
        text.push_back(text[text.size() - static_cast<std::size_t>(distance)]);
      }
    }
    if (text.size() > size) return std::nullopt;
  }
  if (text.size() != size) return std::nullopt;
  return text;
}

}  // namespace interlock::sim::redis
