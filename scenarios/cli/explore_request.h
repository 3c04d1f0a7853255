// SPDX-License-Identifier: MIT
//
// A request for an exploration, in the user's words: names and counts that have not been checked
// yet. Thread safety: pure functions.
#pragma once

#include <optional>
#include <string>

#include <interlock/result.h>

#include "scenarios/cli/registry.h"
#include "scenarios/search/explore/exhaustive.h"

namespace interlock::scenarios::cli {

struct ExploreRequest {
  /// Pattern that matches one scenario. Empty: "chaos", or if servers fail, "failover" or
  /// "data-loss".
  std::string scenario;
  const sim::redis::Dialect* server = nullptr;  ///< null: as `scenario` says
  std::string synchrony;  ///< "none", "bounded", "arbitrary"; empty: the scenario's weakest
  std::string property;   ///< code or slug of the only property to look for; empty: all
  Bounds bounds;          ///< except for the members below
  /// Default: a tenth of a lease for a latch, otherwise 0.
  std::optional<int> stagger;
  // Default for the first two: 1 if the scenario has such faults; for the last four: 0.
  std::optional<int> crashes;
  std::optional<int> lost_replies;
  std::optional<int> lost_requests;
  std::optional<int> silent_losses;
  std::optional<int> pauses;
  std::optional<int> short_pauses;
};

/// Fills run_case, bounds and `only`. kInvalidArgument: this lock has no such scenario, class or
/// property, or the scenario does not have a fault that was asked for.
Result<ExploreOptions> Resolve(const ExploreRequest& request, const Entry& entry);

}  // namespace interlock::scenarios::cli
