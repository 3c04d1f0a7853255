// SPDX-License-Identifier: MIT
//
// From an exploration to what its user sees: text, the rows of a run.json, a counterexample.
// Thread safety: as Universe, which explaining needs.
#pragma once

#include <optional>
#include <string>

#include "reports/exit_code.h"
#include "reports/text_layout.h"
#include "scenarios/search/campaign.h"
#include "scenarios/search/explore/exhaustive.h"

namespace interlock::scenarios::cli {

struct ExploreReport {
  /// A row for each property that was looked for; all but tool and wall time.
  reports::RunReport report;
  std::optional<Found> found;
  std::optional<reports::Counterexample> counterexample;  ///< of `found`
};

/// REQUIRES: `exploration` is of `options`, whose lock is `entry`'s. `program`: for replay lines.
ExploreReport MakeReport(const Exploration& exploration, const ExploreOptions& options,
                         const Entry& entry, const std::string& program);

/// The counterexample, if there is one, then the verdict with its bounds.
std::string ToText(const ExploreReport& report, const reports::TextOptions& options);

/// A violation is what was asked about, expected or not.
reports::ExitCode ExitCodeOf(const Exploration& exploration);

}  // namespace interlock::scenarios::cli
