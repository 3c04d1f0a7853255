// SPDX-License-Identifier: MIT
//
// A page of links: to runs that were rendered together, or to the files of a folder.
//
// Guarantee: as in html_writer.h, nothing is fetched and foreign text is only text. A link leads to
// something below the page's folder, or where the caller says. Thread safety: pure functions.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace interlock::reports {

struct IndexLink {
  std::string text;
  std::string href;  ///< relative, each part as it is on disk; or a complete URL from the caller
  bool url = false;  ///< `href` is a complete URL
};

struct IndexRow {
  std::string headline;  ///< "PASS"; empty: no verdict
  std::string about;
  std::vector<IndexLink> links;
};

std::string ToHtmlIndex(std::string_view title, const std::vector<IndexRow>& rows);

/// A path as part of a URL: characters other than letters, digits and "-._~/" become %XX.
std::string PercentEncoded(std::string_view path);

}  // namespace interlock::reports
