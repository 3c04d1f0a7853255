// SPDX-License-Identifier: MIT
//
// What a comparison has reached: for every modelled command each kind of reply, and each way to
// run it. What it must reach is a rule, so that a new command without a pattern is found.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "sim/redis/server.h"

namespace interlock::testing {

class Coverage {
 public:
  enum class Way : std::uint8_t { kDirect, kInMulti, kCall, kPcall };
  static constexpr std::size_t kWays = 4;

  /// A generic script counts as the command that it calls. `reply` is null if none came yet: the
  /// client is blocked, or held up, or has switched replies off.
  void Count(const sim::redis::Argv& argv, const sim::redis::Value* reply, Way way);
  void CountUnmodelled(const std::string& what) { ++unmodelled_[what]; }

  /// One line per command: how often each way, and each kind of reply.
  std::string Table() const;
  /// What the rule asks for and was not reached; one line each.
  std::vector<std::string> Gaps() const;

 private:
  struct Row {
    std::array<std::uint64_t, kWays> ways{};
    std::map<std::string, std::uint64_t> kinds;
  };
  static bool Succeeded(const Row& row);

  std::map<std::string, Row, std::less<>> rows_;
  std::map<std::string, std::uint64_t> unmodelled_;
};

/// The names of all commands that the fake models, in byte order; subcommands as "client|id".
std::vector<std::string_view> ModelledCommands();
bool IsModelled(const sim::redis::Argv& argv);

/// Why a command is not generated; empty: it is.
std::string_view WhyNotGenerated(std::string_view command);

}  // namespace interlock::testing
