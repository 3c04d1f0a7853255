// SPDX-License-Identifier: MIT
//
// A lock with a habit, and what a campaign over it says that expects a sound lock.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "scenarios/locks/specimens/recipe.h"
#include "scenarios/search/campaign.h"

namespace interlock::scenarios {

/// The rows of a sound lock that do not pass, a line each: "LK006 overstay inconclusive".
inline std::string RowsNotPassed(std::shared_ptr<const harness::Subject> lock,
                                 std::initializer_list<std::string_view> scenarios,
                                 std::uint64_t runs) {
  CampaignOptions options;
  options.entries.resize(1);
  options.entries.front().subject = std::move(lock);
  options.entries.front().foreign = true;
  for (const std::string_view name : scenarios) options.scenarios.push_back(FindScenario(name));
  options.runs = runs;
  options.jobs = 2;
  options.explaining = Explaining::kNone;
  std::string text;
  for (const reports::ResultRow& row : RunCampaign(options).report.results) {
    if (row.pass) continue;
    const bool violated = row.verdict == reports::Verdict::kViolated;
    text += row.code + " " + row.scenario + (violated ? " violated\n" : " inconclusive\n");
  }
  return text;
}

/// A lock by the correct steps, but for what the recipe says.
inline std::shared_ptr<const harness::Subject> Habit(specimens::Recipe recipe) {
  return MakeLock(std::move(recipe));
}

}  // namespace interlock::scenarios
