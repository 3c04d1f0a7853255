// SPDX-License-Identifier: MIT
//
// What happened to one resource in one run, as the oracles need it: attempts, holds as the clients
// saw them, and ownership as the server had it. All instants are on the world's one virtual clock.
// Three intervals matter for each grant (see scenarios/README.md): the server's promise S, the
// client's belief B, and the section C. A crash ends B and C, never S.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include <interlock/result.h>
#include <interlock/time.h>

#include "scenarios/attempt.h"
#include "scenarios/limits.h"
#include "scenarios/mishaps.h"
#include "scenarios/oracles/judged.h"

namespace interlock::scenarios {

/// The lock has called its user to say that a hold is lost.
struct LossCall {
  VirtualTime at{};
  bool lost = true;       ///< its validity was over, or its entry gone
  bool released = false;  ///< the hold's release had returned by then
};

/// One grant as its client saw it.
struct ClientHold {
  int client = 0;
  std::string token;
  std::optional<std::uint64_t> fencing_token;
  VirtualTime asked{};
  /// When the request was sent that made or last renewed the grant, or when another client handed
  /// it over; kOpen: the server was never seen to grant it.
  VirtualTime sent = kOpen;
  /// When that command of its request was executed which was sent last, of those that changed data
  /// or blocked; before the run: it does not show its token, or there was none.
  VirtualTime last_asked{-1};
  Duration elapsed{};            ///< from `sent` to the answer "granted", on the client's own clock
  std::vector<Interval> belief;  ///< ends at the validity's end, the release call, or the crash
  Interval section{kOpen, kOpen};
  VirtualTime release_called = kOpen;
  VirtualTime release_returned = kOpen;
  StatusCode release_status = StatusCode::kOk;
  VirtualTime release_sent = kOpen;  ///< the last command of the release
  bool shared = false;               ///< as a reader
  std::vector<LossCall> loss_calls = {};

  bool entered() const { return section.from != kOpen; }
};

/// One access to what is guarded: a read when the section begins, or the write that comes of it.
struct Access {
  std::size_t hold = 0;  ///< index of the grant's ClientHold
  bool writes = false;
  VirtualTime sent{};
  VirtualTime arrived{};
  bool accepted = false;
};

enum class ServerHoldEnd : std::uint8_t {
  kNone,      ///< still there
  kReleased,  ///< removed by a command of the client that owns it
  kExpired,   ///< its deadline passed
  kForeign,   ///< removed or overwritten by another client's command: the promise goes on
  kLost,      ///< gone with data that its server lost, or with the server: the promise goes on
  kForced,    ///< taken away by an operator, see Force: that ends the promise, too
};

/// One ownership entry in a server, from the command that made it to its end. If another server
/// takes over and has the entry as well, that is an entry of its own.
struct ServerHold {
  /// Whose connection made it, until its token says whose it is; -1: another client's command made
  /// it, a hand-over, and nobody has shown the token yet.
  int client = -1;
  std::string token;
  VirtualTime granted{};
  VirtualTime sent = kOpen;            ///< when its owner sent that command; kOpen: another's
  VirtualTime renewed{};               ///< the last command that made or prolonged it
  VirtualTime promised_until = kOpen;  ///< its deadline, exclusive; kOpen: it has none
  std::int64_t expires_at_ms = 0;      ///< the same on the server's own clock
  std::int64_t leased_ms = 0;          ///< by that clock, what was left of it when it was renewed
  VirtualTime ended = kOpen;
  ServerHoldEnd end = ServerHoldEnd::kNone;
  /// How many grants had been made, of all entries, when it was given back: tells the order of what
  /// happened at one instant. Where nobody counted: all.
  std::size_t grants_before_end = std::numeric_limits<std::size_t>::max();
  int made_by = -1;     ///< the client whose command made it; -1: no command did
  int asked_by = -1;    ///< whose request it answers, as far as its token shows; -1: nobody knows
  bool beside = false;  ///< the same command had made the entry before it
  int node = 0;         ///< which server
  bool copied = false;  ///< no command made it: it came with another server's data, or came back
  /// Its owner has released the lock elsewhere, or before the entry came back: it promises nothing.
  VirtualTime waived = kOpen;
  bool shared = false;  ///< a reader's

