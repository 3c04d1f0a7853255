// SPDX-License-Identifier: MIT
//
// Turns an exploration into its output: text, the rows of a run.json, a counterexample.
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
  /// Has a row for each property that was looked for; everything is set except tool and wall time.
  reports::RunReport report;
  std::optional<Found> found;
  std::optional<reports::Counterexample> counterexample;  ///< of `found`
};

/// REQUIRES: `exploration` was made with `options`, whose lock is that of `entry`. `program` is for
/// replay lines.
ExploreReport MakeReport(const Exploration& exploration, const ExploreOptions& options,
                         const Entry& entry, const std::string& program);

/// The counterexample, if there is one, then the verdict with its bounds.
std::string ToText(const ExploreReport& report, const reports::TextOptions& options);

/// A violation fails even if it is expected, because the user asked about it.
reports::ExitCode ExitCodeOf(const Exploration& exploration);

}  // namespace interlock::scenarios::cli
