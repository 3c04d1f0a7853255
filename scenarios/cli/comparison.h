// SPDX-License-Identifier: MIT
//
// Compares runs of a campaign with the same runs in another process (LK016). Thread safety: it uses
// threads of its own; one call at a time.
#pragma once

#include "reports/run_report.h"
#include "scenarios/search/campaign.h"

namespace interlock::scenarios::cli {

/// Repeats the first runs of one unit of each scenario, at most 20, in processes with another
/// address space layout, one for each thread, and adds to the report's double runs and divergences.
/// The seed selects the unit. Where no other process can run it, a row of its own reports that and
/// makes the whole inconclusive.
void CompareWithSecondProcess(const CampaignOptions& options, reports::RunReport& report);

}  // namespace interlock::scenarios::cli
