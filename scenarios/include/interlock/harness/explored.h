// SPDX-License-Identifier: MIT
//
// How far a check explores a lock exhaustively, beside its random runs: every order of steps and
// every placing of this many faults. It belongs to the lock, because what can be explored to the
// end in a second or two depends on how many commands and tasks it takes. Explore (explore.h) goes
// further.
//
// Thread safety: plain data.
#pragma once

#include <string_view>

namespace interlock::harness {

struct ExploredBound {
  int clients = 2;   ///< 1 to 8
  int attempts = 2;  ///< for each client, 1 to 8
  /// Clients wait for the lock; false, or if the lock has no waits: they try.
  bool waits = true;
  // The most of each, together in one run.
  int crashes = 1;       ///< clients that die
  int expiries = 1;      ///< leases of living clients that run out
  int lost_replies = 1;  ///< commands that are executed, but their connection ends first
  /// Also explores one attempt for each client that comes back to release when its lease has
  /// passed.
  bool late_returns = true;
  /// The tasks of one client go on in one order between its calls, which still reach the servers in
  /// every order: a lock with tasks of its own has too many other orders.
  bool tasks_in_order = true;
  /// The reason, in half a sentence, if one of the budgets is 0; else empty.
  std::string_view why_less = {};
};

}  // namespace interlock::harness
