// SPDX-License-Identifier: MIT
//
// Values of scripts that run without Lua (quick_run.h), and the memory in which they lie. Texts are
// where they came from: among the script's constants and inputs, in a reply, or in this memory;
// each is followed by a NUL byte. Nothing is freed before the script's end, and what does not fit
// is a reason to leave the script to Lua. Thread safety: plain data.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>

namespace interlock::sim::redis {

struct QuickFunction;
struct QuickScript;
struct QuickTable;
struct QuickClosure;
struct QuickIterator;

struct QuickValue {
  enum class Kind : std::uint8_t {
    kNil,
    kFalse,
    kTrue,
    kNumber,
    kText,
    kStatus,  ///< the table {ok = text}
    kError,   ///< the table {err = text}, of redis.pcall
    kTable,
    kFunction,
    kClosure,
    kIterator
  };

  static QuickValue Boolean(bool truth) {
    return {truth ? Kind::kTrue : Kind::kFalse, false, 0, {}};
  }
  static QuickValue Of(double number) { return {Kind::kNumber, false, 0, {.number = number}}; }
  static QuickValue Of(std::string_view text, Kind kind = Kind::kText) {
    return {kind, false, static_cast<std::uint32_t>(text.size()), {.text = text.data()}};
  }
  static QuickValue Of(QuickTable* table) { return {Kind::kTable, false, 0, {.table = table}}; }
  static QuickValue Of(const QuickFunction* function) {
    return {Kind::kFunction, false, 0, {.function = function}};
  }

  bool truth() const { return kind != Kind::kNil && kind != Kind::kFalse; }
  bool is_number() const { return kind == Kind::kNumber; }
  bool is_text() const { return kind == Kind::kText; }
  /// REQUIRES: a text, a status or an error.
  std::string_view text() const { return {as.text, size}; }

  Kind kind = Kind::kNil;
  bool constant = false;   ///< a text of the script itself, which lies there as long as it does
  std::uint32_t size = 0;  ///< of a text, in bytes
  union {
    double number;
    const char* text;
    QuickTable* table;
    const QuickFunction* function;
    QuickClosure* closure;
    QuickIterator* iterator;
  } as = {.number = 0};
};

/// An array: what has other keys than 1, 2, 3 is left to Lua.
struct QuickTable {
  QuickValue* values = nullptr;
  std::uint32_t size = 0;
  std::uint32_t capacity = 0;
};

struct QuickClosure {
  static constexpr std::size_t kMostUpvalues = 12;
  const QuickScript* code = nullptr;
  std::array<QuickValue*, kMostUpvalues> upvalues{};
};

/// Of string.gmatch or, if it has a table, of ipairs.
struct QuickIterator {
  const QuickTable* table = nullptr;
  std::string_view pattern;
  std::string_view text;
  std::size_t next = 0;
};

class QuickMemory {
 public:
  /// Everything in it is gone.
  void Clear() { values_used_ = texts_used_ = tables_used_ = closures_used_ = iterators_used_ = 0; }

  /// Null: there is no room. Values are unspecified.
  QuickValue* Values(std::size_t count) { return Take(values_, values_used_, count); }
  QuickTable* Table() { return Take(tables_, tables_used_, 1); }
  QuickClosure* Closure() { return Take(closures_, closures_used_, 1); }
  QuickIterator* Iterator() { return Take(iterators_, iterators_used_, 1); }
  /// For a text of so many bytes, with its NUL behind it.
  char* Text(std::size_t size) {
    char* const text = Take(texts_, texts_used_, size + 1);
    if (text != nullptr) text[size] = '\0';
    return text;
  }
  bool Copy(std::string_view text, QuickValue* copy) {
    char* const bytes = Text(text.size());
    if (bytes == nullptr) return false;
    if (!text.empty()) std::memcpy(bytes, text.data(), text.size());
    *copy = QuickValue::Of(std::string_view(bytes, text.size()));
    return true;
  }

 private:
  template <typename T, std::size_t kSize>
  static T* Take(std::array<T, kSize>& all, std::size_t& used, std::size_t count) {
    if (count > kSize - used) return nullptr;
    T* const first = all.data() + used;
    used += count;
    return first;
  }

  std::size_t values_used_ = 0;
  std::size_t texts_used_ = 0;
  std::size_t tables_used_ = 0;
  std::size_t closures_used_ = 0;
  std::size_t iterators_used_ = 0;
  std::array<QuickValue, 1024> values_;
  std::array<char, 16384> texts_;
  std::array<QuickTable, 64> tables_;
  std::array<QuickClosure, 32> closures_;
  std::array<QuickIterator, 8> iterators_;
};

}  // namespace interlock::sim::redis
