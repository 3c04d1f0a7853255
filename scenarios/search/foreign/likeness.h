// SPDX-License-Identifier: MIT
//
// Whether two runs of foreign clients are alike: everything that the servers saw and answered, and
// how each client ended, in order. What a client draws for itself (its process number, a time-based
// token) differs between two runs that were made in the same way, so a third run tells which words
// those are.
//
// Thread safety: pure functions.
#pragma once

#include <optional>
#include <string>

#include "scenarios/run/foreign/drive_run.h"

namespace interlock::scenarios::drive {

/// The first difference between `one` and `run`, as a sentence; nullopt: none. Words in which `one`
/// and `again` differ, too, are left out. REQUIRES: `again` was made as `one` was.
std::optional<std::string> DifferenceOf(const DriveRun& run, const DriveRun& one,
                                        const DriveRun& again);

}  // namespace interlock::scenarios::drive
