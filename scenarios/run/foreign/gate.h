// SPDX-License-Identifier: MIT
//
// The fake Redis over TCP with a gate in front: clients' commands are parked, and executed one at a
// time on request. Each client has its own port for each server, so the port identifies a
// connection's client; a client's children count as the client. What servers tell of each other's
// addresses is replaced by those ports.
//
// Commands that neither read nor change data (HELLO, CLIENT, AUTH, SELECT, PING, INFO ...) and
// commands queued in a transaction are executed on arrival, as their order does not matter; so is
// what Sentinels are asked, because no fault comes between a client's steps.
// The commands by which clients report sections and write to guarded resources are answered here
// (see words.h).
//
// All times are Unix times in us, on one clock for all servers that moves only by SetTime. Thread
// safety: none.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <interlock/result.h>
#include <interlock/time.h>

#include "scenarios/run/foreign/drive_run.h"
#include "scenarios/run/foreign/node_addresses.h"
#include "scenarios/run/foreign/served_nodes.h"
#include "scenarios/run/foreign/words.h"
#include "sim/machine/virtual_clock.h"
#include "sim/redis/footprint.h"
#include "sim/redis/server.h"
#include "sim/serve/connection.h"
#include "sim/serve/listener.h"

namespace interlock::scenarios::drive {

/// A command waiting at the gate.
struct Parked {
  int client = 0;
  int node = 0;
  std::uint64_t connection = 0;  ///< counted from 1, over all clients
  std::uint64_t of_client = 0;   ///< the same, counted per client
  const sim::redis::Argv* argv = nullptr;
  std::uint64_t after = 0;  ///< how many of the client's commands had been executed by then
  /// Counted over all: what one thread sends is numbered in that order, unless it sends several
  /// commands in a row over one connection, which come here one by one.
  std::uint64_t arrival = 0;
};

/// An outgoing reply to a command, or a message.
struct Answer {
  int client = 0;
  int node = 0;
  std::string text;
};

class Gate : private sim::serve::Connection::Owner {
 public:
  Gate(const DriveOptions& options, std::int64_t epoch_us);
  ~Gate() override;
  Gate(const Gate&) = delete;
  Gate& operator=(const Gate&) = delete;

  /// The clients' clock, which is told when they are given something; null: there is none.
  void SetClock(sim::machine::VirtualClock* clock) { clock_ = clock; }
  /// kUnavailable: no port is available.
  Status Open();
  int port(int client, int node) const;
  ServedNodes& nodes() const { return *nodes_; }
  const GuardedResources& resources() const { return resources_; }

  std::int64_t time_us() const { return time_us_; }
  /// Timeouts on the way fire at their own time. REQUIRES: not less than time_us().
  void SetTime(std::int64_t unix_us);
  /// The earliest timeout or key expiry in any server; nullopt: none.
  std::optional<std::int64_t> NextTimerUs() const { return nodes_->NextTimerUs(); }

  /// Receives what has arrived; waits up to `at_most`. Returns whether anything has.
  bool Poll(Duration at_most);

  /// The first command of each connection, by client and connection.
  std::vector<Parked> parked() const;
  bool HasParked(int client) const;
  /// Whether it has connected at least once.
  bool has_connected(int client) const { return Of(client).connected > 0; }
  /// Number of connections that it had opened when it said INTERLOCK.READY; 0: it has not.
  std::uint64_t ready_after(int client) const { return Of(client).ready_after; }
  /// Whether it waits for a reply that time or another client brings.
  bool IsBlocked(int client) const;
  /// Whether one of its connections listens for messages, of changed keys included, but not of
  /// Sentinels.
  bool IsSubscribed(int client) const;
  /// Number of commands executed for a client, except those executed on arrival.
  std::uint64_t executed(int client) const { return Of(client).executed; }

