// SPDX-License-Identifier: MIT
//
// What one run showed. Thread safety: plain data.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "scenarios/cases/goals.h"
#include "scenarios/cases/judged.h"
#include "scenarios/cases/workload.h"
#include "scenarios/log/event.h"
#include "scenarios/log/history.h"
#include "sim/trace.h"

namespace interlock::scenarios {

/// The history of one of the run's resources, with its name.
struct ResourceHistory {
  std::string resource;
  History history;
};

struct RunResult {
  std::vector<Violation> violations;  ///< in order of time
  PerJudged<bool> exercised;
  GoalSet goals;
  std::optional<std::string> inconclusive;  ///< why there is no verdict: an unmodelled command, ...
  std::uint64_t trace_hash = 0;             ///< 0 if a probe was used and no events were asked for
  std::uint64_t commands = 0;
  Duration virtual_time{};
  int faults = 0;                          ///< faults that took effect
  FaultSet struck;                         ///< their kinds
  std::uint64_t updates = 0;               ///< updates that the guarded resource accepted
  std::uint64_t lost_updates = 0;          ///< updates overwritten by another write
  std::string story;                       ///< if the scenario tells one; see story.h
  std::vector<sim::TraceEvent> events;     ///< if asked for
  EventLog log;                            ///< what clients did and were told, if asked for
  std::vector<ResourceHistory> histories;  ///< one per resource, if the events were asked for

  const Violation* Find(Judged property) const { return FindViolation(violations, property); }
};

}  // namespace interlock::scenarios
