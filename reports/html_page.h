// SPDX-License-Identifier: MIT
//
// How every page begins and ends (its content security policy, its style, its script), and text on
// it. Thread safety: pure functions.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace interlock::reports {

/// Up to the beginning of the text. `title` must be safe for markup.
std::string PageHead(std::string_view title);
std::string PageEnd();

/// Any text as markup, cut after `width` characters.
std::string HtmlText(std::string_view text, std::size_t width = 300);

}  // namespace interlock::reports
