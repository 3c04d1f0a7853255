// SPDX-License-Identifier: MIT
//
// What is to be explored, in the words of whoever asks: names and counts, not yet held against what
// there is. Thread safety: pure functions.
#pragma once

#include <optional>
#include <string>

#include <interlock/result.h>

#include "scenarios/cli/registry.h"
#include "scenarios/search/explore/exhaustive.h"

namespace interlock::scenarios::cli {

struct ExploreRequest {
  /// Pattern that matches one. Empty: "chaos", or where servers fail "failover" or "data-loss".
  std::string scenario;
  std::string synchrony;  ///< "none", "bounded", "arbitrary"; empty: the scenario's weakest
  std::string property;   ///< code or slug: look for its violations alone; empty: for all
  Bounds bounds;          ///< but for what follows
  /// Not given: a tenth of a lease at a latch, else 0.
  std::optional<int> stagger;
  // Not given: one, if the scenario has such faults; none of the last four.
  std::optional<int> crashes;
  std::optional<int> lost_replies;
  std::optional<int> lost_requests;
  std::optional<int> silent_losses;
  std::optional<int> pauses;
  std::optional<int> short_pauses;
};

/// Fills run_case, bounds and `only`. kInvalidArgument: there is no such scenario, class or
/// property for this lock, or a fault is asked for that the scenario does not have.
Result<ExploreOptions> Resolve(const ExploreRequest& request, const Entry& entry);

}  // namespace interlock::scenarios::cli
