// SPDX-License-Identifier: MIT
//
// The owners of each server's connections, and how a connection ends there. Thread safety: none.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "sim/link.h"
#include "sim/shadow.h"
#include "sim/transit.h"

namespace interlock::sim {

/// The link's identity for a Shadow.
Shadow::Client ShadowOf(const Link& link);

class ServerConnections {
 public:
  ServerConnections(Engine& engine, Transit& transit);

  /// The owner of the connection; null: it no longer has one.
  Link* Find(int number, redis::ClientId client) const;
  /// The server has this client from now on.
  void Add(Link& link);
  /// The server no longer has this client.
  void Forget(Link& link);
  /// Its last executed request is a command that waits, or has waited.
  void Block(Link& link);
  void Unblock(Link& link);
  /// Nobody listens.
  void Refuse(Link& link);
  /// The server learns that the connection has ended.
  void Close(Link& link);
  /// Like Close; a client that still listens is told.
  void AnswerClose(Link& link);
  /// Tells the shadow that the connection has ended.
  void TellShadowOfEnd(const Link& link) const;

  /// The server's process is gone: the link ends at once; one to a machine without power goes
  /// silent.
  void Died(Link& link, bool machine_off);
  void SetMachineOff(int number, bool off) { node(number).machine_off = off; }

  /// Sets the world's timer to the servers' next timeout; none is needed if nobody waits for it.
  void UpdateTimer();
  /// That timer has fired.
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
