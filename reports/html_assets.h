// SPDX-License-Identifier: MIT
//
// The style that all pages of html_writer.h share, and the script that steps through a case. Both
// are embedded in the page, and its content security policy allows nothing else, so no text of the
// code under test can act as either, and nothing is fetched.
#pragma once

#include <string_view>

namespace interlock::reports {

extern const std::string_view kPageStyle;
extern const std::string_view kPageScript;

/// Hashes of their bytes in the form that a content security policy needs: base64 of SHA-256. A
/// test recomputes them.
inline constexpr std::string_view kPageStyleHash = "xKAVGObTTqQju/FAkt2BQTtRznCxFXzsECgZM0bZ5bM=";
inline constexpr std::string_view kPageScriptHash = "yysoWOG+5dzTb07X51l+AnV1sLXBrQZ1UWPI/Nnv03w=";

}  // namespace interlock::reports
