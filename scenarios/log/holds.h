// SPDX-License-Identifier: MIT
//
// Grants in a History: as the clients saw them, as the servers had them, and how they were renewed.
// All instants are on the world's one virtual clock. Three intervals matter for each grant: the
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
  std::int64_t release_commands = 0;
  VirtualTime dropped = kOpen;       ///< the hold was destroyed without one
  bool shared = false;               ///< as a reader
  std::vector<LossCall> loss_calls = {};

  bool entered() const { return section.from != kOpen; }
  /// When its user had done with it.
  VirtualTime used_until() const { return std::min(release_called, dropped); }
};

/// One access to what is guarded: a read when the section begins, or the write that follows from
/// it.
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
  /// The client whose connection made it, until its token says whose it is; -1: another client's
  /// command made it, a hand-over, and nobody has shown the token yet.
  int client = -1;
  std::string token;
  VirtualTime granted{};
  VirtualTime sent = kOpen;            ///< when its owner sent that command; kOpen: another's
  VirtualTime renewed{};               ///< the last command that made or prolonged it
  bool renewed_by_others = false;      ///< that was another client's
  VirtualTime promised_until = kOpen;  ///< its deadline, exclusive; kOpen: it has none
  /// The millisecond before that if the lock leaves it open, see harness::LastMs: in that neither
  /// its end nor its going on is wrong.
  Duration left_open{};
  /// For a lock that renews by itself: when its client last sent anything while the entry was
  /// there; before the run: nothing.
  VirtualTime last_sent{-1};
  std::int64_t expires_at_ms = 0;  ///< the same on the server's own clock
  std::int64_t leased_ms = 0;      ///< by that clock, what was left of it when it was renewed
  VirtualTime ended = kOpen;
  ServerHoldEnd end = ServerHoldEnd::kNone;
  /// How many grants had been made, of all entries, when it was given back: tells the order of
  /// events at one instant. If they were not counted: all.
  std::size_t grants_before_end = std::numeric_limits<std::size_t>::max();
  int made_by = -1;   ///< the client whose command made it; -1: no command did
  int asked_by = -1;  ///< whose request it answers, as far as its token shows; -1: not known
  std::uint64_t made_with = 0;  ///< which of that client's commands; 0: not counted
  bool beside = false;          ///< the same command had made the entry before it
  int node = 0;                 ///< which server
  bool copied = false;  ///< no command made it: it came with another server's data, or came back
  /// Its owner has released the lock elsewhere, or before the entry came back: it promises nothing.
  VirtualTime waived = kOpen;
  bool shared = false;  ///< a reader's

  /// The end of the promise S: a foreign delete does not end it, and neither does lost data.
  VirtualTime promise_end() const {
    return std::min(waived, given_back() ? ended : surely_until());
  }
  VirtualTime surely_until() const { return promised_until - left_open; }
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
  std::int64_t commands = 0;
  VirtualTime promised_until = kOpen;   ///< the end of the server's promise when it was called
  VirtualTime prolonged = kOpen;        ///< when that became later, and was not over at the answer
  StatusCode answer = StatusCode::kOk;  ///< meaningful once answered
  std::uint64_t number = 0;             ///< number of what was `sent`, among all that its client
                                        ///< ever sent
};

/// Whether two grants of one resource, or a request and a grant, conflict: not both are readers'.
template <typename One, typename Other>
bool Conflict(const One& one, const Other& other) {
  return !one.shared || !other.shared;
}

}  // namespace interlock::scenarios
