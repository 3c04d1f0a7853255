// SPDX-License-Identifier: MIT
//
// Gives arrived requests to the servers, lets them execute, and sends their answers. A command
// executes in one event, on arrival.
//
// While a server is being called, its output is only collected (Produced); observers and links see
// it after the call has returned, when the data is as the command left it. Thread safety: none.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "sim/expiry_watch.h"
#include "sim/network_memory.h"
#include "sim/server_connections.h"
#include "sim/transit.h"

namespace interlock::sim {

class ServerCalls {
 public:
  ServerCalls(Engine& engine, Transit& transit, ServerConnections& connections,
              NetworkMemory& memory);
  ~ServerCalls();
  ServerCalls(const ServerCalls&) = delete;
  ServerCalls& operator=(const ServerCalls&) = delete;

  /// Gives the server what has arrived. Requests after a blocked command wait, but a close is seen.
  void Pump(Link& link);
  /// Executes it on no client's behalf. `victim`: the connection that it names; null: none.
  void ExecuteAsAdmin(int node, int database, const redis::Argv& argv, const Link* victim);
  /// Runs the servers' timeouts that are due.
  void RunTimers();
  /// Handles the results of one call of a server. `executing`: the client whose command it was;
  /// null: nobody's.
  void Returned(Link* executing);
  /// The server's data may have changed.
  void ForgetData(int node) { outlets_[static_cast<std::size_t>(node)]->expiry_watch.Forget(); }

  std::uint64_t commands() const { return commands_; }
  /// When the server last looked for expired keys.
  VirtualTime last_expiry(int node) const {
    return outlets_[static_cast<std::size_t>(node)]->last_expiry;
  }

 private:
  /// The output of one server.
  struct Outlet final : redis::Sink {
    Outlet(ServerCalls& its_calls, int its_node)
        : calls(its_calls), node(its_node), expiry_watch(its_node) {}
    void OnReply(redis::ClientId client, redis::Value& value) override {
      calls.OnReply(node, client, value);
    }
    void OnClosed(redis::ClientId client) override { calls.OnClosed(node, client); }

    ServerCalls& calls;
    const int node;
    ExpiryWatch expiry_watch;
    VirtualTime last_expiry{};
  };

  void Accept(Link& link);
  void Execute(Link& link);
  void OnReply(int node, redis::ClientId client, redis::Value& value);
  void OnClosed(int node, redis::ClientId client);
  Produced& Produce(Link& link, Message::Kind kind);
  void Report(Produced& produced);
  void Deliver(Produced& produced);
  /// Whether a fault drops it.
  bool IsLostPush(const Produced& produced);
  void SettleShadow(const Link* executing);

  Engine& engine_;
  Transit& transit_;
  ServerConnections& connections_;
  NetworkMemory& memory_;
  std::vector<std::unique_ptr<Outlet>> outlets_;  // by server
  std::vector<Produced> produced_;                // the first produced_count_ are valid
  std::size_t produced_count_ = 0;
  std::vector<Link*> unblocked_;  // may continue with what queued after their blocked command
  std::vector<Link*> resets_;     // to be closed once the server's call is handled
  bool muted_ = false;            // drop what servers send
  Link* executing_ = nullptr;
  bool answered_ = false;  // the executing command has its reply
  std::uint64_t commands_ = 0;
  std::uint64_t undescribed_ = 0;  // commands so far, as for NoteUndescribed; watched worlds only
};

}  // namespace interlock::sim
