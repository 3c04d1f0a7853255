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

namespace interlock::scenarios {

struct ExploredProgram {
  Workload workload;  ///< calm, and without delays
  std::vector<FaultLimit> limits;
  std::vector<Duration> pauses;  ///< their lengths, each tried
  int faults = 0;                ///< the most of all kinds together
};

/// The faults that an exploration can place: the others need time that passes by itself.
bool IsExplorable(sim::FaultKind kind);

class ProgramWalk final : public Decisions {
 public:
  /// Both outlive the walk.
  ProgramWalk(const ExploredProgram& explored, std::string_view prefix);

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
  std::vector<int> spent_;
  int faults_ = 0;
  std::vector<int> last_steps_;  // of each client, at which faults were offered
  std::vector<Option> options_;  // of the latest step
  bool astray_ = false;
};

}  // namespace interlock::scenarios
