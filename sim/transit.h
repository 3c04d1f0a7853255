// SPDX-License-Identifier: MIT
//
// Traffic in flight between clients and servers: when it arrives, and how faults change it.
//
// Each message takes latency_min plus a share of the spread given by one draw of the network lane
// (cubed, so that small values are likelier); a message never overtakes another one on its
// connection and direction. Thread safety: none.
#pragma once

#include <cstddef>
#include <cstdint>

#include "sim/link.h"

namespace interlock::sim {

class Engine;

/// What faults do to one message.
struct Fate {
  Duration extra{};
  bool lost = false;
  bool reset = false;
};

class Transit {
 public:
  explicit Transit(Engine& engine) : engine_(engine) {}

  /// Latency of the process's next message.
  Duration Latency(const Process& process);

  // To the server.

  Request& PushRequest(Link& link, Request::Kind kind);
  /// The fate given by the process's armed faults to the request about to leave.
  Fate TakeArmedFaults(Link& link, Request& request);
  /// Sends the last request according to `fate`; false: it was reset.
  bool SendLast(Link& link, const Fate& fate);
  void SendClose(Link& link);
  /// Marks requests that are due as arrived.
  void TakeArrived(Link& link);

  // To the client.

  /// The fate given to the last executed request's reply by the faults waiting for it.
  Fate TakeReplyFaults(Link& link);
  /// `value`: null if there is none; otherwise it is moved from.
  void SendMessage(Link& link, Message::Kind kind, redis::Value* value, std::uint64_t hash,
                   Duration extra, std::uint64_t number = 0);
  /// Marks messages that are due as delivered.
  void TakeDelivered(Link& link);
  /// Makes the client's next use of the link fail.
  void BreakClient(Link& link, const char* why);

  // Both ways.

  /// From now on nothing sent arrives; either end notices by its keepalive.
  void Cut(Link& link);
  void DropUnderWay(Link& link);
  /// Delays traffic in flight until its process's partitions allow it.
  void HoldBack(Link& link);
  /// Faults are over: traffic they delayed arrives now.
  void Hasten(Link& link);
  /// Whether nothing is in flight to a server.
  bool Quiet() const { return requests_under_way_ == 0; }

 private:
  enum class Direction : std::uint8_t { kToServer, kFromServer };
  /// `arrival`, or the end of a partition that blocks it.
  VirtualTime HeldBack(Link& link, Direction direction, VirtualTime arrival);
  void Dispatch(Link& link, Duration extra);
  void ArmRequests(Link& link);
  void ArmMessages(Link& link);
  void Rearm(Link& link);

  Engine& engine_;
  std::size_t requests_under_way_ = 0;
};

}  // namespace interlock::sim
