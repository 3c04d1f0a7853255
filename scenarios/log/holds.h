// SPDX-License-Identifier: MIT
//
// Grants in a History: as the clients saw them, as the servers had them, and how they were renewed.
// All instants are on the world's single virtual clock. Three intervals matter for each grant: the
// server's promise S, the client's belief B, and the section C. A crash ends B and C, never S.
// Thread safety: plain data.
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

#include "scenarios/log/mishaps.h"

namespace interlock::scenarios {

/// A call by which the lock told its user that a hold is lost.
struct LossCall {
  VirtualTime at{};
  bool lost = true;       ///< its validity was over, or its entry gone
  bool released = false;  ///< the hold's release had returned by then
};

/// A client asked whether its hold is valid, or waited to be told that it is not.
struct Question {
  int client = 0;
  VirtualTime until{};     ///< the validity's end; kOpen: it has not ended
  bool announced = false;  ///< the lock had told it of that end
  VirtualTime at{};        ///< when it asked, or had waited long enough
  bool asked = true;       ///< false: it waited to be told
  bool told_lost = true;   ///< that the hold is valid no more
};

/// One grant as its client saw it.
struct ClientHold {
  int client = 0;
  std::string token;
  std::optional<std::uint64_t> fencing_token;
  VirtualTime asked{};
  /// When the request that made or last renewed the grant was sent, or when another client handed
  /// it over; kOpen: the server was never seen to grant it.
  VirtualTime sent = kOpen;
  /// When the last-sent command of its request that changed data or blocked was executed; before
  /// the run: none, or it does not show its token.
  VirtualTime last_asked{-1};
  Duration elapsed{};            ///< from `sent` to the answer "granted", on the client's own clock
  std::vector<Interval> belief;  ///< ends at the validity's end, the release call, or the crash
  Interval section{kOpen, kOpen};
  VirtualTime release_called = kOpen;
  VirtualTime release_returned = kOpen;
  StatusCode release_status = StatusCode::kOk;
  VirtualTime release_sent = kOpen;  ///< the last command of the release
  std::int64_t release_commands = 0;
  VirtualTime dropped = kOpen;  ///< the hold was destroyed without a release
  bool shared = false;          ///< as a reader
  std::vector<LossCall> loss_calls = {};

  bool entered() const { return section.from != kOpen; }
  /// When its client was told of the grant, and until when the lock last let it believe in it.
  VirtualTime told_at() const { return belief.front().from; }
  VirtualTime believed_until() const { return belief.back().to; }
  /// When its user was done with it.
  VirtualTime used_until() const { return std::min(release_called, dropped); }
};

/// One access to the guarded resource: a read when the section begins, or the write based on it.
struct Access {
  std::size_t hold = 0;  ///< index of the grant's ClientHold
  bool writes = false;
  VirtualTime sent{};
  VirtualTime arrived{};
  bool accepted = false;
};

enum class ServerHoldEnd : std::uint8_t {
  kNone,      ///< still there
  kReleased,  ///< removed by a command of its owner
  kExpired,   ///< its deadline passed
  kForeign,   ///< removed or overwritten by another client's command; the promise goes on
  kLost,      ///< gone with data its server lost, or with the server; the promise goes on
  kForced,    ///< taken away by an operator, see Force: the promise ends, too
};

/// One ownership entry in a server, from the command that made it to its end. A server that takes
/// over with the entry in its data has an entry of its own.
struct ServerHold {
  /// The client whose connection made it, until its token tells the owner; -1: a hand-over by
  /// another client's command, whose token nobody has shown yet.
  int client = -1;
  std::string token;
  VirtualTime granted{};
  VirtualTime sent = kOpen;  ///< when its owner sent that command; kOpen: it was another client's
  VirtualTime renewed{};     ///< the last command that made or extended it
  bool renewed_by_others = false;      ///< that was another client's command
  VirtualTime promised_until = kOpen;  ///< its deadline, exclusive; kOpen: it has none
  /// The last millisecond before the deadline, if the lock leaves it open (see harness::LastMs):
  /// ending and continuing are both right then.
  Duration left_open{};
  /// For a lock that renews by itself: when its client last sent anything during the entry's life;
  /// before the run: never.
  VirtualTime last_sent{-1};
  std::int64_t expires_at_ms = 0;  ///< the deadline on the server's own clock
  std::int64_t leased_ms = 0;      ///< time left when it was renewed, on that clock
  VirtualTime ended = kOpen;
  ServerHoldEnd end = ServerHoldEnd::kNone;
  /// Number of grants, over all entries, made before it was given back: orders events of one
  /// instant. If not counted: all.
  std::size_t grants_before_end = std::numeric_limits<std::size_t>::max();
  int made_by = -1;   ///< the client whose command made it; -1: no command did
  int asked_by = -1;  ///< whose request it answers, as far as its token shows; -1: not known
  std::uint64_t made_with = 0;  ///< number of that client's command; 0: not counted
  bool beside = false;          ///< the same command had made the previous entry
  int node = 0;                 ///< index of the server
  bool copied = false;          ///< no command made it: it was replicated or restored
  /// When its owner released the lock elsewhere, or before the entry came back: no promise after
  /// it.
  VirtualTime waived = kOpen;
  bool shared = false;  ///< held by a reader

  /// The end of the promise S: neither a foreign delete nor lost data ends it.
  VirtualTime promise_end() const {
    return std::min(waived, given_back() ? ended : surely_until());
  }
  VirtualTime surely_until() const { return promised_until - left_open; }
  /// Until when the server had it.
  VirtualTime had_until() const { return std::min(ended, promised_until); }
  /// Until when it counts as taken for others: a foreign removal does not end a promise.
  VirtualTime taken_until() const { return given_back() ? ended : promised_until; }
  bool given_back() const {
    return end == ServerHoldEnd::kReleased || end == ServerHoldEnd::kForced;
  }
  /// Whether its client and token are those of the grant.
  bool IsOf(const ClientHold& hold) const { return client == hold.client && token == hold.token; }
};

/// One request to extend a lease.
struct Renewal {
  int client = 0;
  VirtualTime called{};
  VirtualTime answered = kOpen;
  VirtualTime sent = kOpen;  ///< its last command; kOpen: none
  std::int64_t commands = 0;
  VirtualTime promised_until = kOpen;   ///< the end of the server's promise when it was called
  VirtualTime prolonged = kOpen;        ///< when that moved later, and was not over at the answer
  StatusCode answer = StatusCode::kOk;  ///< meaningful once answered
  std::uint64_t number = 0;  ///< number of the command at `sent`, among all its client sent
};

/// Whether two grants, or a request and a grant, conflict: not both are readers'.
template <typename One, typename Other>
bool Conflict(const One& one, const Other& other) {
  return !one.shared || !other.shared;
}

}  // namespace interlock::scenarios
