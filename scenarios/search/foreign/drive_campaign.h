// SPDX-License-Identifier: MIT
//
// Many runs of foreign clients: the first one calm, the others by the strategies of the campaign
// (see search/explore/strategies.h), until one property is violated, or the runs are done. What is
// found is made smaller by trying, and tried again to see how often it happens.
//
// The report has the form of any campaign's. Thread safety: as ForeignProcess.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <interlock/result.h>

#include "reports/run_report.h"
#include "scenarios/run/foreign/drive_case.h"
#include "scenarios/run/foreign/drive_run.h"
#include "scenarios/search/explore/strategies.h"

namespace interlock::scenarios::drive {

struct CampaignOptions {
  DriveOptions drive;
  std::uint64_t runs = 200;
  std::uint64_t seed = 1;
  std::optional<Strategy> strategy;  ///< nullopt: all of them in turn
  /// Is told how many runs are done.
  std::function<void(std::uint64_t)> progress = [](std::uint64_t) {};
};

struct DriveResult {
  reports::RunReport report;  ///< without `tool`; rows do not name files yet
  std::vector<reports::Counterexample> counterexamples;
};

/// Failures as RunClients; kFailedPrecondition: without any fault or contention no client connects,
/// or all of them fail, with what they say.
Result<DriveResult> RunCampaign(const CampaignOptions& options);

/// Runs the case `times` times; the counterexample is that of the first that violates anything.
Result<DriveResult> ReplayCase(const DriveCase& one, std::uint64_t times,
                               const std::atomic<bool>& stop);

}  // namespace interlock::scenarios::drive
