// SPDX-License-Identifier: MIT
//
// What an exhaustive exploration covers: how many clients ask how often, and how much may go wrong.
// A verdict of `interlock explore` never stands without these beside it.
#pragma once

#include <chrono>
#include <string>

#include <interlock/harness/lock.h>

#include "scenarios/cases/scenario.h"
#include "scenarios/cases/workload.h"
#include "sim/setting.h"

namespace interlock::scenarios {

struct Bounds {
  int clients = 2;   ///< exactly so many; fewer are covered by smaller explorations
  int attempts = 3;  ///< of each client, in a row
  /// 1 to kMostResources. Each client asks for them in turn, and begins at another one than the
  /// client before it.
  int resources = 1;
  /// Of a scenario over independent masters, [3, kMostNodes]; 0: as many as it has.
  int masters = 0;
  int readers = 0;    ///< so many of the clients, the last ones, ask as readers
  int stops = 0;      ///< so many of the clients, the first ones, are stopped whenever they wait
  int operators = 0;  ///< so many of the clients, the last ones, are operators
  // Where a limit is kept in the server. Of the clients the last ones but operators set one permit
  // more in place of asking, so many; those before them take that for the limit, so many; and the
  // others but the first follow whichever is in force, if this says so.
  int setters = 0;
  int other_limits = 0;
  bool follow = false;
  bool nest = false;  ///< when its work is done each asks for the next resource, and holds both
  GuardKind writes = GuardKind::kNone;  ///< holders read and write what is guarded so
  bool waits = false;                   ///< they wait instead of trying
  bool extend = false;                  ///< they extend in the middle of the section
  bool clocks_apart = false;  ///< the clocks of any two of them are two leases apart, or more
  /// The time in which a key is gone; the clients' leases are a millisecond shorter.
  std::chrono::milliseconds lease{4000};
  // Lengths, in hundredths of a lease.
  int wait = 300;
  int hold = 25;
  int think = 50;    ///< before each attempt but the first
  int stagger = 0;   ///< before the first attempt: of the second client so long, of the third twice
  int stop = 25;     ///< of those that are stopped: so long after they have asked
  int overstay = 0;  ///< if not 0: each comes back once so long after its validity has ended
  int life = 0;      ///< of a latch; 0: longer than any run

  int crashes = 0;        ///< a client dies behind a command, at a late reply or in its section
  int expiries = 0;       ///< the lease of a living client passes before it gives it up
  int lost_replies = 0;   ///< a command is executed, then its connection is reset
  int lost_requests = 0;  ///< a command is not executed, and its connection is reset
  int silent_losses = 0;  ///< a command is executed, and nothing more is heard on its connection
  /// A client stands still until a lease has just passed; in its section also a quarter longer.
  int pauses = 0;
  int short_pauses = 0;  ///< a client stands still for half of a lease
  /// The primary's machine dies, and its replica takes over: with all writes, or without those from
  /// some command on, which is a fault of its own, once for each failover. The old primary comes
  /// back at once, or not before all is well again.
  int failovers = 0;
  int restarts = 0;  ///< the server dies and starts again at once, with what it has persisted
  sim::Persistence persistence = sim::Persistence::kNone;  ///< kNone or kAofAlways
  /// Between what others can see of them, the tasks of one client go on in the order in which they
  /// became ready, and in no other: their calls reach the servers in every order still.
  bool tasks_in_order = false;
  int faults = 1'000;  ///< of all kinds together, expiries not counted

  bool operator==(const Bounds&) const = default;
};

/// Every client does the same; the network is instant. What has a length is made of hundredths of
/// Bounds::lease, so that whoever looks again at regular intervals looks when a lease has just
/// passed, too.
Workload ExploredWorkload(const Scenario& scenario, const Bounds& bounds);

/// `hundredths` of the explored lease.
Duration Hundredths(const Bounds& bounds, int hundredths);

/// "<= 4 clients, <= 3 attempts, <= 1 crash, <= 1 expiry, <= 1 lost reply, 0 pauses"
std::string ToText(const Bounds& bounds);

}  // namespace interlock::scenarios
