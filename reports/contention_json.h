// SPDX-License-Identifier: MIT
//
// Writes and reads a contention measurement as run.json (schema interlock.run/1, kind
// "contention").
//
// Guarantee: equal data gives equal bytes, and what was written is read back equal, except for
// bytes that are not UTF-8. Reading takes any bytes and never throws (except for lack of memory);
// unknown members are ignored. Thread safety: pure functions.
#pragma once

#include <string>
#include <string_view>

#include "reports/contention.h"
#include "reports/json_writer.h"

namespace interlock::reports {

std::string ToJson(const ContentionReport& report);

[[nodiscard]] ReadResult<ContentionReport> ReadContention(std::string_view json);

/// Whether the text is a run.json of this kind, as far as its first members tell.
bool IsContention(std::string_view json);

}  // namespace interlock::reports
