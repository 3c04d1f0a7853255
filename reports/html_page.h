// SPDX-License-Identifier: MIT
//
// The beginning and end of every page (its content security policy, style and script), and text on
// it. Thread safety: pure functions.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace interlock::reports {

/// Everything before the page's text. `title` must be safe for markup.
std::string PageHead(std::string_view title);
std::string PageEnd();

/// Any text as safe markup, cut after `width` characters.
std::string HtmlText(std::string_view text, std::size_t width = 300);

}  // namespace interlock::reports
