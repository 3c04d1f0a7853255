// SPDX-License-Identifier: MIT
//
// Runs some locks in some scenarios on real servers, one after the other, in the calling process;
// see real_check.h. Several such processes may share the work: each takes every n-th pair of lock
// and scenario.
//
// Thread safety: none; REQUIRES: the calling process has one thread.
#pragma once

#include <cstddef>
#include <string>

#include <interlock/hiredis_connector.h>
#include <interlock/result.h>
#include <interlock/thread_runtime.h>

#include "reports/run_report.h"
#include "scenarios/run/processes/real_plan.h"
#include "scenarios/search/real/real_check.h"

namespace interlock::scenarios::real {

/// Which part of the work, and where.
struct CampaignShare {
  std::size_t index = 0;
  std::size_t total = 1;
  bool own = false;      ///< on servers started for it
  HiredisOptions redis;  ///< otherwise on this one
  std::string prefix;    ///< of all keys
};

/// The seeds of a scenario's runs, as in a simulated campaign.
SeedOfRun SeedsOf(const Scenario& scenario, std::uint64_t seed);

/// Rows in the order of locks and scenarios, undecided; goals, totals, and notes. kUnavailable:
/// servers or processes could not be started.
Result<reports::RunReport> RunShare(ThreadRuntime& runtime, const RealCheckOptions& options,
                                    const CampaignShare& share);

}  // namespace interlock::scenarios::real
