// SPDX-License-Identifier: MIT
//
// How far a check explores a lock exhaustively, beside its random runs: every order of steps and
// every placing of so many faults. Data of the lock, because what can be explored to the end in a
// second or two depends on how many commands and tasks it takes. Explore (explore.h) goes further.
//
// Thread safety: plain data.
#pragma once

#include <string_view>

namespace interlock::harness {

struct ExploredBound {
  int clients = 2;   ///< 1 to 8
  int attempts = 2;  ///< of each client, 1 to 8
  /// They wait for the lock; false: they try, and so they do if it has no waits.
  bool waits = true;
  // At most so many of each, together in one run.
  int crashes = 1;       ///< clients that die
  int expiries = 1;      ///< leases of living clients that run out
  int lost_replies = 1;  ///< commands that are executed, but their connection ends first
  /// Once more with one attempt of each, who comes back to release when its lease has passed.
  bool late_returns = true;
  /// The tasks of one client go on in one order between its calls, which still reach the servers in
  /// every order: of a lock with tasks of its own all other orders are too many.
  bool tasks_in_order = true;
  /// Why one of the budgets is 0, in half a sentence; empty: none is.
  std::string_view why_less = {};
};

}  // namespace interlock::harness
