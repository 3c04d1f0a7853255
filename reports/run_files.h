// SPDX-License-Identifier: MIT
//
// A run as it lies in a folder: run.json, and the counterexamples that its rows name; or the
// run.json of a measurement of contention.
//
//   auto run = ReadRun("out");                        // or "out/run.json"
//   if (!run.value) return Complain(run.error);       // "out/run.json: results[3].verdict: ..."
//
// Guarantee: nothing is run again, and no lock, scenario or seed has to be known here: what was
// written by an older program of the same schema is read the same. A counterexample that is named
// and not there is a note of the report, because run.json is often kept alone; one that is there
// and cannot be read is an error, and so is a name that leads out of the folder.
// Non-guarantee: that the files belong together. Thread safety: pure function of the files.
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
  RunReport report;                             ///< of verdicts; empty if it is a measurement
  std::vector<Counterexample> counterexamples;  ///< in the order of the rows that name them
  std::vector<std::string> files = {};  ///< theirs, relative to the run's; empty: not from files
  std::optional<ContentionReport> contention = {};  ///< if it is a measurement
};

/// What its verdicts, or its gates, demand.
ExitCode ExitCodeOf(const StoredRun& run);

/// `path`: a folder with a run.json, or a file like it. At most 256 MiB each.
[[nodiscard]] ReadResult<StoredRun> ReadRun(const std::filesystem::path& path);

}  // namespace interlock::reports
