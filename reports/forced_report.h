// SPDX-License-Identifier: MIT
//
// The outcome of cases replayed on real servers, as plain data, as text and as JSON. Foreign text
// is made safe. Thread safety: pure functions.
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
  kAgrees,     ///< every reply, all data and the verdict are as simulated
  kDiffers,    ///< the real server behaved differently
  kNotForced,  ///< it cannot be replayed there, or the replay was cut short
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
  std::string source;                   ///< file name or token
  std::vector<std::string> violations;  ///< of the simulated run: "LK005 foreign-release"
  std::vector<std::string> faults;      ///< of the simulated run: "pause"
  Forced outcome = Forced::kNotForced;
  std::string reason;  ///< of kNotForced
  std::optional<ForcedDifferenceRow> difference;
  std::uint64_t commands = 0;  ///< that the real servers executed
  std::uint64_t replies = 0;   ///< replies of the real servers that were compared
  std::uint64_t forged = 0;    ///< error replies that a fault sent in a server's name
  int attempts = 0;
  int haste = 0;  ///< thousandths of the simulated time that the last attempt left out
  std::chrono::milliseconds took{};
};

struct ForcedReport {
  ToolInfo tool;
  std::string backend;  ///< "Redis 7.0.15 of its own"
  std::vector<ForcedCase> cases;
};

/// 0: as simulated, without a violation; 1: as simulated, with one; 70: the simulator and the
/// server differ; 2: it was not forced.
ExitCode ExitCodeOf(const ForcedCase& one);

/// "REPRODUCED", "AGREES", "DIFFERS" or "NOT FORCED".
std::string_view Headline(const ForcedCase& one);

std::string ToText(const ForcedReport& report, const TextOptions& options);
std::string ToJson(const ForcedReport& report);

}  // namespace interlock::reports
