// SPDX-License-Identifier: MIT
//
// Faults as plain data: what goes wrong, for which client, when. A plan is generated before the
// run, and the shrinker deletes its entries one by one.
//
// "When" is a step of the client: its steps are counted from 0 at every visible operation (connect,
// before a send, after a send, a reply's arrival, a clock reading, a wait, and World::Step, by
// which a scenario marks places of its own, such as "inside the section"). A message fault takes
// the first message of the client that is sent at or after that step.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include <interlock/time.h>

namespace interlock::sim {

enum class FaultKind : std::uint8_t {
  kCrash,   ///< the process dies: never scheduled again, no destructor reaches the server
  kPause,   ///< the process stands still for `length`; its clock goes on (GC, SIGSTOP)
  kExpiry,  ///< the process stands still until `length` past the nearest key deadline (may be < 0)
  kDelayRequest,  ///< the request arrives `length` later; later ones on the same connection queue
                  ///< up
  kDelayReply,    ///< the reply arrives `length` later
  kLostRequest,   ///< cut before execution: never executed, no reply, the connection is dead
                  ///< silently
  kLostReply,     ///< cut after execution: the effect is there, no reply, the connection is dead
                  ///< silently
  kResetBefore,   ///< as kLostRequest, but the client sees the connection break at once
  kResetAfter,    ///< as kLostReply, but the client sees the connection break at once
  kHalfOpen,  ///< both directions go silent; the server still serves the connection's blocked pop
};
inline constexpr int kFaultKinds = 10;

/// Stable lower-case name: "crash", "pause", "expiry", "delay-request", ...
std::string_view ToString(FaultKind kind);

struct Fault {
  FaultKind kind = FaultKind::kCrash;
  int process = 0;
  int step = 0;
  Duration length{};  ///< kPause, kExpiry, kDelay*; else unused
  bool operator==(const Fault&) const = default;
};

using FaultPlan = std::vector<Fault>;

}  // namespace interlock::sim
