// SPDX-License-Identifier: MIT
//
// Replies, and error texts shared by many commands.
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
inline constexpr std::string_view kOutOfMemory =
    "OOM command not allowed when used memory > 'maxmemory'.";
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
inline Value AggregateValue(Value::Type type, std::vector<Value> elements) {
  Value value;
  value.type = type;
  value.elements = std::move(elements);
  return value;
}
inline Value ArrayValue(std::vector<Value> elements = {}) {
  return AggregateValue(Value::Type::kArray, std::move(elements));
}
/// An array of two texts.
inline Value PairValue(std::string_view first, std::string_view second) {
  Value pair;
  pair.SetPair(first, second);
  return pair;
}
/// Key, value, key, value ...
inline Value MapValue(std::vector<Value> elements = {}) {
  return AggregateValue(Value::Type::kMap, std::move(elements));
}
inline Value SetValue(std::vector<Value> elements = {}) {
  return AggregateValue(Value::Type::kSet, std::move(elements));
}
inline Value PushValue(std::vector<Value> elements) {
  return AggregateValue(Value::Type::kPush, std::move(elements));
}
/// `text` is the number as FormatDouble prints it.
inline Value DoubleValue(std::string_view text) { return TextValue(Value::Type::kDouble, text); }
inline Value VerbatimValue(std::string_view text) {
  return TextValue(Value::Type::kVerbatim, text);
}
inline Value BooleanValue(bool truth) {
  Value value;
  value.type = Value::Type::kBoolean;
  value.integer = truth ? 1 : 0;
  return value;
}

/// Converts to what a RESP2 client gets: maps, sets and pushes become arrays; doubles, big numbers
/// and verbatim strings become strings; booleans become 1 or 0.
void ToResp2(Value* value);
/// Turns the null array into null.
void ToResp3(Value* value);

}  // namespace interlock::sim::redis
