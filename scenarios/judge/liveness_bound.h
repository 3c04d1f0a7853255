// SPDX-License-Identifier: MIT
//
// The longest that a live, connected waiter may wait once all faults are over:
//
//   B = (max TTL + waiters x max hold) x (1 + rate error) + waiters x one hand-over + max retry
//
// First a lease expires; then every request is served once, the waiter's own last. Each is granted
// within the lock's own wake-up bound and held for as long as its program says, and the waiter may
// have to return from a pause between two tries. A slow clock stretches leases and sections, so the
// rate error applies to both.
//
// Guarantee: no lock that hands over within its wake-up bound, and serves each request once, makes
// anybody wait longer, whatever its order. Non-guarantee: that a shorter wait is a good one. Thread
// safety: pure functions.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>

#include <interlock/time.h>

#include "scenarios/cases/workload.h"
#include "scenarios/log/history.h"

namespace interlock::scenarios {

/// Extra time for clients to notice broken connections and reconnect: the longest pause between two
/// tries that a waiter may make.
inline constexpr Duration kSettling = std::chrono::milliseconds(2500);

struct LivenessTerms {
  Duration lease{};           ///< the longest TTL of an ownership entry
  Duration hold{};            ///< the longest that one grant is in use
  std::int64_t rate_ppm = 0;  ///< how much slower than true time a clock may run
  int waiters = 1;            ///< requests that may have to be served, its own included
  Duration hand_over{};       ///< from the end of one grant to the next, worst case
  Duration retry = kSettling;
};

/// When the last fault is over; kOpen: never.
inline VirtualTime CalmFrom(const History& history) {
  return history.needs_healing ? std::max(history.healed, history.last_fault) : history.last_fault;
}

Duration LivenessBound(const LivenessTerms& terms);

/// The bound with its terms, for the text of a verdict: "9700.000 ms = (lease 1000.000 ms + 3 x
/// hold 500.000 ms) + 3 x hand-over 1400.000 ms + retry 2500.000 ms".
std::string LivenessInWords(const LivenessTerms& terms);

/// The longest that any grant of the workload is in use: its section, or its lease if the client
/// comes back only after that. If the lock renews by itself (`renews`): until its client comes
/// back.
Duration LongestUse(const Workload& workload, bool renews);

}  // namespace interlock::scenarios
