// SPDX-License-Identifier: MIT
//
// What an exhaustive exploration covers: how many clients ask how often, and how much may go wrong.
// A verdict of `interlock explore` never stands without these beside it.
#pragma once

#include <string>

#include <interlock/harness/lock.h>

#include "scenarios/scenario.h"
#include "scenarios/workload.h"

namespace interlock::scenarios {

struct Bounds {
  int clients = 2;      ///< exactly so many; fewer are covered by smaller explorations
  int attempts = 3;     ///< of each client, in a row
  bool waits = false;   ///< they wait for up to two leases instead of trying
  bool extend = false;  ///< they extend in the middle of the section

  int crashes = 0;        ///< a client dies behind a command, at a late reply or in its section
  int expiries = 0;       ///< the lease of a living client passes before it gives it up
  int lost_replies = 0;   ///< a command is executed, then its connection is reset
  int silent_losses = 0;  ///< a command is executed, and nothing more is heard on its connection
  int pauses = 0;         ///< a client stands still until a lease has just passed
  int faults = 1'000;     ///< of all kinds together, expiries not counted

  bool operator==(const Bounds&) const = default;
};

/// Every client does the same; the network is instant. Between its attempts a client lets pass
/// nothing, half of a lease, or a little more, so that attempts fall on every side of a deadline.
Workload ExploredWorkload(const Scenario& scenario, const Bounds& bounds);

/// "<= 4 clients, <= 3 attempts, <= 1 crash, <= 1 expiry, <= 1 lost reply, 0 pauses"
std::string ToText(const Bounds& bounds);

}  // namespace interlock::scenarios
