// SPDX-License-Identifier: MIT
//
// A run as stored in a folder: run.json and the counterexamples that its rows name, or the run.json
// of a contention measurement.
//
//   auto run = ReadRun("out");                        // or "out/run.json"
//   if (!run.value) return Complain(run.error);       // "out/run.json: results[3].verdict: ..."
//
// Guarantee: nothing is run again, and locks, scenarios and seeds need not be known here: files
// written by an older program with the same schema are read the same way. A counterexample that is
// named but missing becomes a note in the report, because run.json is often kept alone; one that
// cannot be read is an error, and so is a name that leads out of the folder.
// Non-guarantee: the files may not belong together. Thread safety: pure function of the files.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "reports/contention.h"
#include "reports/exit_code.h"
#include "reports/json_writer.h"
#include "reports/run_report.h"

namespace interlock::reports {

struct StoredRun {
  RunReport report;                             ///< the verdicts; empty if it is a measurement
  std::vector<Counterexample> counterexamples;  ///< in the order of the rows that name them
  /// The counterexamples' files, relative to the run's; empty: not read from files.
  std::vector<std::string> files = {};
  std::optional<ContentionReport> contention = {};  ///< set if it is a measurement
};

/// The code that its verdicts or its gates demand.
ExitCode ExitCodeOf(const StoredRun& run);

/// `path` is a folder with a run.json, or such a file itself. Reads at most 256 MiB per file.
[[nodiscard]] ReadResult<StoredRun> ReadRun(const std::filesystem::path& path);

}  // namespace interlock::reports
