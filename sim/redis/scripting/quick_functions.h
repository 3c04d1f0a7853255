// SPDX-License-Identifier: MIT
//
// Functions of Lua's libraries for scripts that run without it (quick_run.h), in the cases that
// they need. Pure functions, but for the memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "sim/redis/scripting/lua_code.h"
#include "sim/redis/scripting/quick_value.h"
#include "sim/redis/scripting/values.h"

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
  NumberText digits_;
  std::string_view text_;
};

/// An operation of Lua on two numbers, or on the right one alone. Nothing: it is another one, or
/// these or the result are no numbers.
std::optional<double> CalculateQuickly(std::uint32_t operation, const QuickValue& left,
                                       const QuickValue& right);
/// Whether it holds: kEqual, kLess or kLessOrEqual. Nothing: Lua has to say.
std::optional<bool> CompareQuickly(std::uint32_t operation, const QuickValue& left,
                                   const QuickValue& right);

/// A function that such scripts can use.
struct QuickFunction {
  /// Returns how many results it has written to `results`, where there is room for kMostResults;
  /// they may overlap the arguments. Nothing: this case is left to Lua.
  using Body = std::optional<std::size_t> (*)(std::span<const QuickValue> arguments,
                                              QuickMemory& memory, QuickValue* results);
  static constexpr std::size_t kMostResults = 32;

  std::string_view library;  ///< empty: it is global
  std::string_view name;
  Body body = nullptr;     ///< null: it runs a command
  bool catches = false;    ///< errors of that command: they are a result
  bool for_loops = false;  ///< it has not all of its results, and a loop needs no more
};

/// Null: such scripts cannot use it.
const QuickFunction* FindQuickFunction(std::string_view library, std::string_view name);
/// What the iterator returns next; one nil at its end.
std::optional<std::size_t> AdvanceQuickly(QuickIterator& iterator, QuickMemory& memory,
                                          QuickValue* results);

}  // namespace interlock::sim::redis
