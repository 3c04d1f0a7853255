// SPDX-License-Identifier: MIT
//
// What went wrong in a run, for which client, and when: the part of a History written by faults.
// All instants are on the world's single virtual clock. Thread safety: plain data.
#pragma once

#include <algorithm>
#include <vector>

#include "sim/trace.h"

namespace interlock::scenarios {

using sim::VirtualTime;

inline constexpr VirtualTime kOpen = VirtualTime::max();  ///< an interval that has not ended

struct Interval {
  VirtualTime from{};
  VirtualTime to = kOpen;  ///< exclusive
};

/// A time during which a request of the client was delayed in the network.
struct Delay {
  int client = 0;
  Interval interval;
};

/// A fault that may have kept the client's commands from being answered in time.
struct Disturbance {
  int client = 0;
  VirtualTime at{};
  bool unheard = false;  ///< its client learns of it late: an answer is lost, or its clock moved
};

/// Whether one of the faults met the client in [from, to].
inline bool AnyMet(const std::vector<Disturbance>& faults, int client, VirtualTime from,
                   VirtualTime to) {
  return std::ranges::any_of(faults, [&](const Disturbance& fault) {
    return fault.client == client && from <= fault.at && fault.at <= to;
  });
}

/// Whether one of the delays of the client goes on at some instant in [from, to].
inline bool AnyMet(const std::vector<Delay>& delays, int client, VirtualTime from, VirtualTime to) {
  return std::ranges::any_of(delays, [&](const Delay& delay) {
    return delay.client == client && delay.interval.from <= to && from <= delay.interval.to;
  });
}

/// A process of the client died. If restarted, its next incarnation is the same client.
struct Death {
  int client = 0;
  VirtualTime at{};
  /// When a server last executed a command of it after that, or gave it what it had waited for;
  /// before the run: never.
  VirtualTime last_served{-1};
};

/// From then on another server is the primary: clients are no longer directed to this one.
struct Supersession {
  int node = 0;
  VirtualTime at{};
};

}  // namespace interlock::scenarios
