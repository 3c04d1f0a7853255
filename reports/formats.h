// SPDX-License-Identifier: MIT
//
// The formats in which a stored run can be written, by name.
//
// Guarantee: each format is a pure function of the run, so the same files give the same bytes, and
// no format can change a verdict. Thread safety: pure functions.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "reports/run_files.h"

namespace interlock::reports {

struct Rendered {
  std::string file_name;  ///< relative to the run's folder: "counterexamples/a.pftrace"
  std::string content;
};

/// A format renders either the run, as one file, or each counterexample, as a file next to its own;
/// and it may also render a contention measurement.
struct Format {
  std::string_view name;       ///< "junit"
  std::string_view file_name;  ///< "junit.xml"; for a counterexample, the extension: ".pftrace"
  std::string_view media_type;
  std::string_view summary;  ///< its intended readers
  std::string (*render)(const StoredRun& run) = nullptr;
  std::string (*render_case)(const Counterexample& example) = nullptr;
  std::vector<Rendered> (*render_contention)(const ContentionReport& report) = nullptr;
};

/// One file for a run, or one for each counterexample, so perhaps none. Empty if the format has
/// nothing to say about such a run.
std::vector<Rendered> Render(const Format& format, const StoredRun& run);

std::span<const Format> Formats();
/// "text/html; charset=utf-8", by the end of the name; a browser offers unknown types for download.
std::string_view MediaTypeOf(std::string_view file_name);
/// nullptr: no format has that name.
const Format* FindFormat(std::string_view name);

}  // namespace interlock::reports
