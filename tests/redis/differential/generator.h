// SPDX-License-Identifier: MIT
//
// Commands for the comparison with a real server: few keys, few values, wrong types, odd numbers
// and options in every order, so that they collide. A function of the seed alone.
//
// What it never makes: commands that would kill a real server, random or relative answers that
// cannot be compared, and what the fake does not model.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "sim/redis/server.h"

namespace interlock::testing {

class Generator {
 public:
  explicit Generator(std::uint64_t seed) : state_(seed) {}

  std::uint64_t Below(std::uint64_t bound);
  bool Chance(std::uint64_t percent) { return Below(100) < percent; }

  /// A command that a client may always send, in a script and in MULTI too.
  sim::redis::Argv DataCommand();
  /// Transactions, subscriptions, blocking pops, scripts, settings of the connection.
  sim::redis::Argv SpecialCommand();
  sim::redis::Argv Script();

 private:
  std::uint64_t Next();
  template <std::size_t N>
  std::string Pick(const std::string_view (&choices)[N]) {
    return std::string(choices[Below(N)]);
  }
  sim::redis::Argv Expand(std::string_view pattern);
  void ExpandWord(std::string_view word, sim::redis::Argv* argv);
  std::string Value();
  std::string Number();
  void Distort(sim::redis::Argv* argv);

  std::uint64_t state_;
};

}  // namespace interlock::testing
