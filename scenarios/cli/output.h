// SPDX-License-Identifier: MIT
//
// Results go to stdout, progress and complaints to stderr. A reader of stdout that goes away before
// it has read everything (`| head`) is no fault: nothing is said, the files of --out are still
// written, and the exit code is the one that the work itself has. It therefore does not depend on
// how much fitted into the pipe. Any other failure to write, such as a full disk, is a fault.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "reports/exit_code.h"
#include "reports/text_layout.h"
#include "scenarios/search/campaign.h"

namespace interlock::scenarios::cli {

/// Prints `interlock: <message>` to stderr and returns `code`.
reports::ExitCode Complain(reports::ExitCode code, std::string_view message);

/// As the terminal and the environment (NO_COLOR, CLICOLOR_FORCE, LANG) have it.
reports::TextOptions TextOptionsForStdout();

enum class Printed : std::uint8_t {
  kAll,
  kReaderGone,  ///< stdout is a pipe without a reader
  kFailed,      ///< for another reason, which has been said on stderr
};

/// From now on Print writes where stdout leads now, whatever a lock does to it. For main alone.
void KeepStdout();

/// Writes to stdout.
Printed TryPrint(std::string_view text);

/// Writes to stdout; kInternal, with a complaint, if that fails although somebody reads it.
reports::ExitCode Print(std::string_view text);

reports::ToolInfo ThisTool();

/// A bar on a terminal, a line every ten seconds elsewhere, from the first update on.
class Progress {
 public:
  /// `unit`: what is counted, in the plural.
  explicit Progress(std::string title, std::string unit = "runs");
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  void Update(std::uint64_t done, std::uint64_t planned);

 private:
  const std::string title_;
  const std::string unit_;
  const bool terminal_;
  std::int64_t last_line_ms_ = 0;
  std::int64_t started_ms_ = 0;  // 0: not yet
};

}  // namespace interlock::scenarios::cli
