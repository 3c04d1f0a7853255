// SPDX-License-Identifier: MIT
//
// What is under way between clients and servers: when it arrives, and what faults make of it.
//
// Each message travels latency_min plus a share of the spread that one draw of the network lane
// gives (a cube, so that small values are likelier); a message never overtakes another one on its
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

  /// How long the process's next message travels.
  Duration Latency(const Process& process);

  // To the server.

  Request& PushRequest(Link& link, Request::Kind kind);
  /// What the armed faults of the process make of the request that is about to leave.
  Fate TakeArmedFaults(Link& link, Request& request);
  /// Sends the last request as `fate` has it; false: it was reset.
  bool SendLast(Link& link, const Fate& fate);
  void SendClose(Link& link);
  /// Its requests have arrived whose time has come.
  void TakeArrived(Link& link);

  // To the client.

  /// What the faults make of it that wait for the reply to the request executed last.
  Fate TakeReplyFaults(Link& link);
  /// `value`: null: it has none; else it is taken.
  void SendMessage(Link& link, Message::Kind kind, redis::Value* value, std::uint64_t hash,
                   Duration extra, std::uint64_t number = 0);
  /// Its messages have arrived whose time has come.
  void TakeDelivered(Link& link);
  /// The client's next use of the link fails.
  void BreakClient(Link& link, const char* why);

  // Both ways.

  /// From now on nothing that is sent arrives; either end notices by its keepalive.
  void Cut(Link& link);
  void DropUnderWay(Link& link);
  /// What is under way arrives no earlier than its process's partitions allow.
  void HoldBack(Link& link);
  /// Faults are over: what they have delayed arrives now.
  void Hasten(Link& link);
  /// Nothing is on its way to a server.
  bool Quiet() const { return requests_under_way_ == 0; }

 private:
  enum class Direction : std::uint8_t { kToServer, kFromServer };
  /// `arrival`, or the end of a partition that is in the way.
  VirtualTime HeldBack(Link& link, Direction direction, VirtualTime arrival);
  void Dispatch(Link& link, Duration extra);
  void ArmRequests(Link& link);
  void ArmMessages(Link& link);
  void Rearm(Link& link);

  Engine& engine_;
  std::size_t requests_under_way_ = 0;
};

}  // namespace interlock::sim
