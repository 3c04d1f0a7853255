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

#include "reports/run_files.h"

namespace interlock::reports {

struct Format {
  std::string_view name;       ///< "junit"
  std::string_view file_name;  ///< "junit.xml"
  std::string_view summary;    ///< for whom it is
  std::string (*render)(const StoredRun& run);
};

std::span<const Format> Formats();
/// nullptr: there is none of that name.
const Format* FindFormat(std::string_view name);

}  // namespace interlock::reports
