// SPDX-License-Identifier: MIT
//
// What a run's log remembers between events about a client, a client and a resource, and a server.
//
// Thread safety: plain data.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include <interlock/time.h>

#include "scenarios/log/ledger.h"

namespace interlock::scenarios {

/// Recorder state for one client, over all resources.
struct ClientState {
  bool silent = false;  ///< one of its connections is half open
  VirtualTime sent{};   ///< its latest command
};

/// What the last command left a server at.
struct SeenServer {
  std::uint64_t mutations = 0;
  std::uint64_t changes = 0;
};

/// Recorder state for one client and resource.
struct Dealing {
  Doing doing = Doing::kNothing;
  std::size_t attempt = 0;  ///< index of its latest attempt
  std::size_t hold = 0;     ///< index of its latest hold
  std::size_t renewal = 0;  ///< index of its latest renewal
  std::size_t force = 0;    ///< index of its latest force
  VirtualTime looked{};     ///< when it last asked for the holders
  VirtualTime inspected{};  ///< when it was told
  bool inside = false;
  VirtualTime valid_end{};      ///< end of its latest hold's validity, or a reported loss
  bool told_lost = false;       ///< the lock has reported the loss itself
  VirtualTime asked_valid{};    ///< when it last asked whether it is valid
  MonotonicTime valid_until{};  ///< its latest hold's, on its own clock
  MonotonicTime gives_up{};     ///< the deadline of its latest attempt, on its own clock
  VirtualTime believes_until{-1};
  std::int64_t extend_called_ms = 0;  ///< the lowest reading of the server's clock since
  std::uint64_t read = 0;             ///< the latest value read from the guarded resource
  /// End of the client's promise when it sends a command of its own accord; kept until the command
  /// is executed.
  VirtualTime renews_before = kOpen;

  /// The lock has told its user that the hold is lost: from now on the user knows.
  void TellLost(VirtualTime now) {
    valid_end = std::min(valid_end, now);
    told_lost = true;
  }
};

}  // namespace interlock::scenarios
