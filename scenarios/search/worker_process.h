// SPDX-License-Identifier: MIT
//
// This very program once more, as a process of its own that runs locks on request: its addresses,
// its uninitialised memory and its hash seeds are others, and a crash there is no crash here.
//
// A request is a line (reports/work_request.h), its answer a line that says how long it is and
// then the answer itself, over pipes on descriptors of their own: the lock under test may use, or
// close, the standard ones. What the process was doing when it ended is in its black box. It
// serves until its input ends.
//
// Bounds: a run may take `patience` of real time, after which the process is killed; the process
// may have kWorkerMemory (not in sanitizer builds). It ends with the thread that has started it.
// Thread safety: none; one request at a time.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include <interlock/result.h>

#include "reports/work_request.h"
#include "scenarios/run/black_box.h"

namespace interlock::scenarios {

/// Bytes of private writable memory. Many times what any run of a sane lock takes.
inline constexpr std::size_t kWorkerMemory = std::size_t{1} << 30;

// What the process finds where it is started.
inline constexpr int kWorkerRequests = 3;
inline constexpr int kWorkerAnswers = 4;
inline constexpr int kWorkerBox = 5;
inline constexpr std::string_view kWorkerGreeting = "interlock worker\n";

/// How a process ended that was to answer.
struct WorkerEnd {
  std::string what;   ///< "crashed (SIGSEGV)"
  bool hung = false;  ///< it made no progress, and was killed
  LastRun last;
};

struct WorkerAnswer {
  std::optional<std::string> body;
  std::string refused;           ///< why there is no body
  std::optional<WorkerEnd> end;  ///< then the process is no more
  // None of them: `stop` was set. Then it is no more, either.
};

/// False: nobody reads it, or not all could be written.
bool SendAll(int fd, std::string_view text);

/// This process ends when the thread does that has started it: nobody else would end a lock that
/// spins.
void EndWithStarter();

/// Caps the memory of this process, and notes in its box when that was too little.
void LimitMemory(std::size_t bytes = kWorkerMemory);
/// For a process that keeps more than a run: half of what the machine has, if that is
/// more than kWorkerMemory.
std::size_t MemoryOfSearches();

/// A frame around what is answered; `refused`: the text says why there is no answer.
std::string FramedAnswer(std::string_view text, bool refused);

class WorkerProcess {
 public:
  /// kUnavailable: it cannot be started, or does not greet: the program's main does something else.
  static Result<std::unique_ptr<WorkerProcess>> Start();
  /// Ends its input and waits for its end; kills it if it was told to stop.
  ~WorkerProcess();
  WorkerProcess(const WorkerProcess&) = delete;
  WorkerProcess& operator=(const WorkerProcess&) = delete;

  /// A copy of this process in place of a new one, which answers once, with what `work` gives, and
  /// ends; the box is its own. REQUIRES: this process has one thread. Its signals to stop are left
  /// to this one, which sets box.stop() for it. kUnavailable: there is none.
  static Result<std::unique_ptr<WorkerProcess>> Fork(
      const std::function<std::string(BlackBox& box)>& work);

  /// `stop` may be null.
  WorkerAnswer Ask(const reports::WorkRequest& request, std::chrono::seconds patience,
                   const std::atomic<bool>* stop);
  /// The answer of a copy. Once `stop` is set it is told so, and may still answer.
  WorkerAnswer Await(std::chrono::seconds patience, const std::atomic<bool>& stop);
  bool alive() const { return alive_; }

 private:
  enum class Wait { kMore, kEnded, kHung, kStopped };

  WorkerProcess(pid_t pid, int in, int out, std::unique_ptr<BlackBox> box)
      : pid_(pid), in_(in), out_(out), box_(std::move(box)) {}
  Wait ReadMore(std::chrono::seconds patience, const std::atomic<bool>* stop);
  bool Greets();
  bool HasEnded() const;
  std::optional<WorkerAnswer> TakeAnswer();
  WorkerAnswer AnswerOf(Wait wait, std::chrono::seconds patience);
  /// Kills and reaps it.
  int End();
  std::string HowItEnded(int status) const;

  const pid_t pid_;
  const int in_;   // where requests are written to
  const int out_;  // where answers come from
  const std::unique_ptr<BlackBox> box_;
  std::string unread_;
  bool alive_ = true;
};

}  // namespace interlock::scenarios
