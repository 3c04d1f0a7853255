// SPDX-License-Identifier: MIT
//
// The single-command faults of a served Redis, as armed by INTERLOCK.FAULT: plain data, and the
// decision which fault strikes a given command. The server applies the fault to the connection.
//
// Thread safety: none.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "sim/redis/dialect.h"

namespace interlock::sim::serve {

struct CommandFault {
  enum class Kind : std::uint8_t {
    kDelay,        ///< executed only after delay_us of the server's clock
    kError,        ///< answered with an error and not executed
    kDropReply,    ///< executed; then the connection is silent, in both directions
    kResetBefore,  ///< the connection breaks before it is executed
    kResetAfter,   ///< executed; the connection breaks before the reply
  };
  Kind kind = Kind::kDelay;
  std::int64_t delay_us = 0;
  std::string text;  ///< kError: without the minus
};

class CommandFaultPlan {
 public:
  using Words = std::span<const std::string>;

  /// Of a server of this kind, whose commands faults may be armed for.
  explicit CommandFaultPlan(const redis::Dialect& dialect = redis::DefaultDialect())
      : dialect_(&dialect) {}

  /// Whether Arm knows this word: DELAY, ERROR, DROPREPLY, RESETBEFORE, RESETAFTER.
  static bool Knows(std::string_view kind);
  /// Parses `DELAY ms [count] [TO client-name] [CMD command]` and the like; a command is one that
  /// the server knows: SET, "CLIENT SETNAME", CLIENT SETNAME, client|setname. Returns the fault's
  /// number, or the text of an error reply.
  std::variant<std::int64_t, std::string> Arm(Words words);
  void Clear() { rules_.clear(); }
  /// False: there is no such fault.
  bool Clear(std::int64_t number);

  bool empty() const { return rules_.empty(); }
  /// One line per armed fault, in order of arming: "1 DELAY 100 count 2 TO worker CMD set".
  std::vector<std::string> List() const;

  /// Takes the fault that strikes this command, the first that matches, reducing its count. `argv`
  /// is not empty.
  std::optional<CommandFault> Take(std::string_view client_name, Words argv);

 private:
  struct Rule {
    std::int64_t number = 0;
    CommandFault fault;
    std::optional<std::int64_t> left = 1;  // nullopt: unlimited.
    std::string client;                    // Empty: any.
    std::string command;                   // In lower case, e.g. "client|kill"; empty: any.
  };
  static bool Fits(const Rule& rule, std::string_view client_name, Words argv);

  const redis::Dialect* dialect_;
  std::vector<Rule> rules_;
  std::int64_t last_number_ = 0;
};

}  // namespace interlock::sim::serve
