// SPDX-License-Identifier: MIT
//
// Which link is whose at each server, and how a connection ends there. Thread safety: none.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "sim/link.h"
#include "sim/shadow.h"
#include "sim/transit.h"

namespace interlock::sim {

/// What an observer that keeps servers of its own calls it.
Shadow::Client ShadowOf(const Link& link);

class ServerConnections {
 public:
  ServerConnections(Engine& engine, Transit& transit);

  /// The owner of the connection; null: nobody's any more.
  Link* Find(int number, redis::ClientId client) const;
  /// The server has this client from now on.
  void Add(Link& link);
  /// The server has it no more.
  void Forget(Link& link);
  /// Its last executed request is a command that waits, or has waited.
  void Block(Link& link);
  void Unblock(Link& link);
  /// Nobody listens.
  void Refuse(Link& link);
  /// The server hears that it has ended.
  void Close(Link& link);
  /// As Close; a client that still listens hears of it.
  void AnswerClose(Link& link);
  /// An observer that keeps servers of its own hears that it has ended.
  void TellShadowOfEnd(const Link& link) const;

  /// The server's process is gone: the link ends at once; that to a machine without power stays
  /// silent.
  void Died(Link& link, bool machine_off);
  void SetMachineOff(int number, bool off) { node(number).machine_off = off; }

  /// The servers' next time-out as a timer of the world: none is needed if nobody waits for it.
  void UpdateTimer();
  /// That timer has struck.
  void ForgetTimer() { timer_ = kNoTimer; }

 private:
  struct Node {
    bool machine_off = false;
    std::vector<std::pair<redis::ClientId, Link*>> clients;
  };
  Node& node(int number) { return nodes_[static_cast<std::size_t>(number)]; }
  const Node& node(int number) const { return nodes_[static_cast<std::size_t>(number)]; }

  Engine& engine_;
  Transit& transit_;
  std::vector<Node> nodes_;
  std::size_t blocked_links_ = 0;
  TimerId timer_ = kNoTimer;
  VirtualTime timer_at_{};
};

}  // namespace interlock::sim
