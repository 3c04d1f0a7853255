// SPDX-License-Identifier: MIT
//
// The checksum of what a counterexample file says about its run: an edited or truncated file must
// be rejected, not taken for another run. Thread safety: pure function.
#pragma once

#include <cstdint>
#include <string_view>

#include "reports/run_report.h"

namespace interlock::reports {

/// CRC-32 over the replay line and the record.
std::uint32_t CheckOf(std::string_view replay, const Record& record);

}  // namespace interlock::reports
