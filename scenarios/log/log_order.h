// SPDX-License-Identifier: MIT
//
// Whether the events of a log that somebody else wrote fit together: whoever enters a section was
// granted it, and so on. Thread safety: pure function.
#pragma once

#include <string>

#include "scenarios/log/log_file.h"

namespace interlock::scenarios {

/// Describes the first event that does not fit, with its line in the file; empty if there is none.
std::string WhatDoesNotFit(const LogFile& file);

/// Makes all instants count from the first event, and supplies the end of a validity where its
/// client did not say it: a lease after the call. REQUIRES: everything fits.
void Complete(LogFile& file);

}  // namespace interlock::scenarios
