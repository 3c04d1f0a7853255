// SPDX-License-Identifier: MIT
//
// Functions of Lua's libraries for scripts that run without it (quick_run.h), in the cases that
// they need. Pure functions, but for the memory.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "sim/redis/scripting/lua_code.h"
#include "sim/redis/scripting/quick_value.h"

namespace interlock::sim::redis {

/// As Lua converts it: a number, or a text of at most 18 decimal digits. Other texts that Lua reads
/// as numbers are none here.
std::optional<double> QuickNumber(const QuickValue& value);
/// Nothing: it is not whole, or very large.
std::optional<std::int64_t> WholeOf(double number);
/// As Lua prints it: a text, or a whole number of at most 14 digits. Nothing: it is another one.
class QuickText {
 public:
  explicit QuickText(const QuickValue& value);
  bool known() const { return text_.data() != nullptr; }
  std::string_view view() const { return text_; }

 private:
  std::array<char, 24> digits_;
  std::string_view text_;
};

/// An operation of Lua on two numbers, or on the right one alone. Nothing: it is another one, or
/// these or the result are no numbers.
std::optional<double> CalculateQuickly(std::uint32_t operation, const QuickValue& left,
                                       const QuickValue& right);
/// Whether it holds: kEqual, kLess or kLessOrEqual. Nothing: Lua has to say.
std::optional<bool> CompareQuickly(std::uint32_t operation, const QuickValue& left,
                                   const QuickValue& right);

/// How many results it has written to `results`, where there is room for kMostResults; they may
/// overlap the arguments. Nothing: this case is left to Lua. REQUIRES: it is a function of Lua.
inline constexpr std::size_t kMostResults = 32;
std::optional<std::size_t> CallQuickly(QuickFunction function,
                                       std::span<const QuickValue> arguments, QuickMemory& memory,
                                       QuickValue* results);
/// What the iterator returns next; one nil at its end.
std::optional<std::size_t> AdvanceQuickly(QuickIterator& iterator, QuickMemory& memory,
                                          QuickValue* results);

}  // namespace interlock::sim::redis
