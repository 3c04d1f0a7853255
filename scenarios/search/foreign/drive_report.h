// SPDX-License-Identifier: MIT
//
// Turns runs of foreign clients into the report that every campaign has. Thread safety: pure
// functions.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "reports/run_report.h"
#include "scenarios/run/foreign/drive_case.h"
#include "scenarios/run/foreign/drive_run.h"
#include "sim/choices.h"

namespace interlock::scenarios::drive {

/// Totals over a campaign's runs.
struct DriveSum {
  std::uint64_t runs = 0;
  std::uint64_t with_faults = 0;
  std::uint64_t commands = 0;
  std::uint64_t owned = 0;       ///< runs in which a client has owned a lock's key
  std::uint64_t contended = 0;   ///< runs in which two clients have owned one lock's key
  std::uint64_t entered = 0;     ///< runs with more clients in a section than permits
  std::uint64_t refused = 0;     ///< runs in which a client was refused
  std::uint64_t fenced = 0;      ///< runs with writes under two grants whose order is known
  std::uint64_t outlasted = 0;   ///< runs in which a section outlasted a lease that was renewed
  std::uint64_t met = 0;         ///< runs in which clients have met at a lock
  std::uint64_t owner_gone = 0;  ///< runs in which an owner of a lock's key ended or was killed
  std::uint64_t bounded = 0;     ///< runs ended by a bound
  std::uint64_t inconclusive = 0;
  bool has_sections = false;
  bool has_writes = false;  ///< to a guarded resource
  std::string why_inconclusive;
  std::string entered_twice;  ///< see Sections; only without a fault
  std::string stopped;        ///< where the aborted run was; empty: none was
  /// Properties that copies have violated, and started clients have not with the same choices.
  std::vector<std::string> unconfirmed;
  /// Why violations by what may be no lock's key count for nothing, by property.
  std::map<std::string, std::string> unproven;
  std::set<std::string> kept_out;     ///< keys that a client asked for in vain, in any run
  std::vector<std::string> failures;  ///< how unsuccessful clients ended, each once
  std::chrono::milliseconds virtual_time{};
};

void Add(const DriveRun& run, const DriveOptions& options, DriveSum& sum);
/// Adds a run that was cut short without a violation. It counts only if it is the only one, so that
/// the report can say which clients have met.
void AddStopped(DriveRun run, const DriveOptions& options, DriveSum& sum);

/// How a case was found, and how often it happens again.
struct DriveFound {
  DriveCase one;
  DriveRun run;  ///< its first finding is what was found
  DriveRun original = {};
  std::uint64_t first_run = 0;  ///< counted from 1; 0: it was not searched for
  std::uint64_t tries = 0;      ///< runs made to shrink it
  std::chrono::milliseconds took{};
  std::uint64_t again = 0;     ///< how many of `repeated` runs with its choices did the same
  std::uint64_t repeated = 0;  ///< 0: it was not repeated
};

/// REQUIRES: found.run has a finding.
reports::Counterexample Explain(const DriveFound& found);

/// One row for each property that applies; those in `found` are violated.
std::vector<reports::ResultRow> RowsOf(const DriveSum& sum, const DriveOptions& options,
                                       const std::vector<DriveFound>& found);

/// The bounds of the runs, and how many runs reached one.
std::string BoundsOf(const DriveSum& sum, const DriveOptions& options);

/// "python3 worker.py"
std::string CommandLine(const DriveOptions& options);

}  // namespace interlock::scenarios::drive
