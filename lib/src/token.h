// SPDX-License-Identifier: MIT
//
// Values drawn from the Runtime's entropy. Each try has its own owner token, so that the leftovers
// of an earlier try are never taken for this one's.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include <interlock/runtime.h>

namespace interlock::internal {

/// For jitter.
std::uint32_t RandomNumber(Runtime& runtime);

/// 128 random bits as 32 lower-case hexadecimal digits, after "<label>@" if there is a label.
std::string NewToken(Runtime& runtime, std::string_view label);

}  // namespace interlock::internal
