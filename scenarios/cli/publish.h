// SPDX-License-Identifier: MIT
//
// From the verdicts of a campaign to what its user sees: explained counterexamples, the comparison
// with a second process, text or JSON, files, and the exit code.
#pragma once

#include <chrono>
#include <string>

#include "reports/exit_code.h"
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

/// Completes the report (tool, wall time since `started`), prints it and writes its files.
/// REQUIRES: Guard, and the calling thread is a GuardedThread.
reports::ExitCode Publish(const OutputSettings& settings, const Registry& registry,
                          const CampaignOptions& options, CampaignResult result,
                          std::chrono::steady_clock::time_point started);

/// Scenarios by pattern; after a complaint kUsage if nothing matches.
reports::ExitCode SelectInto(const std::string& pattern, std::vector<const Scenario*>& scenarios);

/// Fills entries and scenarios; after a complaint kUsage if nothing matches, or nothing applies.
reports::ExitCode SelectUnits(const Registry& registry, const std::string& lock,
                              const std::string& scenario, CampaignOptions& options);

}  // namespace interlock::scenarios::cli
