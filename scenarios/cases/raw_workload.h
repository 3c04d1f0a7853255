// SPDX-License-Identifier: MIT
//
// A workload before its numbers are cooked: every number is an index into a ladder, the calmest
// first, most of them of durations relative to the lease. So a smaller number is a calmer case,
// and a case keeps its sense when the lease changes.
//
// Thread safety: pure functions.
#pragma once

#include <cstdint>
#include <vector>

#include "scenarios/cases/scenario.h"

namespace interlock::scenarios {

struct RawOperation {
  int ask = 0;
  int think = 0;
  int wait = 0;
  int hold = 0;
  int extend = 0;    ///< 0: no
  int overstay = 0;  ///< 0: no
  int resource = 0;
  int inside = 0;      ///< 0: no
  int outlives = 0;    ///< 0: no
  int shared = 0;      ///< 0: no
  int sets_limit = 0;  ///< 0: no
  int age = 0;         ///< how much of a limit's life passes before it
  /// 0: not stopped; else one more than its rung, or, from kStopsInStep on, see StopInStep.
  int stop = 0;
  int force = 0;  ///< 0: no
};

struct RawFault {
  sim::FaultKind kind = sim::FaultKind::kCrash;
  int step = 0;
  int length = 0;
  int node = 0;
};

struct RawClient {
  std::vector<RawOperation> operations;
  std::vector<RawFault> faults;
  int offset = 0;
  int rate = 0;
  int limit = 0;  ///< 0: the workload's, 1: whichever is in force, 2: one, ...
  int lease = 0;
  int shares_objects = 0;  ///< 0: no
};

struct RawWorkload {
  int lease = 0;
  int latency = 0;
  int permits = 0;
  int resources = 0;
  int persistence = 0;  ///< which of the shape's
  int life = 0;         ///< a latch's
  std::vector<RawClient> clients;
};

/// How many rungs each ladder has.
struct Ladders {
  int leases, latencies, thinks, waits, holds, overstays, offsets, rates, lives, ages,
      client_leases, stops;
};
extern const Ladders kLadders;
/// A wait is stopped about when the first operation of that client is over, if nothing is in its
/// way: `late` times the slowest message later.
inline constexpr int kStopsInStep = 1000;
inline constexpr int kMostLate = 6;  ///< late is below
constexpr int StopInStep(int client, int late) { return kStopsInStep + client * kMostLate + late; }

inline constexpr int kMostSteps = 45;  ///< a fault's step is below

/// The rungs of the ladder that the kind's length is taken from; 1 if it has no length.
int LengthRungs(sim::FaultKind kind);
/// The length on a rung of that ladder; a rate is a part of `max_rate_ppm`.
Duration FaultLength(sim::FaultKind kind, int rung, Duration lease, std::int64_t max_rate_ppm);

Workload Cooked(const WorkloadShape& shape, const RawWorkload& raw);

}  // namespace interlock::scenarios
