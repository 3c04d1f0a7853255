// SPDX-License-Identifier: MIT
//
// Many runs of foreign clients: the first one calm, the others by the campaign's strategies (see
// cases/strategies.h) until the runs are done, or all that there are (see order_campaign.h). A
// violation is shrunk by trial, and repeated to measure how often it happens.
//
// The report has the form of any campaign's. Thread safety: that of ForeignProcess.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include <interlock/result.h>

#include "reports/run_report.h"
#include "scenarios/cases/strategies.h"
#include "scenarios/run/foreign/drive_case.h"
#include "scenarios/run/foreign/drive_run.h"
#include "scenarios/search/foreign/order_campaign.h"

namespace interlock::scenarios::drive {

struct CampaignOptions {
  DriveOptions drive;
  std::optional<std::uint64_t> runs;  ///< nullopt: at most 1000, and as many as 28 s allow
  std::uint64_t seed = 1;
  std::optional<Strategy> strategy;  ///< nullopt: all of them in turn
  /// For making all cases smaller and confirming them. This keeps a search without `runs` within a
  /// minute.
  Duration confirmation = std::chrono::seconds(22);
  /// Instead of random runs, all within the bounds of `drive.orders`; its `runs`, `seed` and
  /// `progress` are these.
  std::optional<OrderOptions> all_orders;
  /// Called with the number of runs done, and of all, which is estimated if not given.
  std::function<void(std::uint64_t, std::uint64_t)> progress = [](std::uint64_t, std::uint64_t) {};
};

struct DriveResult {
  reports::RunReport report;  ///< without `tool`; rows do not name files yet
  std::vector<reports::Counterexample> counterexamples;
  std::string state;  ///< of a search of all orders that was not finished, to go on from
};

/// Fails as RunClients does; kInvalidArgument, with their messages: even without faults or
/// contention no client connects, or all of them fail.
Result<DriveResult> RunCampaign(const CampaignOptions& options);

/// Runs the case of the example `times` times; the counterexample is from the first run that
/// violates anything. If none does, a note says where the clients did otherwise than in the case.
Result<DriveResult> ReplayCase(const reports::Counterexample& example, const DriveCase& one,
                               std::uint64_t times, const std::atomic<bool>& stop);

}  // namespace interlock::scenarios::drive
