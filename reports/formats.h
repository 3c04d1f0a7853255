// SPDX-License-Identifier: MIT
//
// The formats in which a stored run can be written, by name.
//
// Guarantee: each is a pure function of the run, so the same files give the same bytes, and no
// format can change a verdict. Thread safety: pure functions.
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

/// Either of the run, one file, or of each counterexample, a file beside its own; and what there is
/// of a measurement of contention.
struct Format {
  std::string_view name;       ///< "junit"
  std::string_view file_name;  ///< "junit.xml"; of a counterexample: the ending, ".pftrace"
  std::string_view summary;    ///< for whom it is
  std::string (*render)(const StoredRun& run) = nullptr;
  std::string (*render_case)(const Counterexample& example) = nullptr;
  std::vector<Rendered> (*render_contention)(const ContentionReport& report) = nullptr;
};

/// Of a run one file; of counterexamples one for each, so perhaps none; none if the format has
/// nothing to say of such a run.
std::vector<Rendered> Render(const Format& format, const StoredRun& run);

std::span<const Format> Formats();
/// nullptr: there is none of that name.
const Format* FindFormat(std::string_view name);

}  // namespace interlock::reports
