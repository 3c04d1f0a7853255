// SPDX-License-Identifier: MIT
//
// How every page begins and ends: its content security policy, its style, and its script. Thread
// safety: pure functions.
#pragma once

#include <string>
#include <string_view>

namespace interlock::reports {

/// Up to the beginning of the text. `title` must be safe for markup.
std::string PageHead(std::string_view title);
std::string PageEnd();

}  // namespace interlock::reports
