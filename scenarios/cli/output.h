// SPDX-License-Identifier: MIT
//
// Results go to stdout, progress and complaints to stderr. It is not an error if the reader of
// stdout goes away before it has read everything (`| head`): nothing is reported, the files of
// --out are still written, and the exit code is that of the work itself, so it does not depend on
// how much fitted into the pipe. Any other failure to write, such as a full disk, is an error.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "reports/exit_code.h"
#include "reports/text_layout.h"
#include "scenarios/search/campaign.h"

namespace interlock::scenarios::cli {

/// Prints `interlock: <message>` to stderr and returns `code`.
reports::ExitCode Complain(reports::ExitCode code, std::string_view message);

/// The options that the terminal and the environment (NO_COLOR, CLICOLOR_FORCE, LANG) ask for.
reports::TextOptions TextOptionsForStdout();

enum class Printed : std::uint8_t {
  kAll,
  kReaderGone,  ///< stdout is a pipe without a reader
  kFailed,      ///< for another reason, which has been reported on stderr
};

/// Makes Print write to the present target of stdout, whatever a lock does to stdout later. Only
/// for main.
void KeepStdout();

/// Writes to stdout.
Printed TryPrint(std::string_view text);

/// Writes to stdout; kInternal, with a complaint, if that fails although stdout has a reader.
reports::ExitCode Print(std::string_view text);

/// `program`: the command for replay lines; empty: bare tokens.
reports::ToolInfo ThisTool(std::string program = "./interlock");

/// The real time that has passed.
std::chrono::milliseconds MillisecondsSince(std::chrono::steady_clock::time_point started);

/// Shows progress from the first update on: a bar on a terminal, elsewhere a line every ten
/// seconds.
class Progress {
 public:
  /// `unit` is the plural name of the things counted.
  explicit Progress(std::string title, std::string unit = "runs");
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  void Update(std::uint64_t done, std::uint64_t planned);
  /// Update as a callback, which must not outlive this object.
  std::function<void(std::uint64_t, std::uint64_t)> Updates() {
    return [this](std::uint64_t done, std::uint64_t planned) { Update(done, planned); };
  }

 private:
  const std::string title_;
  const std::string unit_;
  const bool terminal_;
  std::int64_t last_line_ms_ = 0;
  std::int64_t started_ms_ = 0;  // 0: not started
};

}  // namespace interlock::scenarios::cli
