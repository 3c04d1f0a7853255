// SPDX-License-Identifier: MIT
//
// The history of one resource in one run, as the oracles need it: attempts, holds as the clients
// saw them, and ownership as the server had it. All instants are on the world's single virtual
// clock. Thread safety: plain data.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include <interlock/time.h>

#include "scenarios/cases/judged.h"
#include "scenarios/log/attempt.h"
#include "scenarios/log/holds.h"
#include "scenarios/log/limits.h"
#include "scenarios/log/mishaps.h"
#include "scenarios/log/observations.h"

namespace interlock::scenarios {

struct Violation {
  Judged property = Judged::kServerExclusion;
  VirtualTime at{};
  int client = -1;
  std::string what;   ///< one sentence, with the figures
  int resource = -1;  ///< index of the resource; -1: none in particular
};

/// The first of the property; nullptr: none.
inline const Violation* FindViolation(const std::vector<Violation>& violations, Judged property) {
  const auto found = std::ranges::find(violations, property, &Violation::property);
  return found == violations.end() ? nullptr : &*found;
}

/// A client that shares the lock objects of the first client of its process.
struct Mates {
  int process = 0;
  int client = 0;
};

struct History {
  Duration lease{};                 ///< the longest that any client asks for
  std::vector<Duration> leases;     ///< each client's lease; empty: the same for all
  Limits limits;                    ///< number of permits
  bool short_lived = false;         ///< a latch that disappears some time after its last use
  Duration drift_allowance{};       ///< what the lock subtracts from each lease
  Duration latency{};               ///< one-way latency of the slowest message that no fault delays
  bool server_clock_moved = false;  ///< a server's clock was set, or ran at another rate
  bool server_changed = false;      ///< its clock was moved, or a server lost data, or was replaced
  Duration barred_for{};            ///< see harness::Bounds::BarredFor
  Duration stays_taken_for{};       ///< see harness::Bounds::StaysTakenFor
  std::vector<Mates> mates = {};    ///< clients that share another one's lock objects
  bool leaseless = false;           ///< grants last as long as their connections
  bool prefers_writers = false;     ///< waiting writers keep out new readers
  bool ownership_seen = true;       ///< the subject shows who owns the lock in the server
  int nodes = 1;                    ///< number of servers that the lock uses
  int quorum = 1;                   ///< how many of them must have the same owner
  std::vector<Attempt> attempts;
  std::vector<ClientHold> holds;
  std::vector<ServerHold> server_holds;
  std::vector<Access> accesses;  ///< in order of arrival
  std::vector<Renewal> renewals;
  std::vector<Question> questions = {};
  std::vector<Delay> delays;
  std::vector<Delay> outages;     ///< while something may have kept the client from a server
  std::vector<Interval> blocked;  ///< for a quorum: while too few servers were free for one
  std::vector<Disturbance> disturbances;
  std::vector<Disturbance> pauses;  ///< the disturbances during which the client stood still
  std::vector<Death> deaths;        ///< in order of time
  std::vector<Supersession> supersessions;
  VirtualTime last_fault{};    ///< end of the last disturbance that needs no healing
  VirtualTime healed = kOpen;  ///< when phase 2 began
  bool needs_healing = false;  ///< a fault lasts until phase 2 (a silent connection)
  VirtualTime end{};           ///< when the run stopped
  std::vector<Force> forces = {};
  std::vector<Observation> observed = {};  ///< in order of time
  bool nests = false;             ///< its holders are holds, and their tokens are not their owners'
  bool recalls_releases = false;  ///< it tells operators a release from an expired lease
};

/// Whether two different clients are users of one process.
inline bool ShareProcess(const History& history, int one, int other) {
  if (history.mates.empty()) return false;
  const auto process_of = [&](int client) {
    for (const Mates& mates : history.mates) {
      if (mates.client == client) return mates.process;
    }
    return client;
  };
  return process_of(one) == process_of(other);
}

/// The lease that the client asks for.
inline Duration LeaseOf(const History& history, int client) {
  const auto index = static_cast<std::size_t>(client);
  return index < history.leases.size() ? history.leases[index] : history.lease;
}

/// When the client first died at or after `since`; kOpen: it did not, or `client` is -1 (nobody in
/// particular).
inline VirtualTime DiedAt(const History& history, int client, VirtualTime since = {}) {
  for (const Death& death : history.deaths) {
    if (death.client == client && death.at >= since) return death.at;
  }
  return kOpen;
}

/// Whether its server ceased to be the primary while it was there: nobody can clean it up.
inline bool IsOutOfReach(const History& history, const ServerHold& entry) {
  return std::ranges::any_of(history.supersessions, [&](const Supersession& one) {
    return one.node == entry.node && one.at < entry.promised_until;
  });
}

/// Whether nobody waits for its answer any more.
inline bool IsOver(const History& history, const Attempt& attempt) {
  return attempt.answered != kOpen || DiedAt(history, attempt.client, attempt.asked) != kOpen;
}

/// Whether the client died at all.
inline bool Died(const History& history, int client) { return DiedAt(history, client) != kOpen; }

}  // namespace interlock::scenarios
