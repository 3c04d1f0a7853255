// SPDX-License-Identifier: MIT
//
// How a payload of DUMP or FUNCTION DUMP ends: the version of the format, and a checksum. A text
// that claims to be too long may reach into it: the real servers read on, too.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "sim/redis/dialect.h"

namespace interlock::sim::redis {

void AppendFooter(int version, std::string* payload);

/// Whether the checksum is right, and a server of this dialect reads that version.
bool VerifyFooter(std::string_view payload, const Dialect& dialect);

inline constexpr std::size_t kFooterSize = 10;

}  // namespace interlock::sim::redis
