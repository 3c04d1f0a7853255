// SPDX-License-Identifier: MIT
//
// What is done with a violation that a run of foreign clients has shown: the case is made smaller,
// with copies of the clients where they can be copied, and confirmed by clients that are started.
//
// Thread safety: that of ForeignProcess.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <vector>

#include <interlock/result.h>
#include <interlock/time.h>

#include "scenarios/search/foreign/drive_report.h"

namespace interlock::scenarios::drive {

/// `key`: see Finding; empty: whichever.
bool Has(const DriveRun& run, const std::string& slug, const std::string& key = "");
/// Moves the finding in question to the front, so that it gives the case its name.
void NameBy(const std::string& slug, DriveRun& run, const std::string& key = "");

/// Whether no case of it is needed: one of the same property has its key, or one that is a lock's.
/// Of keys that may be no lock's, a few are kept for each property.
bool IsKnown(const std::vector<DriveFound>& found, const Finding& finding, const DriveSum& sum);

/// Keeps one case of each property. What was done to a key counts only if that key has kept a
/// client out, in any run: data that a script creates and checks look like a lock without it.
void DropUnproven(std::vector<DriveFound>& found, DriveSum& sum);

/// Runs the case, and counts how often it violates its property. If it has none, any violation
/// counts, and the first violating run is kept.
Status Repeat(std::uint64_t times, const std::atomic<bool>& stop, DriveFound& found, DriveSum& sum);

/// Makes the case smaller, unless it is from a search of all orders, and repeats it with started
/// clients, in about `at_most`; `start`: how long a run of started clients takes. If what copies
/// did is not repeated with the smaller case, the original is tried instead. `found.again` is 0 if
/// started clients did neither.
Status Confirm(Duration at_most, Duration start, const std::atomic<bool>& stop, DriveFound& found);

}  // namespace interlock::scenarios::drive
