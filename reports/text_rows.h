// SPDX-License-Identifier: MIT
//
// Formats the rows of a report for a terminal one at a time, so that a verdict can be shown as soon
// as it is known. Rows that are grouped by lock get one heading per lock.
//
// Guarantee: the same rows give the same bytes, however they are spread over calls.
// Thread safety: none. Errors: none.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "reports/run_report.h"
#include "reports/text_layout.h"

namespace interlock::reports {

/// How one row is presented: a word in its own column, and its colour.
struct Telling {
  std::string_view word;
  std::string_view color;
};
Telling TellingOf(const ResultRow& row);

/// The text after the names of a row: "violated in run 3, as expected".
std::string DetailOf(const ResultRow& row);

/// "LK005 foreign-release", cut and made safe; "chaos [arbitrary]".
std::string PropertyText(const ResultRow& row, const TextOptions& options);
std::string ScenarioText(const ResultRow& row, const TextOptions& options);

/// The text in this colour, if the options ask for colours.
std::string Colored(std::string_view color, std::string_view text, const TextOptions& options);

class RowsText {
 public:
  explicit RowsText(const TextOptions& options) : options_(options), width_(WidthOf(options)) {}

  /// Returns the lines that are ready now. The rows of one lock, scenario and class, and those of a
  /// proof, are shown together, when another row comes or at the end; those that simply hold share
  /// one line.
  std::string Add(const ResultRow& row);
  /// Returns the remaining lines.
  std::string Finish();

 private:
  void Flush();
  void Heading(const ResultRow& row);
  void Passes(const std::vector<const ResultRow*>& rows);
  void Proved(const std::vector<const ResultRow*>& rows);
  void One(const ResultRow& row);
  void Noted();
  /// `word` and the names, then `detail` beside them or, if there is no room, below.
  void Told(const Telling& telling, std::string_view names, std::string_view detail);
  void Line(std::string_view text);
  std::string ScenarioColumn(const ResultRow& row) const;

  const TextOptions options_;
  const std::size_t width_;
  std::vector<ResultRow> waiting_;  // rows of one unit or of one proof
  std::string lock_;
  std::uint64_t noted_ = 0;
  std::string out_;
};

}  // namespace interlock::reports