  /// The end of the promise S: a foreign delete does not end it, and neither does lost data.
  VirtualTime promise_end() const {
    return std::min(waived, given_back() ? ended : promised_until);
  }
  bool given_back() const {
    return end == ServerHoldEnd::kReleased || end == ServerHoldEnd::kForced;
  }
};

/// One request to extend a lease.
struct Renewal {
  int client = 0;
  VirtualTime called{};
  VirtualTime answered = kOpen;
  VirtualTime sent = kOpen;             ///< the last command of it; kOpen: none
  VirtualTime promised_until = kOpen;   ///< the end of the server's promise when it was called
  VirtualTime prolonged = kOpen;        ///< when that became later, and was not over at the answer
  StatusCode answer = StatusCode::kOk;  ///< meaningful once answered
};

/// Two grants of one resource, or a request for one and a grant: both are not readers'.
template <typename One, typename Other>
bool Conflict(const One& one, const Other& other) {
  return !one.shared || !other.shared;
}

struct Violation {
  Judged property = Judged::kServerExclusion;
  VirtualTime at{};
  int client = -1;
  std::string what;   ///< one sentence, with the figures
  int resource = -1;  ///< which of the run's; -1: none in particular
};

struct History {
  Duration lease{};                 ///< the longest that any client asks for
  std::vector<Duration> leases;     ///< that of each client; empty: the same for all
  Limits limits;                    ///< how many permits there are
  bool short_lived = false;         ///< a latch that is gone some time after it was last used
  Duration drift_allowance{};       ///< what the lock takes off each lease
  Duration latency{};               ///< of the slowest message that no fault delays, one way
  bool server_clock_moved = false;  ///< a server's clock was set, or ran at another rate
  bool prefers_writers = false;     ///< new readers are kept out by writers that wait
  bool ownership_seen = true;       ///< the subject shows who owns the lock in the server
  int nodes = 1;                    ///< servers that a lock over several of them asks
  int quorum = 1;                   ///< so many of them must have the same owner
  std::vector<Attempt> attempts;
  std::vector<ClientHold> holds;
  std::vector<ServerHold> server_holds;
  std::vector<Access> accesses;  ///< in the order in which they arrived
  std::vector<Renewal> renewals;
  std::vector<Delay> delays;
  std::vector<Delay> outages;     ///< while something may have kept the client from a server
  std::vector<Interval> blocked;  ///< of a quorum's view: while too few servers were free for one
  std::vector<Disturbance> disturbances;
  std::vector<Disturbance> pauses;  ///< those of the disturbances at which the client stood still
  std::vector<Death> deaths;        ///< in order of time
  std::vector<Supersession> supersessions;
  VirtualTime last_fault{};    ///< the end of the last disturbance that needs no healing
  VirtualTime healed = kOpen;  ///< when phase 2 began
  bool needs_healing = false;  ///< a fault lasts until phase 2 (a silent connection)
  VirtualTime end{};           ///< when the run stopped
  std::vector<Force> forces = {};
  bool nests = false;  ///< its holders are holds, whose tokens are not their owners'
};

/// That the client asks for.
inline Duration LeaseOf(const History& history, int client) {
  const auto index = static_cast<std::size_t>(client);
  return index < history.leases.size() ? history.leases[index] : history.lease;
}

/// When the client first died at or after `since`; kOpen: it did not, as nobody in particular (-1).
inline VirtualTime DiedAt(const History& history, int client, VirtualTime since = {}) {
  for (const Death& death : history.deaths) {
    if (death.client == client && death.at >= since) return death.at;
  }
  return kOpen;
}

/// Its server ceased to be the primary while it was there: nobody can clean it up.
inline bool IsOutOfReach(const History& history, const ServerHold& entry) {
  return std::any_of(history.supersessions.begin(), history.supersessions.end(),
                     [&](const Supersession& one) {
                       return one.node == entry.node && one.at < entry.promised_until;
                     });
}

/// Nobody waits for its answer any more.
inline bool IsOver(const History& history, const Attempt& attempt) {
  return attempt.answered != kOpen || DiedAt(history, attempt.client, attempt.asked) != kOpen;
}

/// Whether it died at all.
inline bool Died(const History& history, int client) { return DiedAt(history, client) != kOpen; }

}  // namespace interlock::scenarios
