// SPDX-License-Identifier: MIT
//
// Owner tokens: one per try, so that what an earlier try left behind is never taken for this one's.
#pragma once

#include <string>
#include <string_view>

#include <interlock/runtime.h>

namespace interlock::internal {

/// 128 random bits as 32 lower-case hexadecimal digits, after "<label>@" if there is a label.
std::string NewToken(Runtime& runtime, std::string_view label);

}  // namespace interlock::internal
