// SPDX-License-Identifier: MIT
//
// The names of Redis' commands. Pure functions; thread safe.
#pragma once

#include <string_view>

namespace interlock::internal {

/// Compares as Redis does the names of commands: in any case. `upper` is in upper case.
bool IsNamed(std::string_view command, std::string_view upper);

}  // namespace interlock::internal
