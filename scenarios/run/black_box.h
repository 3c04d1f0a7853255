// SPDX-License-Identifier: MIT
//
// What is left of a process that a lock under test took down: which run it was in, what that run
// had drawn and, if it kept its events, its steps up to there. It lies in memory that the process
// shares with the one that started it, so it survives every end, SIGKILL included.
//
// The process that works has at most one, and writes one run at a time into it: if several run at
// once, that of the first thread. Guarantee: a run is the same with a box as without.
// Non-guarantee: a lock that writes where it should not may damage the box, too; whatever is read
// from it is checked, and a damaged part is left out. What does not fit (a million choices of a
// lane, 32 MiB of steps) is left out likewise.
// Thread safety: one writer; the reader reads once the writer has ended, but for beats().
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <interlock/result.h>

#include "scenarios/run/run.h"
#include "sim/run_mirror.h"

namespace interlock::scenarios {

/// The last run of a process that has ended.
struct LastRun {
  std::uint64_t index = 0;  ///< as NoteIndex said
  std::string reason;       ///< how it ended, if the process itself could still say it
  std::string token;        ///< replays it up to there; empty: its workload was not noted
  sim::Tape tape;           ///< what it had drawn
  int process = -1;         ///< the client whose task was running; -1: none was
  std::vector<sim::TraceEvent> events;  ///< if it kept them, by time
};

class BlackBox final : public sim::RunMirror {
 public:
  /// kUnavailable: no memory can be shared.
  static Result<std::unique_ptr<BlackBox>> New();
  /// Another process's box, for this one to write to until it ends. Null: it is none.
  static BlackBox* OpenForThisProcess(int fd);
  /// The same for this process's own, in a copy of the process that made it.
  void UseForThisProcess();
  /// Null: this process has none. Safe in a signal handler.
  static BlackBox* OfThisProcess();
  ~BlackBox() override;

  int fd() const { return fd_; }

  // For the writer.
  /// `with_workload`: runs are known by their workload and tape, not by their index.
  void Describe(bool with_workload) { with_workload_ = with_workload; }
  void NoteIndex(std::uint64_t index);
  /// Something was done: the process is alive.
  void Beat();
  /// Notes how the process is about to end; the first caller is right. Safe in a signal handler.
  void NoteEnd(std::string_view reason);
  /// False: another thread's run is being written.
  bool BeginRun(const RunCase& run_case, const Workload& workload);
  void EndRun();
  void OnDraw(sim::Lane lane, std::uint32_t value) override;
  void OnFault(const sim::Fault& fault) override;
  void OnTask(int process) override;
  void OnEvent(const sim::TraceEvent& event) override;

  /// Set by the reader: the writer is to end, as after a signal.
  std::atomic<bool>& stop();

  // For the reader.
  std::uint64_t beats() const;
  LastRun Read() const;

 private:
  struct Memory;
  BlackBox(int fd, Memory* memory) : fd_(fd), memory_(memory) {}

  const int fd_;
  Memory* const memory_;
  bool with_workload_ = false;
};

/// A run is written into this process's box, if it has one, for as long as this lives.
class BoxedRun {
 public:
  /// `choices` are the run's, and outlive this.
  BoxedRun(const RunCase& run_case, const Workload& workload, sim::Choices& choices);
  ~BoxedRun();
  BoxedRun(const BoxedRun&) = delete;
  BoxedRun& operator=(const BoxedRun&) = delete;

 private:
  BlackBox* box_;
  sim::Choices& choices_;
};

}  // namespace interlock::scenarios
