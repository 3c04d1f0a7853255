// SPDX-License-Identifier: MIT
//
// Turns the verdicts of single runs on real servers into the rows of the report.
//
// A run in which a property could not be decided does not count as testing it, and takes nothing
// from what other runs showed. A specimen has a row for each conviction that it should get, even if
// real servers cannot produce it. Thread safety: none.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "reports/run_report.h"
#include "scenarios/cases/goals.h"
#include "scenarios/cases/scenario.h"
#include "scenarios/judge/outside.h"
#include "scenarios/run/processes/real_run.h"
#include "scenarios/search/campaign.h"

namespace interlock::scenarios::real {

/// One lock in one scenario, with the results of its runs.
struct RealUnit {
  const Entry* entry = nullptr;
  const Scenario* scenario = nullptr;
  bool own = false;  ///< on servers started for it
  std::uint64_t runs = 0;
  PerJudged<std::uint64_t> exercised;
  PerJudged<std::uint64_t> undecided;
  PerJudged<std::string> first_undecided;
  PerJudged<std::optional<std::uint64_t>> first_violation;  ///< run index
  PerJudged<std::string> what;                              ///< what happened there
};

/// `verdict` is ignored for a broken run, which counts but decides nothing.
void AddRealRun(const RealRun& run, const OutsideVerdict& verdict, RealUnit& unit);

/// Whether this specimen should be convicted here, certainly or by chance.
bool CanBeConvicted(const RealUnit& unit);
/// Whether this specimen got every conviction possible here.
bool IsConvicted(const RealUnit& unit);

/// Whether every promise of a sound lock was tested in some run, or is broken.
bool IsPutToTheTest(const RealUnit& unit);

/// Adds the rows of this lock and scenario; for a sound lock none if nothing ran. DecideRows
/// decides which pass.
void AddRows(const RealUnit& unit, reports::RunReport& report);

/// Goals that are reported even if no run reached them.
struct Demanded {
  bool contention = false;  ///< contention of locks
  bool crashes = false;     ///< crashes of their holders
};

/// Adds the goals that were reached, and those demanded.
void AddGoals(const GoalCounts& counts, Demanded demanded, reports::RunReport& report);

}  // namespace interlock::scenarios::real
