// SPDX-License-Identifier: MIT
//
// What a server sends: a reply or a message. Thread safety: plain data.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sim/redis/overwrite.h"

namespace interlock::sim::redis {

/// A reply or a message. RESP2 clients get none of the types after kArray: see ToResp2.
struct Value {
  enum class Type : std::uint8_t {
    kNil,
    kNilArray,  ///< RESP2's null array; a RESP3 client gets kNil
    kStatus,
    kError,
    kInteger,
    kString,
    kArray,
    kMap,  ///< elements: key, value, key, value ...
    kSet,
    kPush,
    kDouble,
    kBoolean,
    kBigNumber,
    kVerbatim,
  };
  Type type = Type::kNil;
  std::int64_t integer = 0;  ///< kInteger; kBoolean: 0 or 1
  /// kStatus, kError (without the minus), kString, kBigNumber; kDouble: as printed (%.17g);
  /// kVerbatim: without its format
  std::string text;
  /// Elements of aggregates; kVerbatim: one string, the format (3 bytes), if it is not "txt"
  std::vector<Value> elements;
  bool operator==(const Value&) const = default;
  /// Makes it nil, keeping its memory.
  void Clear() {
    type = Type::kNil;
    integer = 0;
    text.clear();
    elements.clear();
  }
  void Swap(Value& other) noexcept {
    std::swap(type, other.type);
    std::swap(integer, other.integer);
    text.swap(other.text);
    elements.swap(other.elements);
  }
  /// Makes it an array of two strings, reusing memory.
  void SetPair(std::string_view first, std::string_view second) {
    Clear();
    type = Type::kArray;
    elements.resize(2);
    for (Value& element : elements) element.type = Type::kString;
    Overwrite(&elements[0].text, first);
    Overwrite(&elements[1].text, second);
  }
};

}  // namespace interlock::sim::redis
