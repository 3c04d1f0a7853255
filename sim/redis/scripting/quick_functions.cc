// SPDX-License-Identifier: MIT
#include "sim/redis/scripting/quick_functions.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include "sim/redis/scripting/plain_pattern.h"
#include "sim/redis/text.h"

namespace interlock::sim::redis {

namespace {

using Count = std::optional<std::size_t>;
using Values = std::span<const QuickValue>;
using Kind = QuickValue::Kind;

Count One(const QuickValue& value, QuickValue* results) {
  *results = value;
  return 1;
}

Count ToNumber(Values arguments, QuickMemory& /*memory*/, QuickValue* results) {
  if (arguments.size() != 1) return std::nullopt;
  if (arguments[0].kind <= Kind::kTrue) return One({}, results);
  const std::optional<double> number = QuickNumber(arguments[0]);
  return number ? One(QuickValue::Of(*number), results) : std::nullopt;
}

Count ToText(Values arguments, QuickMemory& memory, QuickValue* results) {
  if (arguments.size() != 1) return std::nullopt;
  const QuickText text(arguments[0]);
  if (!text.known() || !memory.Copy(text.view(), results)) return std::nullopt;
  return 1;
}

Count Unpack(Values arguments, QuickMemory& /*memory*/, QuickValue* results) {
  if (arguments.size() != 1 || arguments[0].kind != Kind::kTable) return std::nullopt;
  const QuickTable& table = *arguments[0].as.table;
  if (table.size > QuickFunction::kMostResults) return std::nullopt;
  std::copy_n(table.values, table.size, results);
  return table.size;
}

// For a loop, which needs none of Lua's other two results.
Count Ipairs(Values arguments, QuickMemory& memory, QuickValue* results) {
  if (arguments.size() != 1 || arguments[0].kind != Kind::kTable) return std::nullopt;
  QuickIterator* const iterator = memory.Iterator();
  if (iterator == nullptr) return std::nullopt;
  *iterator = {arguments[0].as.table, {}, {}, 0};
  return One({Kind::kIterator, false, 0, {.iterator = iterator}}, results);
}

Count CopyCaptures(const PlainPattern& pattern, QuickMemory& memory, QuickValue* results) {
  for (const std::string_view one : pattern.found()) {
    if (!memory.Copy(one, results++)) return std::nullopt;
  }
  return pattern.found().size();
}

// The byte at which a search begins; nothing: it is none of the text.
Count StartOf(const QuickValue& init, std::size_t size) {
  const std::optional<std::int64_t> place =
      init.is_number() ? WholeOf(init.as.number) : std::nullopt;
  if (!place.has_value() || *place < 1 || *place > static_cast<std::int64_t>(size) + 1) {
    return std::nullopt;
  }
  return static_cast<std::size_t>(*place) - 1;
}

Count Match(Values arguments, QuickMemory& memory, QuickValue* results) {
  if (arguments.size() < 2 || arguments.size() > 3) return std::nullopt;
  if (!arguments[0].is_text() || !arguments[1].is_text()) return std::nullopt;
  const std::string_view text = arguments[0].text();
  Count from = 0;
  if (arguments.size() == 3) from = StartOf(arguments[2], text.size());
  PlainPattern pattern(arguments[1].text());
  if (!from.has_value() || !pattern.plain()) return std::nullopt;
  if (!pattern.Find(text, *from)) return One({}, results);
  return CopyCaptures(pattern, memory, results);
}

Count Gmatch(Values arguments, QuickMemory& memory, QuickValue* results) {
  if (arguments.size() != 2) return std::nullopt;
  if (!arguments[0].is_text() || !arguments[1].is_text()) return std::nullopt;
  const PlainPattern pattern(arguments[1].text());
  QuickIterator* const iterator = memory.Iterator();
  if (!pattern.plain() || pattern.anchored() || iterator == nullptr) return std::nullopt;
  *iterator = {nullptr, arguments[1].text(), arguments[0].text(), 0};
  return One({Kind::kIterator, false, 0, {.iterator = iterator}}, results);
}

Count Format(Values arguments, QuickMemory& memory, QuickValue* results) {
  if (arguments.size() != 2 || !arguments[0].is_text() || !arguments[1].is_number()) {
    return std::nullopt;
  }
  const std::string_view form = arguments[0].text();
  const double number = arguments[1].as.number;
  if ((form != "%.0f" && form != "%d") || !IsPlainWhole(number)) return std::nullopt;
  NumberText digits;
  const std::size_t size = FormatWhole(number, &digits);
  if (!memory.Copy({digits.data(), size}, results)) return std::nullopt;
  return 1;
}

// Of a text that is no pattern: find(text, part, from, true).
Count Find(Values arguments, QuickMemory& /*memory*/, QuickValue* results) {
  if (arguments.size() != 4 || !arguments[0].is_text() || !arguments[1].is_text() ||
      arguments[3].kind != Kind::kTrue) {
    return std::nullopt;
  }
  const std::string_view text = arguments[0].text();
  const std::string_view part = arguments[1].text();
  const Count from = StartOf(arguments[2], text.size());
  if (!from.has_value()) return std::nullopt;
  const std::size_t at = text.find(part, *from);
  if (at == std::string_view::npos) return One({}, results);
  results[0] = QuickValue::Of(static_cast<double>(at + 1));
  results[1] = QuickValue::Of(static_cast<double>(at + part.size()));
  return 2;
}

// A place in a text, counted from 1 on or, if negative, from its end; 0: before all of it.
std::optional<std::int64_t> PlaceIn(const QuickValue& value, std::int64_t size) {
  if (!value.is_number()) return std::nullopt;
  const std::optional<std::int64_t> place = WholeOf(value.as.number);
  if (!place.has_value() || *place >= 0) return place;
  return std::max<std::int64_t>(0, *place + size + 1);
}

Count Sub(Values arguments, QuickMemory& memory, QuickValue* results) {
  if (arguments.size() < 2 || arguments.size() > 3 || !arguments[0].is_text()) return std::nullopt;
  const std::string_view text = arguments[0].text();
  const auto size = static_cast<std::int64_t>(text.size());
  const auto first = PlaceIn(arguments[1], size);
  const auto last = arguments.size() == 3 ? PlaceIn(arguments[2], size) : size;
  if (!first.has_value() || !last.has_value()) return std::nullopt;
  const auto from = static_cast<std::size_t>(std::max<std::int64_t>(*first, 1) - 1);
  const auto to = static_cast<std::size_t>(std::min(*last, size));
  const std::string_view part = from < to ? text.substr(from, to - from) : std::string_view();
  if (!memory.Copy(part, results)) return std::nullopt;
  return 1;
}

Count Extreme(Values arguments, bool largest, QuickValue* results) {
  std::optional<double> extreme;
  for (const QuickValue& one : arguments) {
    const std::optional<double> number = QuickNumber(one);
    if (!number.has_value()) return std::nullopt;
    if (!extreme || (largest ? *number > *extreme : *number < *extreme)) extreme = number;
  }
  return extreme ? One(QuickValue::Of(*extreme), results) : std::nullopt;
}

Count Max(Values arguments, QuickMemory& /*memory*/, QuickValue* results) {
  return Extreme(arguments, true, results);
}

Count Min(Values arguments, QuickMemory& /*memory*/, QuickValue* results) {
  return Extreme(arguments, false, results);
}

Count Floor(Values arguments, QuickMemory& /*memory*/, QuickValue* results) {
  const std::optional<double> number =
      arguments.size() == 1 ? QuickNumber(arguments[0]) : std::nullopt;
  return number ? One(QuickValue::Of(std::floor(*number)), results) : std::nullopt;
}

Count TableConcat(Values arguments, QuickMemory& memory, QuickValue* results) {
  if (arguments.size() != 1 || arguments[0].kind != Kind::kTable) return std::nullopt;
  const Values values(arguments[0].as.table->values, arguments[0].as.table->size);
  std::size_t size = 0;
  for (const QuickValue& one : values) {
    if (!one.is_text()) return std::nullopt;
    size += one.size;
  }
  char* const text = memory.Text(size);
  if (text == nullptr) return std::nullopt;
  char* to = text;
  for (const QuickValue& one : values) to = std::copy_n(one.as.text, one.size, to);
  return One(QuickValue::Of(std::string_view(text, size)), results);
}

Count TableRemove(Values arguments, QuickMemory& /*memory*/, QuickValue* results) {
  if (arguments.size() != 2 || arguments[0].kind != Kind::kTable) return std::nullopt;
  QuickTable& table = *arguments[0].as.table;
  const Count at = StartOf(arguments[1], table.size);
  if (!at.has_value() || *at >= table.size) return std::nullopt;
  const QuickValue removed = table.values[*at];
  std::copy(table.values + *at + 1, table.values + table.size, table.values + *at);
  --table.size;
  return One(removed, results);
}

constexpr QuickFunction kQuickFunctions[] = {{"redis", "call"},
                                             {"redis", "pcall", nullptr, /*catches=*/true},
                                             {"", "tonumber", &ToNumber},
                                             {"", "tostring", &ToText},
                                             {"", "unpack", &Unpack},
                                             {"", "ipairs", &Ipairs, false, /*for_loops=*/true},
                                             {"string", "match", &Match},
                                             {"string", "gmatch", &Gmatch},
                                             {"string", "format", &Format},
                                             {"string", "find", &Find},
                                             {"string", "sub", &Sub},
                                             {"math", "max", &Max},
                                             {"math", "min", &Min},
                                             {"math", "floor", &Floor},
                                             {"table", "concat", &TableConcat},
                                             {"table", "remove", &TableRemove}};

}  // namespace

const QuickFunction* FindQuickFunction(std::string_view library, std::string_view name) {
  for (const QuickFunction& one : kQuickFunctions) {
    if (one.library == library && one.name == name) return &one;
  }
  return nullptr;
}

std::optional<double> QuickNumber(const QuickValue& value) {
  constexpr std::size_t kMostDigits = 18;  // Fits into 64 bits, and is rounded once, as by strtod.
  if (value.is_number()) return value.as.number;
  if (!value.is_text() || value.size == 0 || value.size > kMostDigits) return std::nullopt;
  std::int64_t number = 0;
  for (const char c : value.text()) {
    if (c < '0' || c > '9') return std::nullopt;
    number = number * 10 + (c - '0');
  }
  return static_cast<double>(number);
}

std::optional<std::int64_t> WholeOf(double number) {
  constexpr double kBeyond = 1e15;
  if (!(number > -kBeyond && number < kBeyond)) return std::nullopt;
  const auto whole = static_cast<std::int64_t>(number);
  if (static_cast<double>(whole) != number) return std::nullopt;
  return whole;
}

QuickText::QuickText(const QuickValue& value) {
  constexpr double kBeyond = 1e14;  // Lua prints 14 digits.
  if (value.is_text()) {
    text_ = value.text();
  } else if (value.is_number() && IsPlainWhole(value.as.number) &&
             std::abs(value.as.number) < kBeyond) {
    text_ = {digits_.data(), FormatWhole(value.as.number, &digits_)};
  }
}

std::optional<double> CalculateQuickly(std::uint32_t operation, const QuickValue& left,
                                       const QuickValue& right) {
  const std::optional<double> one = QuickNumber(left);
  const std::optional<double> other = QuickNumber(right);
  if (!one.has_value() || !other.has_value()) return std::nullopt;
  double result = std::numeric_limits<double>::quiet_NaN();
  if (operation == LuaInstruction::kAdd) result = *one + *other;
  if (operation == LuaInstruction::kSubtract) result = *one - *other;
  if (operation == LuaInstruction::kMultiply) result = *one * *other;
  if (operation == LuaInstruction::kDivide) result = *one / *other;
  if (operation == LuaInstruction::kNegate) result = -*other;
  // The sign of what is no number shows, and depends on the machine.
  return std::isnan(result) ? std::nullopt : std::optional(result);
}

std::optional<bool> CompareQuickly(std::uint32_t operation, const QuickValue& left,
                                   const QuickValue& right) {
  if (left.is_number() && right.is_number()) {
    const double one = left.as.number;
    const double other = right.as.number;
    return operation == LuaInstruction::kEqual  ? one == other
           : operation == LuaInstruction::kLess ? one < other
                                                : one <= other;
  }
  if (operation != LuaInstruction::kEqual) return std::nullopt;
  if (left.kind != right.kind) return false;
  if (left.kind > Kind::kText) return std::nullopt;
  return !left.is_text() || left.text() == right.text();
}

std::optional<std::size_t> AdvanceQuickly(QuickIterator& iterator, QuickMemory& memory,
                                          QuickValue* results) {
  if (iterator.table != nullptr) {
    if (iterator.next >= iterator.table->size) return One({}, results);
    results[0] = QuickValue::Of(static_cast<double>(iterator.next + 1));
    results[1] = iterator.table->values[iterator.next++];
    return 2;
  }
  PlainPattern pattern(iterator.pattern);
  const bool found =
      iterator.next <= iterator.text.size() && pattern.Find(iterator.text, iterator.next);
  if (!found) return One({}, results);
  iterator.next = pattern.end() + (pattern.end() == pattern.begin() ? 1 : 0);
  return CopyCaptures(pattern, memory, results);
}

}  // namespace interlock::sim::redis
