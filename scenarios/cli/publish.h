// SPDX-License-Identifier: MIT
//
// Turns the verdicts of a campaign into its output: explained counterexamples, the comparison with
// a second process, text or JSON, files, and the exit code.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>

#include "reports/exit_code.h"
#include "reports/text_rows.h"
#include "scenarios/cli/registry.h"
#include "scenarios/search/campaign.h"

namespace interlock::scenarios::cli {

struct OutputSettings {
  bool json = false;
  std::string out;  ///< folder; empty: no files
  int watchdog = 30;
};

/// "counterexamples/mutex.chaos.bounded.keys.json"
std::string FileNameOf(const Found& found);

/// Installs the guard: if a run crashes the program, a partial report with the reason is left
/// behind.
void Guard(const OutputSettings& settings, const Registry& registry, std::uint64_t seed);

/// Checks the output folder at once, so that an unusable one is reported early; a disk that fills
/// up later changes no verdict.
reports::ExitCode PrepareOut(const OutputSettings& settings);

/// Writes a file below settings.out, if that is given; complains and returns kInternal if that
/// fails.
reports::ExitCode WriteFile(const OutputSettings& settings, const std::string& name,
                            const std::string& content);

/// Prints the verdicts of a campaign as they arrive, and everything else at its end. The output
/// depends only on the campaign's options, not on the number of its jobs or the time that it takes.
/// REQUIRES: Guard, and the calling thread is a GuardedThread.
class Publication {
 public:
  /// Begins to print, unless all output comes at the end: as JSON, in a shard, or with a budget.
  /// The arguments must outlive the Publication.
  Publication(const OutputSettings& settings, const Registry& registry, CampaignOptions& options);

  /// Completes the report (tool, wall time), prints the rest of it, and writes its files.
  reports::ExitCode Finish(CampaignResult result);

 private:
  reports::ExitCode PrintRest(const reports::RunReport& report,
                              const std::vector<reports::Counterexample>& counterexamples);
  reports::ExitCode WriteFiles(const CampaignResult& result,
                               const std::vector<reports::Counterexample>& counterexamples);

  const OutputSettings& settings_;
  const Registry& registry_;
  const CampaignOptions& options_;
  const std::chrono::steady_clock::time_point started_;
  const reports::TextOptions text_;
  const bool live_;
  reports::RowsText rows_;
  std::size_t told_ = 0;  // number of rows printed so far
  reports::ExitCode printed_ = reports::ExitCode::kPass;
};

/// Selects scenarios by pattern; returns kUsage, after a complaint, if nothing matches.
reports::ExitCode SelectInto(const std::string& pattern, std::vector<const Scenario*>& scenarios);

/// The pattern of all scenarios.
inline constexpr const char* kEverything = "*";

/// Fills entries, scenarios and controls; returns kUsage, after a complaint, if nothing matches or
/// nothing applies. Who names scenarios, or is thorough, gets them for every lock.
reports::ExitCode SelectUnits(const Registry& registry, const std::string& lock,
                              const std::string& scenario, bool thorough, CampaignOptions& options);

}  // namespace interlock::scenarios::cli
