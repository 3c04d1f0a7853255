// SPDX-License-Identifier: MIT
//
// How long a live, connected waiter may wait at most once nothing goes wrong any more:
//
//   B = (max TTL + waiters x max hold) x (1 + rate error) + waiters x one hand-over + max retry
//
// Somebody's lease runs out first; then everybody who asks is served once, the waiter itself last;
// each of them is granted within the lock's own wake-up bound and holds for as long as its program
// says; and the waiter may have to come back from a pause between two tries. A slow clock makes
// leases and sections longer, so the rate error counts for both.
//
// Guarantee: no lock that hands over within its wake-up bound, and serves each request once, makes
// anybody wait longer, in whatever order it serves them. Non-guarantee: that a shorter wait is a
// good one. Thread safety: pure functions.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>

#include <interlock/time.h>

#include "scenarios/cases/workload.h"
#include "scenarios/log/history.h"

namespace interlock::scenarios {

/// Extra time for clients to notice broken connections and come back: the longest pause between two
/// tries that a waiter may make.
inline constexpr Duration kSettling = std::chrono::milliseconds(2500);

struct LivenessTerms {
  Duration lease{};           ///< the longest TTL of an ownership entry
  Duration hold{};            ///< the longest that one grant is in use
  std::int64_t rate_ppm = 0;  ///< by how much a clock may run slower than true time
  int waiters = 1;            ///< requests that may have to be served: its own and all others
  Duration hand_over{};       ///< from the end of one grant to the next, at worst
  Duration retry = kSettling;
};

/// From when on nothing goes wrong any more; kOpen: that never was.
inline VirtualTime CalmFrom(const History& history) {
  return history.needs_healing ? std::max(history.healed, history.last_fault) : history.last_fault;
}

Duration LivenessBound(const LivenessTerms& terms);

/// The bound with its parts, for the text of a verdict: "9700.000 ms = (lease 1000.000 ms + 3 x
/// hold 500.000 ms) + 3 x hand-over 1400.000 ms + retry 2500.000 ms".
std::string LivenessInWords(const LivenessTerms& terms);

/// The longest that any grant of the workload is in use: its section, or, if its client comes back
/// only when it is over, what its lease lasts. Of a lock that renews by itself (`renews`): until
/// its client comes back.
Duration LongestUse(const Workload& workload, bool renews);

}  // namespace interlock::scenarios
