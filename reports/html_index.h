// SPDX-License-Identifier: MIT
//
// A page that leads to others: the runs that were rendered together, or the files of a folder.
//
// Guarantee: as html_writer.h has it: nothing is fetched, foreign text is text. A link leads to
// what is below the page's folder, or to where the caller says. Thread safety: pure functions.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace interlock::reports {

struct IndexLink {
  std::string text;
  std::string href;  ///< relative, each part as it is on disk; or a whole URL that is the caller's
  bool url = false;  ///< it is a URL already
};

struct IndexRow {
  std::string headline;  ///< "PASS"; empty: there is no verdict
  std::string about;
  std::vector<IndexLink> links;
};

std::string ToHtmlIndex(std::string_view title, const std::vector<IndexRow>& rows);

/// A path as part of a URL: what is not a letter, a digit or one of "-._~/" is %XX.
std::string PercentEncoded(std::string_view path);

}  // namespace interlock::reports
