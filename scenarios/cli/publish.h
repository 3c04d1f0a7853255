// SPDX-License-Identifier: MIT
//
// From the verdicts of a campaign to what its user sees: explained counterexamples, the comparison
// with a second process, text or JSON, files, and the exit code.
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

/// Installs the guard: should a run bring the program down, a partial report with the reason is
/// left.
void Guard(const OutputSettings& settings, const Registry& registry, std::uint64_t seed);

/// A disk that fills later changes no verdict, but a place that never was one is found out at once.
reports::ExitCode PrepareOut(const OutputSettings& settings);

/// Writes a file below settings.out; complains and returns kInternal if that fails.
reports::ExitCode WriteFile(const OutputSettings& settings, const std::string& name,
                            const std::string& content);

/// Prints the verdicts of a campaign as they come, and at its end all the rest; what is printed
/// depends on the campaign's options alone, and not on its jobs or the time that it takes.
/// REQUIRES: Guard, and the calling thread is a GuardedThread.
class Publication {
 public:
  /// Begins to print, unless there is nothing to be said before the end: as JSON, in a shard, or
  /// with a budget. All of them outlive it.
  Publication(const OutputSettings& settings, const Registry& registry, CampaignOptions& options);

  /// Completes the report (tool, wall time), prints what is left of it, and writes its files.
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
  std::size_t told_ = 0;  // rows that are printed
  reports::ExitCode printed_ = reports::ExitCode::kPass;
};

/// Scenarios by pattern; after a complaint kUsage if nothing matches.
reports::ExitCode SelectInto(const std::string& pattern, std::vector<const Scenario*>& scenarios);

/// Fills entries, scenarios and controls; after a complaint kUsage if nothing matches, or nothing
/// applies.
reports::ExitCode SelectUnits(const Registry& registry, const std::string& lock,
                              const std::string& scenario, CampaignOptions& options);

}  // namespace interlock::scenarios::cli
