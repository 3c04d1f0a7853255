// SPDX-License-Identifier: MIT
//
// Owner tokens: one per try, so that what an earlier try left behind is never taken for this one's.
#pragma once

#include <string>

#include <interlock/runtime.h>

namespace interlock::internal {

/// 128 random bits as 32 lower-case hexadecimal digits.
std::string NewToken(Runtime& runtime);

}  // namespace interlock::internal
