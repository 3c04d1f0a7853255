// SPDX-License-Identifier: MIT
//
// What a run's log keeps in mind of a client, of a client and a resource, and of a server, between
// one event and the next.
//
// Thread safety: plain data.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include <interlock/time.h>

#include "scenarios/judge/ledger.h"

namespace interlock::scenarios {

/// What the log keeps of one client over all resources.
struct ClientState {
  bool silent = false;  ///< a connection of it is half open
  VirtualTime sent{};   ///< its latest command
};

/// What the last command found a server at.
struct SeenServer {
  std::uint64_t mutations = 0;
  std::uint64_t changes = 0;
};

/// What the log keeps of one client and one resource.
struct Dealing {
  Doing doing = Doing::kNothing;
  std::size_t attempt = 0;  ///< index of its latest attempt
  std::size_t hold = 0;     ///< index of its latest hold
  std::size_t renewal = 0;  ///< index of its latest renewal
  std::size_t force = 0;    ///< index of its latest force
  VirtualTime looked{};     ///< when it last asked for the holders
  VirtualTime inspected{};  ///< ... and was told
  bool inside = false;
  VirtualTime valid_end{};      ///< its latest hold's: the validity's end, or a loss it was told of
  bool told_lost = false;       ///< the lock has said so itself
  VirtualTime asked_valid{};    ///< when it last asked whether it is valid
  MonotonicTime valid_until{};  ///< its latest hold's, on its own clock
  MonotonicTime gives_up{};     ///< the deadline of its latest attempt, on its own clock
  VirtualTime believes_until{-1};
  std::int64_t extend_called_ms = 0;  ///< the least that the server's clock showed since
  std::uint64_t read = 0;             ///< what the guarded resource showed it last
  /// The end of the promise that it has when it sends a command unasked; kept until that is
  /// executed.
  VirtualTime renews_before = kOpen;

  /// The lock has told its user that the hold is lost: from now on it knows.
  void TellLost(VirtualTime now) {
    valid_end = std::min(valid_end, now);
    told_lost = true;
  }
};

}  // namespace interlock::scenarios
