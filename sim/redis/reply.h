// SPDX-License-Identifier: MIT
//
// Replies and the error texts that many commands share.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sim/redis/server.h"

namespace interlock::sim::redis {

inline constexpr std::string_view kWrongType =
    "WRONGTYPE Operation against a key holding the wrong kind of value";
inline constexpr std::string_view kNotInteger = "ERR value is not an integer or out of range";
inline constexpr std::string_view kNotFloat = "ERR value is not a valid float";
inline constexpr std::string_view kSyntax = "ERR syntax error";
inline constexpr std::string_view kNoSuchKey = "ERR no such key";
inline constexpr std::string_view kOverflow = "ERR increment or decrement would overflow";
inline constexpr std::string_view kMustBePositive = "ERR value is out of range, must be positive";

inline Value TextValue(Value::Type type, std::string_view text) {
  Value value;
  value.type = type;
  value.text.assign(text);
  return value;
}
inline Value NilValue() { return Value(); }
inline Value NilArrayValue() {
  Value value;
  value.type = Value::Type::kNilArray;
  return value;
}
inline Value StatusValue(std::string_view text) { return TextValue(Value::Type::kStatus, text); }
inline Value ErrorValue(std::string_view text) { return TextValue(Value::Type::kError, text); }
inline Value StringValue(std::string_view text) { return TextValue(Value::Type::kString, text); }
inline Value IntegerValue(std::int64_t number) {
  Value value;
  value.type = Value::Type::kInteger;
  value.integer = number;
  return value;
}
inline Value ArrayValue(std::vector<Value> elements = {}) {
  Value value;
  value.type = Value::Type::kArray;
  value.elements = std::move(elements);
  return value;
}

}  // namespace interlock::sim::redis
