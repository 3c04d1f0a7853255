// SPDX-License-Identifier: MIT
//
// The findings of a run that an earlier one did not have, and what has become of the earlier run's
// findings.
//
//   const RunDiff diff = Diff(earlier, now);       // two checks, or two measurements
//
// A finding is anything that does not pass: a violation, an acquitted specimen, an inconclusive
// verdict, a crossed threshold. It is recognised by its fingerprint: a hash of the lock, the
// property and the skeleton of its shrunk faults (their kinds, without clients, times and lengths),
// so it stays the same with another seed, in another scenario, and when other times are drawn.
//
// Guarantee: a finding is "fixed" only if the run looked again; a violation only if it looked often
// enough to miss it by chance at most once in twenty times. Non-guarantee: two defects of one lock
// that break one property through the same kinds of faults share a fingerprint. Thread safety: pure
// functions.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "reports/exit_code.h"
#include "reports/run_files.h"

namespace interlock::reports {

inline constexpr std::string_view kDiffSchema = "interlock.diff/1";

enum class Standing : std::uint8_t {
  kNew,     ///< the earlier run did not have it
  kStill,   ///< both have it
  kRare,    ///< gone, but so rare that the later run may simply have missed it
  kUnseen,  ///< gone, but the later run did not look: it has no such verdict, or an inconclusive
            ///< one
  kFixed,   ///< gone
};
/// "new", "still", …
std::string_view ToString(Standing standing);

struct Finding {
  std::string fingerprint;  ///< sixteen hexadecimal digits
  ExitCode code = ExitCode::kViolated;
  std::string what;                 ///< "FAIL", "acquitted", "now passes", "inconclusive"
  std::string property;             ///< "LK005 foreign-release", or what a threshold demands
  std::string lock;                 ///< empty for a threshold, whose text names it
  std::string sentence;             ///< what happened, if a case or a reason says so
  std::vector<std::string> places;  ///< "overstay [none]"
  std::vector<std::string> faults;  ///< the skeleton of the faults
  bool faults_known = false;        ///< false: there was no case to take them from
  std::string replay;               ///< a token; empty: none
};

struct Change {
  Standing standing = Standing::kNew;
  Finding finding;     ///< from the later run if it has it, otherwise from the earlier one
  std::string remark;  ///< the reason for this standing, if it is not obvious
};

/// Identifies a run to the reader.
struct RunName {
  std::string version;
  std::string commit;
  std::uint64_t seed = 0;
  std::string backend;
  std::uint64_t size = 0;  ///< number of runs; for a measurement, of points
  std::string headline;    ///< its own verdict
};

struct RunDiff {
  bool of_measurements = false;
  RunName before;
  RunName now;
  std::vector<Change> changes;  ///< by standing
  std::vector<std::string> notes;
  bool partial = false;                 ///< the later run was interrupted
  std::uint64_t divergences = 0;        ///< of the later run
  std::string program = "./interlock";  ///< for replay lines; not in its JSON
};

/// REQUIRES: both are checks, or both are measurements.
RunDiff Diff(const StoredRun& before, const StoredRun& now);

/// The code that the new findings demand; rare and unseen ones are inconclusive. Findings that are
/// still there do not fail again here: the run's own exit code reports them.
ExitCode ExitCodeOf(const RunDiff& diff);

}  // namespace interlock::reports
