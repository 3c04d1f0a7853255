// SPDX-License-Identifier: MIT
//
// Runs a program to its end and keeps what it wrote: for tests of exit codes and of crashes.
// Thread safety: none needed; each call stands alone.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

namespace interlock::scenarios::testing {

struct ChildResult {
  int exit_code = -1;  ///< -1: ended by a signal, or did not start
  int signal = 0;      ///< that ended it
  std::string out;
  std::string err;
};

/// A signal to be sent once the child has run for some time.
struct LateSignal {
  std::chrono::milliseconds after{};
  int signal = 0;
};

/// argv[0] is the program's path. The child's locale is C, it has no terminal, and of this process'
/// variables it has PATH and INTERLOCK_REDIS_SERVER alone.
ChildResult RunChild(const std::vector<std::string>& argv, std::optional<LateSignal> late = {});

/// The same, with the descriptor `stdout_fd` as the child's stdout: `out` stays empty.
ChildResult RunChildInto(int stdout_fd, const std::vector<std::string>& argv);

/// An empty folder of its own, removed with all that is in it at the end.
class ScratchFolder {
 public:
  ScratchFolder();
  ~ScratchFolder();
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

std::string ReadFile(const std::string& path);

/// What stands in the first pair of single quotes after "interlock replay "; empty: nothing does.
std::string TokenIn(const std::string& text);

}  // namespace interlock::scenarios::testing
