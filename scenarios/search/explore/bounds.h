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
  int clients = 2;   ///< exactly this many; fewer are covered by smaller explorations
  int attempts = 3;  ///< of each client, one after the other
  /// 1 to kMostResources. Each client asks for them in turn, and begins at another one than the
  /// client before it.
  int resources = 1;
  /// For a scenario over independent masters, [3, kMostNodes]; 0: as many as it has.
  int masters = 0;
  int readers = 0;    ///< how many clients, the last ones, ask as readers
  int stops = 0;      ///< how many clients, the first ones, are stopped whenever they wait
  int operators = 0;  ///< how many clients, the last ones, are operators
  // Where a limit is kept in the server: the last clients before the operators set one permit more
  // in place of asking (`setters`); those before them take that for the limit (`other_limits`); and
  // with `follow` the others except the first follow whichever is in force.
  int setters = 0;
  int other_limits = 0;
  bool follow = false;
  bool nest = false;  ///< when its work is done each asks for the next resource, and holds both
  GuardKind writes = GuardKind::kNone;  ///< how holders read and write what is guarded
  bool waits = false;                   ///< they wait instead of trying
  bool extend = false;                  ///< they extend in the middle of the section
  bool clocks_apart = false;  ///< the clocks of any two of them are two leases apart, or more
  /// The time in which a key is gone; the clients' leases are a millisecond shorter.
  std::chrono::milliseconds lease{4000};
  // Lengths, in hundredths of a lease.
  int wait = 300;
  int hold = 25;
  int think = 50;    ///< before each attempt but the first
  int stagger = 0;   ///< before the first attempt: one for the second client, two for the third
  int stop = 25;     ///< of those that are stopped: how long after they have asked
  int overstay = 0;  ///< if not 0: each comes back once, this long after its validity has ended
  int life = 0;      ///< the life of a latch; 0: longer than any run

  int crashes = 0;        ///< a client dies after a command, at a late reply or in its section
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
  /// Between steps that others can see, the tasks of one client go on only in the order in which
  /// they became ready; their calls still reach the servers in every order.
  bool tasks_in_order = false;
  int faults = 1'000;  ///< of all kinds together, expiries not counted

  bool operator==(const Bounds&) const = default;
};

/// Every client does the same; the network is instant. Lengths are made of hundredths of
/// Bounds::lease, so that a client that looks again at regular intervals also looks when a lease
/// has just passed.
Workload ExploredWorkload(const Scenario& scenario, const Bounds& bounds);

/// `hundredths` of the explored lease.
Duration Hundredths(const Bounds& bounds, int hundredths);

/// "<= 4 clients, <= 3 attempts, <= 1 crash, <= 1 expiry, <= 1 lost reply, 0 pauses"
std::string ToText(const Bounds& bounds);

}  // namespace interlock::scenarios
