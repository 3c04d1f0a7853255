// SPDX-License-Identifier: MIT
//
// The decisions of one run of a user's program that is explored (see decisions.h): scheduling, the
// fate of a dead client's requests, and faults within their budgets, each at the steps where it
// makes a difference in a world without delays.
//
// Thread safety: one run, one thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "scenarios/run/program/program_faults.h"
#include "scenarios/search/explore/decisions.h"
#include "sim/world.h"

namespace interlock::scenarios {

struct ExploredProgram {
  Workload workload;  ///< calm, and without delays
  std::vector<FaultLimit> limits;
  std::vector<Duration> pauses;  ///< the lengths of these and their like, each tried
  int faults = 0;                ///< the most of all kinds together
};

/// The faults that an exploration can place. The others last for a while in which servers answer
/// otherwise, or change how fast a clock runs, which in a world where nothing takes time has no
/// length that stands for all.
bool IsExplorable(sim::FaultKind kind);
/// Those that have each of ExploredProgram::pauses for their lengths.
bool HasExploredLengths(sim::FaultKind kind);

class ProgramWalk final : public Decisions {
 public:
  /// Both outlive the walk.
  ProgramWalk(const ExploredProgram& explored, std::string_view prefix);
  /// The run begins in this world, which outlives it.
  void Attach(const sim::World& world) { world_ = &world; }

  std::uint32_t Draw(sim::Lane lane, std::uint32_t bound) override;
  std::optional<sim::Fault> InjectFault(int process, int step, sim::StepKind kind) override;
  bool injects_faults() const override { return true; }

  /// Faults so far, by limit.
  const std::vector<int>& spent() const { return spent_; }
  /// The program did not repeat what it had done.
  bool astray() const { return astray_; }

 private:
  struct Option {
    std::size_t limit = 0;
    sim::Fault fault;
  };
  void OnAstray() override;
  void AddOptions(std::size_t limit, sim::StepKind kind);

  const ExploredProgram& explored_;
  const sim::World* world_ = nullptr;
  std::vector<int> spent_;
  int faults_ = 0;
  std::vector<int> last_steps_;  // of each client, at which faults were offered
  std::vector<Option> options_;  // of the latest step
  bool astray_ = false;
};

}  // namespace interlock::scenarios
