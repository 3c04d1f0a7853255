// SPDX-License-Identifier: MIT
//
// From the verdicts of single runs on real servers to the rows of the report.
//
// A run in which a property could not be decided does not count as having put it to the test; it
// takes nothing from what the other runs showed. A specimen has a row for each conviction that it
// is to get, also where reality cannot give it. Thread safety: none.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "reports/run_report.h"
#include "scenarios/cases/goals.h"
#include "scenarios/cases/scenario.h"
#include "scenarios/run/processes/judge.h"
#include "scenarios/run/processes/real_run.h"
#include "scenarios/search/campaign.h"

namespace interlock::scenarios::real {

/// One lock in one scenario, and what its runs gave.
struct RealUnit {
  const Entry* entry = nullptr;
  const Scenario* scenario = nullptr;
  bool own = false;  ///< on servers of one's own
  std::uint64_t runs = 0;
  PerJudged<std::uint64_t> exercised;
  PerJudged<std::uint64_t> undecided;
  PerJudged<std::string> first_undecided;
  PerJudged<std::optional<std::uint64_t>> first_violation;  ///< run index
  PerJudged<std::string> what;                              ///< happened there
};

/// `verdict` is ignored for a broken run: it counts, and decides nothing.
void AddRealRun(const RealRun& run, const RealVerdict& verdict, RealUnit& unit);

/// A specimen that is to get some conviction here, for sure or by chance.
bool CanBeConvicted(const RealUnit& unit);
/// A specimen that has got all that it can get here.
bool IsConvicted(const RealUnit& unit);

/// Every promise of a sound lock was put to the test in some run, or is broken.
bool IsPutToTheTest(const RealUnit& unit);

/// Adds the rows of this lock and scenario; of a sound lock none if nothing was run. Which pass is
/// for DecideRows.
void AddRows(const RealUnit& unit, reports::RunReport& report);

/// Goals that are reported though no run reached them.
struct Demanded {
  bool contention = false;  ///< contention of locks
  bool crashes = false;     ///< crashes of their holders
};

/// Those that were reached, and those that are demanded.
void AddGoals(const GoalCounts& counts, Demanded demanded, reports::RunReport& report);

}  // namespace interlock::scenarios::real