  enum class Outcome : std::uint8_t {
    kAnswered,       ///< or blocked in the server
    kReplyWithheld,  ///< executed; the server's output is held until HandOver
    kReplyLost,      ///< executed; the connection breaks before the reply
    kRequestLost,    ///< the connection breaks before it is executed
  };
  /// Notes from now on what released commands touch; null: not.
  void Note(sim::redis::Footprint* footprint) { footprint_ = footprint; }
  /// REQUIRES: `connection` has a parked command.
  void Release(std::uint64_t connection, Outcome outcome);
  /// Delivers the withheld reply of a connection, if it is still there.
  void HandOver(std::uint64_t connection);
  bool IsWithheld(int client) const;
  /// Whether the connection's parked command waits for slots that move at once: it waits here, so
  /// that what it does is seen to be its client's.
  bool IsHeldUp(std::uint64_t connection) const;
  /// See ServedNodes; all connections to the node break.
  void FailOver(int node);
  /// See ServedNodes; who is blocked there for a key that has moved is sent away.
  void BeginMove(sim::FaultKind how);
  bool EndMove();
  /// Runs an operator's command on every server; nobody sees the reply.
  void Operate(const sim::redis::Argv& argv);
  /// Drops the client's connections: its process is gone.
  void Drop(int client);

  /// What was sent since the last call, except answers to commands executed on arrival.
  std::vector<Answer> TakeAnswers();
  /// The commands run for parked commands released since the last call, with the effects of scripts
  /// and transactions listed one by one.
  std::vector<sim::redis::Argv> TakeEffects();
  /// Clients that were sent anything, or disconnected, since the last call.
  std::vector<int> TakeTouched();
  /// Number of the client's commands that had to wait at the gate.
  std::uint64_t waited(int client) const { return Of(client).waited; }

 private:
  struct Outlet;
  struct Wire;
  struct Client {
    std::uint64_t connected = 0;  // connections so far
    std::uint64_t ready_after = 0;
    std::uint64_t executed = 0;
    std::uint64_t waited = 0;
    bool touched = false;
  };

  Client& Of(int client) { return clients_[static_cast<std::size_t>(client)]; }
  const Client& Of(int client) const { return clients_[static_cast<std::size_t>(client)]; }
  /// Whether any connection of the client is so.
  template <typename Is>
  bool Any(int client, const Is& is) const;
  void Add(int client, int node, sim::serve::Socket socket, std::string peer);
  void OnBytes(sim::serve::Connection& connection) override;
  void OnGone(sim::serve::Connection& connection) override;
  void OnRoom(sim::serve::Connection& connection) override;
  void Send(Wire& wire);
  void TakeNext(Wire& wire);
  void Execute(Wire& wire, const sim::redis::Argv& argv, bool queued);
  std::vector<PortOfNode> PortsOf(int client) const;
  void Reply(Wire& wire, const sim::redis::Value& value);
  void Deliver(int node, sim::redis::ClientId client, const sim::redis::Value& value);
  void Closed(int node, sim::redis::ClientId client);
  void Break(std::uint64_t connection);
  void Flush();

  sim::machine::VirtualClock* clock_ = nullptr;
  boost::asio::io_context io_;
  std::vector<Client> clients_;
  std::unique_ptr<ServedNodes> nodes_;
  std::vector<std::unique_ptr<Outlet>> outlets_;                  // by node
  std::vector<std::unique_ptr<sim::serve::Listener>> listeners_;  // by client, then by node
  std::map<std::uint64_t, std::unique_ptr<Wire>> wires_;          // by connection
  std::vector<Answer> answers_;
  GuardedResources resources_;
  std::vector<sim::redis::Argv> effects_;
  std::uint64_t last_connection_ = 0;
  std::uint64_t last_arrival_ = 0;
  sim::redis::Footprint* footprint_ = nullptr;
  bool unordered_ = false;        // what is being executed has no place in the order
  int executing_ = -1;            // a node; -1: none
  bool tells_addresses_ = false;  // what it executes
  std::int64_t time_us_;
};

}  // namespace interlock::scenarios::drive
