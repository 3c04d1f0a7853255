// SPDX-License-Identifier: MIT
//
// Carries requests, replies, closes and resets between the client processes and the servers, in
// virtual time, and triggers execution. A command executes in one event, on arrival.
//
// Here are the links and the client side; transit.h has the traffic in flight, and
// server_connections.h and server_calls.h the server side. Thread safety: none.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "sim/elsewhere_traffic.h"
#include "sim/link.h"
#include "sim/network_memory.h"
#include "sim/redis/server.h"
#include "sim/server_calls.h"
#include "sim/server_connections.h"
#include "sim/timer_queue.h"
#include "sim/transit.h"

namespace interlock::sim {

class Engine;

class Network final {
 public:
  Network(Engine& engine, NetworkMemory& memory);
  ~Network();

  // The client's side.

  /// Starts to connect. A link whose `broke` is set on return was refused at once.
  Link& Open(Process& process, int node);
  /// Returns false if the connection was reset while sending (`broke` says so).
  bool Send(Link& link, std::span<const std::string_view> argv);
  /// The oldest delivered message has been read.
  void PopMessage(Link& link);
  /// The client announces that it will send nothing more, and still listens. Then the server
  /// closes.
  void EndSending(Link& link);
  /// The client closes its end. Traffic sent before is still in flight.
  void CloseFromClient(Link& link);

  // Faults.

  /// The process has died: the fault lane draws the fate of its requests in flight.
  void Crash(Process& process);
  /// Delays traffic in flight on the process's links until its partitions allow it.
  void HoldBackUnderWay(Process& process);
  /// From now on nothing sent arrives; either end notices by its keepalive.
  void Cut(Link& link) { transit_.Cut(link); }
  /// See World::TravelElsewhere.
  void TravelElsewhere(Process& process, VirtualTime latest, std::function<void()> arrive) {
    elsewhere_.Send(process, latest, std::move(arrive));
  }
  /// Arrival times of the process's messages in flight outside Redis.
  std::vector<VirtualTime> UnderWayElsewhere(const Process& process) const {
    return elsewhere_.UnderWay(process);
  }
  /// The process's most recently used working connection; null if there is none.
  Link* LiveLink(const Process& process) const;
  void Heal();

  // Events of servers.

  /// The server's process is gone: connections end at once; those to a machine without power go
  /// silent.
  void NodeDied(int node, bool machine_off);
  /// The server runs again, perhaps with other data: messages sent to the machine meanwhile are
  /// refused.
  void NodeStarted(int node);
  /// The server continues with what has arrived meanwhile.
  void NodeResumed(int node);
  /// Executes it on no client's behalf. `victim`: the connection that it names; null: none.
  void ExecuteAsAdmin(int node, int database, const redis::Argv& argv, const Link* victim) {
    calls_.ExecuteAsAdmin(node, database, argv, victim);
  }
  /// Handles what servers have sent unasked.
  void ServersActed() { calls_.Returned(nullptr); }

  void OnTimer(TimerQueue::Timer timer);
  /// Whether nothing is in flight to a server, or outside Redis.
  bool Quiet() const { return transit_.Quiet() && elsewhere_.Quiet(); }

  bool HasLiveConnection(const Process& process) const;
  const Link& link(std::uint32_t id) const { return *links_[id]; }
  const std::vector<std::unique_ptr<Link>>& links() const { return links_; }
  /// The owner of the connection; null: it no longer has one.
  const Link* FindLink(int node, redis::ClientId client) const {
    return connections_.Find(node, client);
  }
  std::uint64_t commands() const { return calls_.commands(); }
  /// When the server last looked for expired keys.
  VirtualTime last_expiry(int node) const { return calls_.last_expiry(node); }

 private:
  void HealLink(Link& link);
  bool IsLive(const Link& link) const;

  Engine& engine_;
  NetworkMemory& memory_;
  std::vector<std::unique_ptr<Link>> links_;
  Transit transit_;
  ElsewhereTraffic elsewhere_;
  ServerConnections connections_;
  ServerCalls calls_;
};

}  // namespace interlock::sim
