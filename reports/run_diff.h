// SPDX-License-Identifier: MIT
//
// What a run found that an earlier one had not, and what has become of what the earlier one found.
//
//   const RunDiff diff = Diff(earlier, now);       // two checks, or two measurements
//
// A finding is what does not pass: a violation, an acquitted specimen, an inconclusive verdict, a
// crossed threshold. It is recognised by its fingerprint: a hash of the lock, the property and the
// skeleton of its shrunk faults (their kinds, without clients, times and lengths), so it stays the
// same under another seed, in another scenario, and when a time is drawn otherwise.
//
// Guarantee: "fixed" is said only where the run looked again, often enough that chance alone would
// have missed it at most once in twenty times. Non-guarantee: two faults of one lock that break one
// property by the same kinds of faults have one fingerprint. Thread safety: pure functions.
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
  kNew,     ///< the earlier run had it not
  kStill,   ///< both have it
  kRare,    ///< gone, but so rare that the later run may just have missed it
  kUnseen,  ///< gone, and nobody looked: no such verdict, or an inconclusive one
  kFixed,   ///< gone
};
/// "new", "still", …
std::string_view ToString(Standing standing);

struct Finding {
  std::string fingerprint;  ///< sixteen hexadecimal digits
  ExitCode code = ExitCode::kViolated;
  std::string what;                 ///< "FAIL", "acquitted", "now passes", "inconclusive"
  std::string property;             ///< "LK005 foreign-release", or what a threshold demands
  std::string lock;                 ///< empty: of a threshold, whose text names it
  std::string sentence;             ///< what happened, if a case or a reason says so
  std::vector<std::string> places;  ///< "overstay [none]"
  std::vector<std::string> faults;  ///< the skeleton
  bool faults_known = false;        ///< false: there was no case to take them from
  std::string replay;               ///< a token; empty: none
};

struct Change {
  Standing standing = Standing::kNew;
  Finding finding;     ///< as the later run has it; else as the earlier one had
  std::string remark;  ///< why this standing, if that is not plain
};

/// Which run it is, for the reader.
struct RunName {
  std::string version;
  std::string commit;
  std::uint64_t seed = 0;
  std::string backend;
  std::uint64_t size = 0;  ///< runs; of a measurement: points
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

/// What the new findings demand; what is rare or unseen is inconclusive. What is still there fails
/// nobody once more: the run's own exit code says it.
ExitCode ExitCodeOf(const RunDiff& diff);

}  // namespace interlock::reports
