// SPDX-License-Identifier: MIT
//
// One run of an exploration: walks along a path, and stops where it comes to a state that was
// visited before, or beyond the bounds. Thread safety: one run, one thread.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "scenarios/log/recorder.h"
#include "scenarios/run/run.h"
#include "scenarios/search/explore/frontier.h"
#include "scenarios/search/explore/visited.h"
#include "scenarios/search/explore/walk.h"

namespace interlock::scenarios {

/// What is explored, the same for all of its runs.
struct ExploredCase {
  RunCase run_case;
  Bounds bounds;
  Workload workload;
  bool merge = true;     ///< false: every path is walked to its end
  bool symmetry = true;  ///< clients with the same plan may change places
  bool reduce = true;    ///< see sleep_set.h
  bool audit = false;    ///< no state is new: each must have been visited
};

class ExploredRun final : public RunProbe, private sim::ScenarioState {
 public:
  enum class End : std::uint8_t {
    kWhole,    ///< to its end, phase 2 included
    kVisited,  ///< in a state that was visited before
    kBeyond,   ///< beyond the bound of expiries
    kAsleep,   ///< after a step that was taken before, in another order
    kSpins,    ///< more steps at one instant than are waited for
  };

  /// The other task that can go on after `depth` decisions; an empty path: none.
  struct Branch {
    std::size_t depth = 0;
    Prefix next;  ///< its path is the alternative alone
  };

  /// `prefix`: the walk's; all outlive the run.
  ExploredRun(const ExploredCase& explored, Visited& visited, Walk& walk, const Prefix& prefix)
      : explored_(explored), visited_(visited), walk_(walk), prefix_(prefix) {}

  End end() const { return end_; }

  void OnBegin(sim::World& world, const Recorder& recorder) override;
  bool GoOn(std::span<const sim::ReadyTask> ready) override;
  bool WantsFootprint() const override { return step_.has_value(); }
  void OnHeal(sim::StopReason stop) override;
  /// By depth, each once.
  std::vector<Branch> TakeBranches() { return std::move(branches_); }
  /// What became of every client in phase 1, in an order of its own: the same for runs in which
  /// clients have changed places. Empty unless end() is kWhole.
  const std::string& outcome() const { return outcome_; }
  /// How phase 1 ended, if it did.
  sim::StopReason stop() const { return stop_; }
  /// For an audit: the states on the way, and those of them that had not been visited.
  std::uint64_t states() const { return states_; }
  std::uint64_t strange() const { return strange_; }

 private:
  void DescribeProcess(int process, sim::FingerprintWriter& writer) const override;
  void DescribeRest(sim::FingerprintWriter& writer) const override;
  /// One step: its task, and what was there before.
  struct Step {
    sim::ReadyTask task;
    VirtualTime began{};
    int expiries = 0;
    std::vector<sim::Digest> holds;          ///< in the servers, for each resource
    std::optional<std::size_t> branch = {};  ///< index, if others could have gone on
  };

  bool Spins();
  void Repeat(std::span<const sim::ReadyTask> ready);
  bool GoOnUnseen(std::span<const sim::ReadyTask> ready);
  bool Choose(std::span<const sim::ReadyTask> ready);
  void AddBranch(std::size_t depth, const std::string& others, bool calm_only);
  void BeginStep(const sim::ReadyTask& task, bool others);
  bool EndStep();
  std::vector<sim::Digest> HoldsNow() const;
  int Expiries() const;
  std::uint64_t RoleOf(int process) const;

  const ExploredCase& explored_;
  Visited& visited_;
  Walk& walk_;
  const Prefix& prefix_;
  sim::World* world_ = nullptr;
  const Recorder* recorder_ = nullptr;
  End end_ = End::kWhole;
  std::string outcome_;
  sim::StopReason stop_ = sim::StopReason::kStopped;
  std::uint64_t states_ = 0;
  std::uint64_t strange_ = 0;
  sim::VirtualTime instant_{};          // the present one
  std::uint64_t steps_in_instant_ = 0;  // choices made in it
  SleepSet asleep_;                     // in the state from which the present step began
  std::optional<Step> step_;            // the present one; only where it matters
  std::vector<Branch> branches_;
  std::vector<int> ranks_;  // kept for its storage
};

}  // namespace interlock::scenarios
