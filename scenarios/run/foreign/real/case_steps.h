// SPDX-License-Identifier: MIT
//
// A case of foreign clients as steps that can be made again on real servers: who sends next, what
// strikes, what runs out. Read from the rows of the case's table, which say so for any client that
// meets the case later, a mended one too.
//
// Thread safety: pure functions.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <interlock/time.h>

#include "reports/run_report.h"
#include "scenarios/run/foreign/gate.h"
#include "sim/redis/server.h"

namespace interlock::scenarios::drive {

struct CaseStep {
  enum class Kind : std::uint8_t {
    kCommand,        ///< the client's next command is executed
    kCrash,          ///< the client is killed before its next command
    kStop,           ///< the client is stopped
    kGoOn,           ///< and continued
    kHandOver,       ///< a reply that was on its way arrives
    kForgetScripts,  ///< the servers do
    kExpiry,         ///< a key expires
    kLapse,          ///< the time that is in a key's value passes
    kEnd,            ///< the client ends by itself
  };
  Kind kind = Kind::kCommand;
  int client = -1;
  sim::redis::Argv argv = {};             ///< of the command
  std::string key = {};                   ///< that expires or lapses
  std::optional<std::string> reply = {};  ///< as text, if one is shown
  Gate::Outcome outcome = Gate::Outcome::kAnswered;
  bool crashes = false;  ///< the client is killed while its command is executed
  bool forced = false;   ///< the end of a lease that a fault brought about
  Duration at{};         ///< in the case
};

struct CaseSteps {
  std::vector<CaseStep> steps;
  std::string impossible;  ///< why they cannot be made on real servers; empty: they can
};

CaseSteps CaseStepsOf(const reports::Counterexample& example);

/// The words of a command that ToText has quoted.
sim::redis::Argv WordsOf(std::string_view text);

}  // namespace interlock::scenarios::drive
