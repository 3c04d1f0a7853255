// SPDX-License-Identifier: MIT
#include "reports/protobuf.h"

namespace interlock::reports {
namespace {

// Wire types: the low three bits of a field's tag.
constexpr std::uint64_t kVarint = 0;
constexpr std::uint64_t kFixed64 = 1;
constexpr std::uint64_t kLengthDelimited = 2;

std::uint64_t Tag(std::uint32_t field, std::uint64_t layout) {
  return std::uint64_t{field} << 3 | layout;
}

}  // namespace

void ProtoMessage::Varint(std::uint32_t field, std::uint64_t value) {
  Raw(Tag(field, kVarint));
  Raw(value);
}

void ProtoMessage::Fixed64(std::uint32_t field, std::uint64_t value) {
  Raw(Tag(field, kFixed64));
  for (int shift = 0; shift < 64; shift += 8) {
    bytes_ += static_cast<char>(static_cast<unsigned char>(value >> shift));
  }
}

void ProtoMessage::Bytes(std::uint32_t field, std::string_view value) {
  Raw(Tag(field, kLengthDelimited));
  Raw(value.size());
  bytes_ += value;
}

void ProtoMessage::Raw(std::uint64_t value) {
  for (; value >= 0x80; value >>= 7) {
    bytes_ += static_cast<char>(static_cast<unsigned char>(value | 0x80));
  }
  bytes_ += static_cast<char>(static_cast<unsigned char>(value));
}

}  // namespace interlock::reports
