// SPDX-License-Identifier: MIT
//
// Hostile Lua scripts from bytes that choose: calls of every library with counts at the edges,
// long texts, deep nesting, metatables, coroutines, errors that are tables, patterns that track
// back. Any bytes give a script, and the same bytes the same one.
//
// Thread safety: none.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace interlock::fuzz {

/// Bytes as a row of choices; past their end each is the first one.
class ByteChoices {
 public:
  explicit ByteChoices(std::string_view bytes) : bytes_(bytes) {}

  /// Less than `bound`, which is at most 256.
  std::size_t Below(std::size_t bound) {
    if (bytes_.empty()) return 0;
    const auto byte = static_cast<std::uint8_t>(bytes_.front());
    bytes_.remove_prefix(1);
    return byte % bound;
  }
  bool empty() const { return bytes_.empty(); }

 private:
  std::string_view bytes_;
};

enum class ScriptKind : std::uint8_t {
  /// Whatever there is: loops without an end, values beyond any memory, errors that nothing
  /// catches.
  kAnything,
  /// What redis-server 7.0.15 answers, too, within little time and memory, and without telling an
  /// address, a random number or what its collector does; every error is caught, because one that
  /// is a table without a text ends a real server.
  kComparable,
};

std::string HostileScript(ByteChoices* choices, ScriptKind kind);

}  // namespace interlock::fuzz
