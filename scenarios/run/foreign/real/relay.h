// SPDX-License-Identifier: MIT
//
// Stands between foreign clients and real servers: each client has its own port for each server,
// so the port identifies a connection's client, and each of its connections has one of the relay's
// to the server. Commands and replies pass unchanged. INTERLOCK.ENTER and its like, by which
// clients report their sections, are answered here, and never reach the server.
//
// It holds each command back until Release, or lets all pass once PassAll is called. What the gate
// of the fake does not put in order is not held back either: commands that get a connection ready
// (see gate.h), and those queued in a transaction.
//
// Non-guarantee: CLIENT REPLY OFF, MONITOR and replication by clients are not supported: they
// break the pairing of commands and replies. Thread safety: none.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <interlock/hiredis_connector.h>
#include <interlock/result.h>
#include <interlock/time.h>

#include "scenarios/run/foreign/gate.h"
#include "scenarios/run/foreign/words.h"
#include "sim/redis/resp.h"
#include "sim/serve/alarm.h"
#include "sim/serve/connection.h"
#include "sim/serve/listener.h"
#include "sim/serve/upstream.h"

namespace interlock::scenarios::drive {

/// Learns what passes.
class RelayObserver {
 public:
  virtual ~RelayObserver() = default;
  /// The command goes to its server, or is answered here.
  virtual void OnPassed(const Parked& command) = 0;
  /// The server's reply to a command arrives, or a part of it (SUBSCRIBE has several); `to` is
  /// without the command. `ordered`: it was not one of those that are never held back.
  virtual void OnReply(const Parked& to, const sim::redis::Value& reply, bool ordered) = 0;
  /// A message arrives that the client has subscribed to.
  virtual void OnMessage(int /*client*/) {}
};

class Relay : private sim::serve::Connection::Owner {
 public:
  /// REQUIRES: at least one of both. `observer` outlives it.
  Relay(int clients, std::vector<HiredisOptions> servers, RelayObserver& observer);
  ~Relay() override;
  Relay(const Relay&) = delete;
  Relay& operator=(const Relay&) = delete;

  /// kUnavailable: no port is available.
  Status Open();
  int port(int client, int node) const;
  int nodes() const { return static_cast<int>(servers_.size()); }

  /// INTERLOCK.ENTER is answered so much later, and the connection's next command read after that:
  /// sections then last as long in each client.
  void SetSection(Duration section) { section_ = section; }

  /// Forwards what has arrived; waits up to `at_most`.
  void Poll(Duration at_most);

  /// The commands held back, by client and connection.
  std::vector<Parked> parked() const;
  bool HasParked(int client) const;
  bool has_connected(int client) const { return connected_[static_cast<std::size_t>(client)] > 0; }
  /// REQUIRES: `connection` has a command held back. kReplyLost: the client's connection breaks
  /// only with Break, once the server has executed the command.
  void Release(std::uint64_t connection, Gate::Outcome outcome);
  /// From now on nothing is held back.
  void PassAll();
  /// Whether replies are due from the server.
  bool AwaitsReply(std::uint64_t connection) const;
  /// Delivers the withheld replies of the client.
  void HandOver(int client);
  /// Breaks both ends of a connection, if it is still there.
  void Break(std::uint64_t connection);
  /// Breaks the client's connections: its process is gone.
  void Drop(int client);

  /// The relay's own end of the connection to the server; see sim::serve::Upstream.
  std::string AddressOf(std::uint64_t connection) const;
  /// Why a client's connection could not be passed on; ok: all were.
  const Status& trouble() const { return trouble_; }

 private:
  struct Wire;

  void Add(int client, int node, sim::serve::Socket socket);
  void OnBytes(sim::serve::Connection& connection) override;
  void OnGone(sim::serve::Connection& connection) override;
  void TakeNext(Wire& wire);
  void Pass(Wire& wire, const sim::redis::Argv& argv, bool ordered);
  void OnServerBytes(std::uint64_t connection, std::optional<std::string_view> bytes);
  void NoteReply(Wire& wire, const sim::redis::Value& value);
  void Deliver(Wire& wire, std::string_view bytes);
  void EndSections();
  Wire* Find(std::uint64_t connection) const;
  void Flush();

  boost::asio::io_context io_;
  const std::vector<HiredisOptions> servers_;
  RelayObserver& observer_;
  std::vector<std::uint64_t> connected_;                          // by client, connections so far
  std::vector<std::unique_ptr<sim::serve::Listener>> listeners_;  // by client, then by node
  std::map<std::uint64_t, std::unique_ptr<Wire>> wires_;          // by connection
  std::uint64_t last_connection_ = 0;
  bool passes_all_ = false;
  Duration section_{};
  std::multimap<sim::serve::Alarm::Time, std::uint64_t> sections_;  // when they end; connections
  sim::serve::Alarm alarm_;
  GuardedResources resources_;
  Status trouble_;
};

}  // namespace interlock::scenarios::drive
