// SPDX-License-Identifier: MIT
//
// Which static variables of code that is linked into the program itself change while it runs: all
// simulated processes share them, and all runs. Those of Interlock, of the C and C++ libraries and
// of a test framework are not looked at.
//
// The names come from the program's symbol table, so in a program that was stripped nothing is
// seen. Thread safety: none.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace interlock::sim::posix {

class ProgramStatics {
 public:
  /// Remembers their present values.
  ProgramStatics();
  /// The names of those that changed since then, sorted: "acme::cache", "sequence (lock.c)".
  std::vector<std::string> Changed() const;

  struct Variable {
    std::string name;
    std::span<const std::byte> bytes;
  };
  /// All that are looked at. Read once.
  static const std::vector<Variable>& All();

 private:
  std::vector<std::byte> values_;
};

}  // namespace interlock::sim::posix
