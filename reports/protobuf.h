// SPDX-License-Identifier: MIT
//
// Builds the bytes of a protocol buffer message, field by field, in the order of the calls, so that
// writing a viewer's format needs no generated code (source: the encoding guide of protobuf.dev).
//
// Guarantee: equal calls give equal bytes in every build. Non-guarantee: the caller must know the
// numbers and types of the fields, and strings must be valid UTF-8. Thread safety: as any value.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace interlock::reports {

class ProtoMessage {
 public:
  /// For bool, enum, uint32 and uint64; also for int32 and int64 if the value is not negative.
  /// REQUIRES, here and below: `field` is from 1 to 2^29 - 1.
  void Varint(std::uint32_t field, std::uint64_t value);
  void Fixed64(std::uint32_t field, std::uint64_t value);
  /// For string and bytes.
  void Bytes(std::uint32_t field, std::string_view value);
  void Message(std::uint32_t field, const ProtoMessage& value) { Bytes(field, value.bytes()); }

  const std::string& bytes() const { return bytes_; }

 private:
  void Raw(std::uint64_t value);

  std::string bytes_;
};

}  // namespace interlock::reports
