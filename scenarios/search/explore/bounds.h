// SPDX-License-Identifier: MIT
//
// What an exhaustive exploration covers: how many clients ask how often, and how much may go wrong.
// Every verdict of `interlock explore` is stated together with its bounds.
#pragma once

#include <chrono>
#include <string>

#include <interlock/harness/lock.h>

#include "scenarios/cases/scenario.h"
#include "scenarios/cases/workload.h"
#include "sim/setting.h"

namespace interlock::scenarios {

struct Bounds {
  int clients = 2;   ///< exactly this many; smaller explorations cover fewer
  int attempts = 3;  ///< of each client, one after the other
  /// 1 to kMostResources. Each client asks for them in turn, starting one later than the client
  /// before it.
  int resources = 1;
  /// For a scenario over independent masters, [3, kMostNodes]; 0: as many as the scenario has.
  int masters = 0;
  int readers = 0;    ///< number of clients, counted from the last, that ask as readers
  int stops = 0;      ///< number of clients, counted from the first, stopped whenever they wait
  int operators = 0;  ///< number of clients, counted from the last, that are operators
  // For a limit kept in the server: the last clients before the operators set the limit one permit
  // higher instead of asking (`setters`); those before them take that for the limit
  // (`other_limits`); with `follow`, the others except the first follow whichever is in force.
  int setters = 0;
  int other_limits = 0;
  bool follow = false;
  bool nest = false;  ///< each asks for the next resource when its work is done, and holds both
  GuardKind writes = GuardKind::kNone;  ///< how holders access the guarded resource
  bool waits = false;                   ///< they wait instead of trying
  bool extend = false;                  ///< they extend in the middle of the section
  bool clocks_apart = false;  ///< the clocks of any two of them are at least two leases apart
  /// The time after which a key is gone; clients' leases are one millisecond shorter.
  std::chrono::milliseconds lease{4000};
  // Lengths, in hundredths of a lease.
  int wait = 300;
  int hold = 25;
  int think = 50;    ///< before each attempt but the first
  int stagger = 0;   ///< before the first attempt: once for the second client, twice for the third
  int stop = 25;     ///< for stopped clients: how long after they have asked
  int overstay = 0;  ///< if not 0: each overstays its validity by this much once
  int life = 0;      ///< the life of a latch; 0: longer than any run

  int crashes = 0;        ///< a client dies after a command, at a late reply or in its section
  int expiries = 0;       ///< the lease of a living client expires before it gives the lock up
  int lost_replies = 0;   ///< a command is executed, then its connection is reset
  int lost_requests = 0;  ///< a command is not executed, and its connection is reset
  int silent_losses = 0;  ///< a command is executed, and its connection goes silent
  /// A client is paused until just after a lease; in its section also a quarter longer.
  int pauses = 0;
  int short_pauses = 0;  ///< a client is paused for half of a lease
  /// The primary's machine dies and its replica takes over with all writes, or without those after
  /// some command, which counts as a fault of its own, once per failover. The old primary comes
  /// back at once, or only in phase 2.
  int failovers = 0;
  int restarts = 0;  ///< the server dies and restarts at once with what it has persisted
  sim::Persistence persistence = sim::Persistence::kNone;  ///< kNone or kAofAlways
  /// Between steps visible to others, one client's tasks run only in the order in which they became
  /// ready; their calls still reach the servers in every order.
  bool tasks_in_order = false;
  int faults = 1'000;  ///< of all kinds together, not counting expiries

  bool operator==(const Bounds&) const = default;
};

/// All clients do the same; the network is instant. Lengths are multiples of hundredths of
/// Bounds::lease, so that a client polling at regular intervals also looks just after a lease.
Workload ExploredWorkload(const Scenario& scenario, const Bounds& bounds);

/// `hundredths` of the explored lease.
Duration Hundredths(const Bounds& bounds, int hundredths);

/// "<= 4 clients, <= 3 attempts, <= 1 crash, <= 1 expiry, <= 1 lost reply, 0 pauses"
std::string ToText(const Bounds& bounds);

}  // namespace interlock::scenarios
