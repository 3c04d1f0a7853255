// SPDX-License-Identifier: MIT
//
// Requests to a process that runs a lock on behalf of another one, and those of its replies that no
// other header describes. Each is one line of JSON, here without the newline.
//
// Guarantee: what ToLine wrote is read back equal. Reading takes any bytes and never throws (except
// for lack of memory). Thread safety: values, pure functions.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "reports/json_writer.h"
#include "reports/run_report.h"

namespace interlock::reports {

enum class Task : std::uint8_t {
  kBlock,        ///< `count` runs from `first` on; reply: a ShardBlock
  kExploration,  ///< the exploration of the lock that a check makes; reply: a ShardExploration
  kShrink,       ///< the smallest case among `candidates`; reply: a SmallCase
  kTake,         ///< the first of `candidates`, as it is; reply: a SmallCase
  kExplain,      ///< explains `token`, which was `original` before it was shrunk; reply: a
                 ///< Counterexample
  kRun,          ///< runs `token` alone; reply: a ShardBlock of that run
};

std::string_view ToString(Task task);

struct WorkRequest {
  Task task = Task::kBlock;
  std::string lock;
  std::string scenario;
  SynchronyClass synchrony = SynchronyClass::kNone;
  std::uint64_t seed = 1;
  std::string strategy;                   ///< empty: the portfolio
  std::uint64_t first = 0;                ///< index of the first run
  std::uint64_t count = 0;                ///< number of runs
  std::string property;                   ///< the slug
  std::vector<std::uint64_t> candidates;  ///< indices of runs
  std::uint64_t budget = 0;               ///< maximum number of runs for shrinking
  std::string token;
  std::string original;
  std::string program;       ///< command that runs the program, for replay lines
  bool thorough = false;     ///< an explanation tests what the case needs and what it does not
  bool keep_events = false;  ///< for kRun: its steps are written into the black box
  bool operator==(const WorkRequest&) const = default;
};

struct SmallCase {
  std::string token;
  std::string original;  ///< the same case as it was found
  std::uint64_t shrinks = 0;
  std::uint64_t ms = 0;  ///< time that it took
  bool operator==(const SmallCase&) const = default;
};

std::string ToLine(const WorkRequest& request);
std::string ToLine(const SmallCase& answer);
[[nodiscard]] ReadResult<WorkRequest> ReadWorkRequest(std::string_view line);
[[nodiscard]] ReadResult<SmallCase> ReadSmallCase(std::string_view line);

}  // namespace interlock::reports
