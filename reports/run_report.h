// SPDX-License-Identifier: MIT
//
// The results of a harness run, as plain data: the verdicts (RunReport, schema interlock.run/1) and
// one explained failure (Counterexample, schema interlock.counterexample/1). Every output format is
// a pure function of these two, so a bug in a format can never change a verdict.
//
// Guarantee: nothing here computes, owns a resource or throws, except for the strings' own memory.
// Non-guarantee: the strings are taken as they come; each writer makes them safe for its own
// format. Thread safety: values, as any std container. Units: in the names or types.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "reports/case_rows.h"
#include "reports/synchrony.h"

namespace interlock::reports {

inline constexpr std::string_view kRunSchema = "interlock.run/1";
inline constexpr std::string_view kCounterexampleSchema = "interlock.counterexample/1";

/// A lock that is meant to be correct, or one that is known to be broken and must be convicted.
enum class LockKind { kSound, kSpecimen };

/// The verdict that theory demands for this lock, scenario and class. `kEither` is shown and never
/// judged.
enum class Expectation { kHolds, kBreaks, kEither };

/// `kInconclusive`: the property was never put to the test, or the budget ended; it is not a pass.
enum class Verdict { kHolds, kViolated, kInconclusive };

/// `kPartial`: the run was interrupted, so absent rows say nothing.
enum class RunStatus { kComplete, kPartial };

/// The words of run.json: "sound", "bounded", "breaks", "inconclusive", "partial".
std::string_view ToString(LockKind kind);
std::string_view ToString(Expectation expectation);
std::string_view ToString(Verdict verdict);
std::string_view ToString(RunStatus status);

struct ToolInfo {
  std::string version;
  std::string commit;
  std::string compiler;
  /// The command that ran it; not in run.json. Empty: not known, so only bare tokens are shown.
  std::string program = "./interlock";
};

struct Totals {
  std::uint64_t runs = 0;
  std::uint64_t runs_with_faults = 0;
  std::uint64_t commands = 0;
  std::chrono::milliseconds virtual_time{};  ///< "virtual_seconds", three decimals
  /// "wall_seconds", three decimals. Absent where equal options must give equal bytes.
  std::optional<std::chrono::milliseconds> wall_time = {};
  std::uint64_t double_runs = 0;  ///< runs executed a second time to compare their hashes
  std::uint64_t divergences = 0;  ///< how many of them differed; above 0 no verdict can be trusted
  std::uint64_t states = 0;  ///< states of exhaustive explorations; absent from run.json while 0
};

/// The size of a case: how much there is to understand in it.
struct Size {
  std::uint64_t clients = 0;
  std::uint64_t faults = 0;
  std::uint64_t operations = 0;
  std::uint64_t switches = 0;  ///< scheduling choices other than "continue"
};

/// Why a verdict is not a sample: every run within this bound was executed, or passes through a
/// state from which all runs were executed.
struct Proof {
  std::string bound;  ///< "<= 2 clients, <= 2 attempts that wait, <= 1 crash, ..."
  std::uint64_t states = 0;
  std::vector<std::string> reductions = {};  ///< what was treated as equivalent; empty: nothing
};

/// One property of one lock in one scenario and class.
struct ResultRow {
  std::string lock;
  LockKind kind = LockKind::kSound;
  std::string scenario;
  SynchronyClass synchrony = SynchronyClass::kNone;  ///< "class"
  std::string property;                              ///< the slug: "server-exclusion"
  std::string code;                                  ///< "LK001"
  Expectation expected = Expectation::kHolds;
  Verdict verdict = Verdict::kInconclusive;
  bool pass = false;  ///< the verdict is the demanded one; decided by the code that fills the row
  std::uint64_t runs = 0;
  std::uint64_t exercised = 0;  ///< runs in which the property could have failed
  std::optional<std::uint64_t> runs_to_first_violation = {};  ///< counted from 1
  std::optional<std::string> replay = {};                     ///< token
  std::optional<std::string> counterexample = {};             ///< file name, relative to run.json
  std::string reason = {};  ///< optional sentence: why it is inconclusive, or why this is expected
  // The members below are absent from run.json while they say nothing.
  /// For a pinned case: the number of ways in which it was placed, which are all that exist.
  std::optional<std::uint64_t> placings = {};
  /// Of an exhaustive exploration; otherwise the runs are a sample.
  std::optional<Proof> proof = {};
  /// For a violation that was neither shrunk nor explained: the size of the run as found.
  std::optional<Size> unshrunk = {};
  /// A sound lock that was not asked for, run because a conviction needs its control. It counts
  /// neither in the totals nor for the exit code.
  bool witness = false;
  std::string saved_case = {};  ///< file name of the replayed counterexample; otherwise empty
};

/// A noteworthy event that must have happened, and how often it did.
struct GoalCount {
  std::string name;
  std::uint64_t count = 0;
};

struct RunReport {
  ToolInfo tool;
  std::uint64_t seed = 0;
  std::string backend = "sim";  ///< or "redis://…", without a password
  Totals totals;
  std::vector<ResultRow> results;  ///< in display order
  std::vector<GoalCount> goals;
  std::uint64_t trace_hash = 0;
  RunStatus status = RunStatus::kComplete;  ///< absent from run.json while complete
  std::vector<std::string> notes;           ///< absent from run.json while empty
};

/// The size of the failing case, as shrunk and as found.
struct Shrunk {
  Size now;
  Size original;
  std::uint64_t shrinks = 0;
  std::chrono::milliseconds time{};  ///< real time: "seconds", three decimals
};

/// A step-by-step record of the run, so that a later one can be compared with it. A step is a
/// hashed event of the trace, counted from 1.
struct Record {
  std::uint64_t trace_hash = 0;
  std::uint64_t steps = 0;
  std::uint64_t violating_step = 0;
  std::uint64_t stride = 1;  ///< number of steps between digests
  std::string digests;       ///< eight hexadecimal digits each, the low half of the running hash
};

/// One failing case, explained. It belongs to the ResultRow with the same (lock, scenario,
/// synchrony, code, property).
struct Counterexample {
  std::string code;      ///< "LK005"
  std::string property;  ///< the slug: "foreign-release"
  std::string title;     ///< headline: "released somebody else's lock"
  std::string sentence;  ///< what happened in this case: "C1 deleted k 300.9 ms after its lease
                         ///< expired; ..."
  std::string lock;
  std::string scenario;
  SynchronyClass synchrony = SynchronyClass::kNone;
  std::vector<std::string> columns;  ///< the clients, by name, then "redis" (or each node)
  std::vector<TableRow> rows;        ///< by time
  std::vector<Stretch> stretches;    ///< absent from counterexample.json while empty
  /// Texts of the scripts that the rows call S1, S2, ..., in this order.
  std::vector<std::string> scripts;
  std::vector<std::string> faults;  ///< the fault plan, one line per fault
  Shrunk shrunk;
  std::vector<std::string> needed;      ///< conditions that the failure needs
  std::vector<std::string> irrelevant;  ///< values that could be anything else
  std::string nearest;   ///< how the nearest passing run differs: "the pause of C1 (1099.1 ms)"
  std::string critical;  ///< the deciding step, and its margin
  std::vector<std::string> also;   ///< later violations that follow from this one
  std::vector<std::string> hints;  ///< how such a defect is usually repaired
  std::uint64_t violating_runs = 0;
  std::uint64_t total_runs = 0;
  std::string replay;  ///< the whole command line, "./interlock replay '…'"; may be empty
  std::string debug;   ///< the command line that stops a debugger at the violating step
  std::optional<Record> record;
  /// As ToolInfo::program; if empty, `replay` is a bare token. Not in counterexample.json.
  std::string caller = "./interlock";
  /// Everything needed to run the case again (workload, fault plan, tape), as one JSON value. It is
  /// embedded in counterexample.json as JSON, not as a string; empty means null.
  std::string program;
};

}  // namespace interlock::reports
