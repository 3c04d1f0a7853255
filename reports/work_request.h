// SPDX-License-Identifier: MIT
//
// What a process that runs a lock on behalf of another one is asked, a line of JSON each (here
// without its end), and those of its answers that no other header describes.
//
// Guarantee: what ToLine wrote is read back equal. Reading takes any bytes and never throws (but
// for memory). Thread safety: values, pure functions.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "reports/json_writer.h"
#include "reports/run_report.h"

namespace interlock::reports {

enum class Task : std::uint8_t {
  kBlock,        ///< `count` runs from `first` on; answer: a ShardBlock
  kExploration,  ///< the lock's, as a check has it; answer: a ShardExploration
  kShrink,       ///< the smallest case among `candidates`; answer: a SmallCase
  kTake,         ///< the first of `candidates`, as it is; answer: a SmallCase
  kExplain,      ///< `token` and, before it was made small, `original`; answer: a Counterexample
  kRun,          ///< `token` alone; answer: a ShardBlock of that run
};

std::string_view ToString(Task task);

struct WorkRequest {
  Task task = Task::kBlock;
  std::string lock;
  std::string scenario;
  SynchronyClass synchrony = SynchronyClass::kNone;
  std::uint64_t seed = 1;
  std::string strategy;                   ///< empty: the portfolio
  std::uint64_t first = 0;                ///< index of a run
  std::uint64_t count = 0;                ///< runs
  std::string property;                   ///< the slug
  std::vector<std::uint64_t> candidates;  ///< indices of runs
  std::uint64_t budget = 0;               ///< runs that shrinking may take
  std::string token;
  std::string original;
  std::string program;       ///< how to call it, for replay lines
  bool thorough = false;     ///< an explanation tries what the case needs and what not
  bool keep_events = false;  ///< of kRun: its steps are written into the black box
  bool operator==(const WorkRequest&) const = default;
};

struct SmallCase {
  std::string token;
  std::string original;  ///< the same case as it was found
  std::uint64_t shrinks = 0;
  std::uint64_t ms = 0;  ///< that it took
  bool operator==(const SmallCase&) const = default;
};

std::string ToLine(const WorkRequest& request);
std::string ToLine(const SmallCase& answer);
[[nodiscard]] ReadResult<WorkRequest> ReadWorkRequest(std::string_view line);
[[nodiscard]] ReadResult<SmallCase> ReadSmallCase(std::string_view line);

}  // namespace interlock::reports
