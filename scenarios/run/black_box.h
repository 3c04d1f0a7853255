// SPDX-License-Identifier: MIT
//
// What is left of a process that a lock under test took down: which run it was in, what that run
// had drawn and, if it kept its events, its steps so far. The memory is shared with the parent
// process, so it survives every kind of end, SIGKILL included.
//
// The working process has at most one box and writes one run at a time into it; if several run at
// once, that of the first thread. Guarantee: a run is the same with or without a box.
// Non-guarantee: a lock with wild writes may damage the box too; everything read from it is
// checked, and damaged parts are left out, as is what does not fit (a million choices of a lane, 32
// MiB of steps). Thread safety: one writer; except for beats(), read only after the writer has
// ended.
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
  std::uint64_t index = 0;  ///< as given to NoteIndex
  std::string reason;       ///< how it ended, if the process could still tell
  std::string token;        ///< replays it up to there; empty: its workload was not noted
  sim::Tape tape;           ///< what it had drawn
  int process = -1;         ///< the client whose task was running; -1: none
  std::vector<sim::TraceEvent> events;  ///< by time, if it kept them
};

class BlackBox final : public sim::RunMirror {
 public:
  /// kUnavailable: memory cannot be shared.
  static Result<std::unique_ptr<BlackBox>> New();
  /// Another process's box, for this one to write to until it ends. Null: `fd` is no box.
  static BlackBox* OpenForThisProcess(int fd);
  /// The same for this process's own box, in a fork of the process that made it.
  void UseForThisProcess();
  /// Null: this process has none. Safe in a signal handler.
  static BlackBox* OfThisProcess();
  ~BlackBox() override;

  int fd() const { return fd_; }

  // For the writer.
  /// `with_workload`: identify runs by workload and tape instead of index.
  void Describe(bool with_workload) { with_workload_ = with_workload; }
  void NoteIndex(std::uint64_t index);
  /// Shows that the process is alive.
  void Beat();
  /// Notes how the process is about to end; only the first call counts. Safe in a signal handler.
  void NoteEnd(std::string_view reason);
  /// Returns false if another thread's run is being written.
  bool BeginRun(const RunCase& run_case, const Workload& workload);
  void EndRun();
  void OnDraw(sim::Lane lane, std::uint32_t value) override;
  void OnFault(const sim::Fault& fault) override;
  void OnTask(int process) override;
  void OnEvent(const sim::TraceEvent& event) override;

  /// Set by the reader: the writer should end, as after a signal.
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

/// Writes a run into this process's box, if it has one, during its lifetime.
class BoxedRun {
 public:
  /// `choices` are the run's, and outlive this object.
  BoxedRun(const RunCase& run_case, const Workload& workload, sim::Choices& choices);
  ~BoxedRun();
  BoxedRun(const BoxedRun&) = delete;
  BoxedRun& operator=(const BoxedRun&) = delete;

 private:
  BlackBox* box_;
  sim::Choices& choices_;
};

}  // namespace interlock::scenarios
