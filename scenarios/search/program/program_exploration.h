// SPDX-License-Identifier: MIT
//
// The exhaustive search through the runs of a user's program: depth first, each state once, first
// without faults, then with one, and so on.
//
// Guarantee: when `complete`, every run within the bounds was made, or comes through a state from
// which all runs were made (see sim/fingerprint.h for when states are equal). The chance of
// mistaking two states for one is that of Visited. Determinism: a function of its inputs, but for
// the budget. Thread safety: may be called from any thread.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "scenarios/search/program/program_case.h"
#include "scenarios/search/program/program_walk.h"

namespace interlock::scenarios {

struct ProgramExploration {
  bool complete = false;
  std::uint64_t states = 0;  ///< visited, in the last and widest of the searches
  std::uint64_t runs = 0;
  std::uint64_t commands = 0;  ///< executed in all runs
  std::string no_verdict;      ///< why it is not complete; empty: it is, or something was found
  std::optional<ProgramCase> found;
};

struct ProgramExplorationLimits {
  std::uint64_t most_states = 0;
  std::optional<std::chrono::steady_clock::time_point> deadline;
};

ProgramExploration ExploreProgram(const harness::Program& program, ExploredProgram explored,
                                  const ProgramExplorationLimits& limits);

}  // namespace interlock::scenarios
