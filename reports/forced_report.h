// SPDX-License-Identifier: MIT
//
// What became of cases that were replayed on real servers, as plain data, as text and as JSON.
// Foreign text is made safe. Thread safety: pure functions.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "reports/exit_code.h"
#include "reports/run_report.h"
#include "reports/text_layout.h"

namespace interlock::reports {

inline constexpr std::string_view kForcedSchema = "interlock.forced/1";

enum class Forced : std::uint8_t {
  kAgrees,     ///< every reply and all data were as simulated, and so is the verdict
  kDiffers,    ///< the real server did something else
  kNotForced,  ///< it cannot be done, or was cut short
};

struct ForcedDifferenceRow {
  std::string at;  ///< virtual time: "1240.000 ms"
  std::string who;
  std::string command;
  std::string what;
  std::string simulated;
  std::string real;
};

struct ForcedCase {
  std::string lock;
  std::string scenario;
  SynchronyClass synchrony = SynchronyClass::kNone;
  std::string source;                   ///< the file's name, or the token
  std::vector<std::string> violations;  ///< of the simulated run: "LK005 foreign-release"
  std::vector<std::string> faults;      ///< of it: "pause"
  Forced outcome = Forced::kNotForced;
  std::string reason;  ///< of kNotForced
  std::optional<ForcedDifferenceRow> difference;
  std::uint64_t commands = 0;  ///< that the real servers executed
  std::uint64_t replies = 0;   ///< of theirs, compared
  std::uint64_t forged = 0;    ///< errors that a fault put into a server's mouth
  int attempts = 0;
  int haste = 0;  ///< thousandths of the simulated time that the last one left out
  std::chrono::milliseconds took{};
};

struct ForcedReport {
  ToolInfo tool;
  std::string backend;  ///< "redis-server 7.0.15 of its own"
  std::vector<ForcedCase> cases;
};

/// 0 as simulated, without a violation; 1: with one; 70: the simulator and the server differ; 2: it
/// was not forced.
ExitCode ExitCodeOf(const ForcedCase& one);

/// "REPRODUCED", "AGREES", "DIFFERS" or "NOT FORCED".
std::string_view Headline(const ForcedCase& one);

std::string ToText(const ForcedReport& report, const TextOptions& options);
std::string ToJson(const ForcedReport& report);

}  // namespace interlock::reports
