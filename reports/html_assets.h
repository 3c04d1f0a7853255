// SPDX-License-Identifier: MIT
//
// What every page of html_writer.h has in common: its style, and the script that steps through a
// case. Both stand in the page itself, and the page's content security policy allows nothing else:
// so no text of the code under test can become either, and nothing is fetched.
#pragma once

#include <string_view>

namespace interlock::reports {

extern const std::string_view kPageStyle;
extern const std::string_view kPageScript;

/// Of their bytes, as a content security policy wants it: base64 of SHA-256. A test works them out
/// anew.
inline constexpr std::string_view kPageStyleHash = "xKAVGObTTqQju/FAkt2BQTtRznCxFXzsECgZM0bZ5bM=";
inline constexpr std::string_view kPageScriptHash = "yysoWOG+5dzTb07X51l+AnV1sLXBrQZ1UWPI/Nnv03w=";

}  // namespace interlock::reports
