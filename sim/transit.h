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
  /// The fate that the process's armed faults give the request that is about to leave.
  Fate TakeArmedFaults(Link& link, Request& request);
  /// Sends the last request as `fate` has it; false: it was reset.
  bool SendLast(Link& link, const Fate& fate);
  void SendClose(Link& link);
  /// Marks those of its requests as arrived whose time has come.
  void TakeArrived(Link& link);

  // To the client.

  /// The fate that the faults waiting for the reply to the last executed request give it.
  Fate TakeReplyFaults(Link& link);
  /// `value`: null: it has none; else it is taken.
  void SendMessage(Link& link, Message::Kind kind, redis::Value* value, std::uint64_t hash,
                   Duration extra, std::uint64_t number = 0);
  /// Marks those of its messages as arrived whose time has come.
  void TakeDelivered(Link& link);
  /// Makes the client's next use of the link fail.
  void BreakClient(Link& link, const char* why);

  // Both ways.

  /// From now on nothing that is sent arrives; either end notices by its keepalive.
  void Cut(Link& link);
  void DropUnderWay(Link& link);
  /// Delays what is under way until its process's partitions allow it.
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
