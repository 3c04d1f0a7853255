// SPDX-License-Identifier: MIT
//
// A second process of this program that runs locks on request. Its addresses, uninitialised memory
// and hash seeds differ, and a crash there does not crash this one.
//
// A request is a line (reports/work_request.h); the answer is a line with its length, then the
// answer itself. They use pipes on dedicated descriptors: the lock under test may use, or close,
// the standard ones. What the process was doing when it ended is in its black box. It serves until
// its input ends.
//
// Bounds: a run may take `patience` of real time, after which the process is killed; the process
// may use kWorkerMemory (not in sanitizer builds). It ends with the thread that started it. Thread
// safety: none; one request at a time.
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

/// Bytes of private writable memory; many times what any run of a sane lock takes.
inline constexpr std::size_t kWorkerMemory = std::size_t{1} << 30;

// Descriptors that the process inherits.
inline constexpr int kWorkerRequests = 3;
inline constexpr int kWorkerAnswers = 4;
inline constexpr int kWorkerBox = 5;
inline constexpr std::string_view kWorkerGreeting = "interlock worker\n";

/// How a process ended before it answered.
struct WorkerEnd {
  std::string what;   ///< "crashed (SIGSEGV)"
  bool hung = false;  ///< it made no progress, and was killed
  LastRun last;
};

struct WorkerAnswer {
  std::optional<std::string> body;
  std::string refused;           ///< why there is no body
  std::optional<WorkerEnd> end;  ///< set if the process is gone
  // All empty: `stop` was set, and the process is gone too.
};

/// Ends this process with the thread that started it: nothing else would end a lock that spins.
void EndWithStarter();

/// Caps the memory of this process, and notes in its box when the cap was hit.
void LimitMemory(std::size_t bytes = kWorkerMemory);
/// For a process that keeps more than one run: half of the machine's memory, if more than
/// kWorkerMemory.
std::size_t MemoryOfSearches();

/// Frames an answer; `refused`: the text says why there is no answer.
std::string FramedAnswer(std::string_view text, bool refused);

class WorkerProcess {
 public:
  /// kUnavailable: it cannot be started, or does not greet because the program's main does
  /// something else.
  static Result<std::unique_ptr<WorkerProcess>> Start();
  /// Closes its input and waits for its end; kills it if it was told to stop.
  ~WorkerProcess();
  WorkerProcess(const WorkerProcess&) = delete;
  WorkerProcess& operator=(const WorkerProcess&) = delete;

  /// Forks this process instead of starting a new one. The copy answers once, with the result of
  /// `work`, and ends; it has its own box. REQUIRES: this process has one thread. Stop signals go
  /// to this process only, which sets box.stop() for the copy. kUnavailable: fork failed.
  static Result<std::unique_ptr<WorkerProcess>> Fork(
      const std::function<std::string(BlackBox& box)>& work);

  /// `stop` may be null.
  WorkerAnswer Ask(const reports::WorkRequest& request, std::chrono::seconds patience,
                   const std::atomic<bool>* stop);
  /// The answer of a forked copy. Once `stop` is set the copy is told, and may still answer.
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
  /// Makes a process without progress print where it stands; it ends then, unless it cannot.
  void AskWhereItStands() const;
  std::string HowItEnded(int status) const;

  const pid_t pid_;
  const int in_;   // requests are written here
  const int out_;  // answers come from here
  const std::unique_ptr<BlackBox> box_;
  std::string unread_;
  bool alive_ = true;
};

}  // namespace interlock::scenarios
