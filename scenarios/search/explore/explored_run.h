// SPDX-License-Identifier: MIT
//
// One run of an exploration: follows a path, and stops at a state visited before or beyond the
// bounds. Thread safety: one run, one thread.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "scenarios/run/recorder/recorder.h"
#include "scenarios/run/run.h"
#include "scenarios/search/explore/frontier.h"
#include "scenarios/search/explore/visited.h"
#include "scenarios/search/explore/walk.h"

namespace interlock::scenarios {

/// What is explored; the same for all of its runs.
struct ExploredCase {
  RunCase run_case;
  Bounds bounds;
  Workload workload;
  bool merge = true;     ///< false: every path is followed to its end
  bool symmetry = true;  ///< clients with the same plan are interchangeable
  bool reduce = true;    ///< see sleep_set.h
  bool audit = false;    ///< no state is new: each must have been visited
};

class ExploredRun final : public RunProbe, private sim::ScenarioState {
 public:
  enum class End : std::uint8_t {
    kWhole,    ///< to its end, phase 2 included
    kVisited,  ///< in a state visited before
    kBeyond,   ///< beyond the bound on expiries
    kAsleep,   ///< after a step taken before in another order
    kSpins,    ///< too many steps at one instant
  };

  /// An alternative task that could run after `depth` decisions; empty path: none.
  struct Branch {
    std::size_t depth = 0;
    Prefix next;  ///< its path is the alternative alone
  };

  /// `prefix` is the walk's. All arguments outlive the run.
  ExploredRun(const ExploredCase& explored, Visited& visited, Walk& walk, const Prefix& prefix)
      : explored_(explored), visited_(visited), walk_(walk), prefix_(prefix) {}

  End end() const { return end_; }

  void OnBegin(sim::World& world, const Recorder& recorder) override;
  bool GoOn(std::span<const sim::ReadyTask> ready) override;
  bool WantsFootprint() const override { return step_.has_value(); }
  void OnHeal(sim::StopReason stop) override;
  /// By depth, each once.
  std::vector<Branch> TakeBranches() { return std::move(branches_); }
  /// The clients' outcomes in phase 1, in canonical order: equal for runs that differ only in which
  /// client is which. Empty unless end() is kWhole.
  const std::string& outcome() const { return outcome_; }
  /// How phase 1 ended, if it did.
  sim::StopReason stop() const { return stop_; }
  /// For an audit: the states on the path, and those of them not visited before.
  std::uint64_t states() const { return states_; }
  std::uint64_t strange() const { return strange_; }

 private:
  void DescribeProcess(int process, sim::FingerprintWriter& writer) const override;
  void DescribeRest(sim::FingerprintWriter& writer) const override;
  /// One step: its task, and the state before it.
  struct Step {
    sim::ReadyTask task;
    VirtualTime began{};
    int expiries = 0;
    std::vector<sim::Digest> holds;          ///< in the servers, for each resource
    std::optional<std::size_t> branch = {};  ///< index, if other tasks could have run
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
  std::optional<Step> step_;            // the present one; set only where needed
  std::vector<Branch> branches_;
  std::vector<int> ranks_;  // reused for its storage
};

}  // namespace interlock::scenarios
