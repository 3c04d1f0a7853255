// SPDX-License-Identifier: MIT
//
// The payload of FUNCTION DUMP and FUNCTION RESTORE: the texts of libraries.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sim/redis/dialect.h"

namespace interlock::sim::redis {

std::string WriteLibraries(std::span<const std::string> texts, const Dialect& dialect);

/// Reads texts until something else comes up, and returns what that is: an error reply, or nothing
/// at the end. REQUIRES: VerifyFooter.
std::string ReadLibraries(std::string_view payload, const Dialect& dialect,
                          std::vector<std::string>* texts);

}  // namespace interlock::sim::redis
