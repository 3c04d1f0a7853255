// SPDX-License-Identifier: MIT
//
// The fake Redis over TCP with a gate before it: what clients send is parked, and executed one
// command at a time, when it is told to. Each client has a port of its own for each server, so a
// connection is known by its port; a client's children count as the client.
//
// Commands that neither read nor change data (HELLO, CLIENT, AUTH, SELECT, PING, INFO ...) and what
// a transaction only queues are executed as they come, for their order tells nothing.
// INTERLOCK.ENTER and INTERLOCK.LEAVE, by which clients report their sections, are answered here.
//
// All times are Unix times in us, of a clock that moves only by SetTime, and is one for all
// servers. Thread safety: none.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <interlock/result.h>
#include <interlock/time.h>

#include "sim/redis/server.h"
#include "sim/serve/connection.h"
#include "sim/serve/listener.h"

namespace interlock::scenarios::drive {

/// A command that waits at the gate.
struct Parked {
  int client = 0;
  int node = 0;
  std::uint64_t connection = 0;  ///< counted from 1, over all clients
  std::uint64_t of_client = 0;   ///< the same, counted for each client
  const sim::redis::Argv* argv = nullptr;
};

/// A reply to a command, or a message, as it goes out.
struct Answer {
  int client = 0;
  int node = 0;
  std::string text;
};

class Gate : private sim::serve::Connection::Owner {
 public:
  /// REQUIRES: both at least 1.
  Gate(int clients, int nodes, std::int64_t epoch_us);
  ~Gate() override;
  Gate(const Gate&) = delete;
  Gate& operator=(const Gate&) = delete;

  /// kUnavailable: no port can be had.
  Status Open();
  int port(int client, int node) const;
  int nodes() const { return static_cast<int>(nodes_.size()); }
  sim::redis::Server& server(int node);

  std::int64_t time_us() const { return time_us_; }
  /// Time-outs that end on the way, end at their own time. REQUIRES: not less than time_us().
  void SetTime(std::int64_t unix_us);
  /// The earliest time-out in a server, or end of a key, with its server; nullopt: none.
  std::optional<std::int64_t> NextTimerUs() const;

  /// Takes in what has arrived; waits for it up to `at_most`.
  void Poll(Duration at_most);

  /// The first of each connection, by client and connection.
  std::vector<Parked> parked() const;
  bool HasParked(int client) const;
  /// It has connected, once at least.
  bool has_connected(int client) const;
  /// It waits for a reply that time or another client brings.
  bool IsBlocked(int client) const;
  /// A connection of its listens for messages.
  bool IsSubscribed(int client) const;
  /// Commands of a client; those that are executed as they come are not counted.
  std::uint64_t executed(int client) const;

  enum class Outcome : std::uint8_t {
    kAnswered,       ///< or blocked in the server
    kReplyWithheld,  ///< executed; what the server sends is kept back until HandOver
    kReplyLost,      ///< executed; the connection breaks before the reply
    kRequestLost,    ///< the connection breaks before it is executed
  };
  /// REQUIRES: `connection` has a parked command.
  void Release(std::uint64_t connection, Outcome outcome);
  /// Hands over the withheld reply of a connection, if it still is there.
  void HandOver(std::uint64_t connection);
  bool IsWithheld(int client) const;
  /// As an operator would, at every server; nobody sees the reply.
  void Operate(const sim::redis::Argv& argv);
  /// The peers are gone.
  void Drop(int client);

  /// What has gone out since the last call, but for the answers to what is executed as it comes.
  std::vector<Answer> TakeAnswers();
  /// What has been run for the parked commands that were released since the last call: what scripts
  /// and transactions have done is there one by one.
  std::vector<sim::redis::Argv> TakeEffects();
  /// Clients that anything has been sent to since the last call, or whose connection has been
  /// broken.
  std::vector<int> TakeTouched();
  /// How many commands of the client had to wait at the gate.
  std::uint64_t waited(int client) const { return waited_[static_cast<std::size_t>(client)]; }

 private:
  struct Node;
  struct Wire;

  void Add(int client, int node, sim::serve::Socket socket, std::string peer);
  void OnBytes(sim::serve::Connection& connection) override;
  void OnGone(sim::serve::Connection& connection) override;
  void TakeNext(Wire& wire);
  void Execute(Wire& wire, const sim::redis::Argv& argv);
  void Reply(Wire& wire, const sim::redis::Value& value);
  void Deliver(int node, sim::redis::ClientId client, const sim::redis::Value& value);
  void Closed(int node, sim::redis::ClientId client);
  void Break(std::uint64_t connection);
  void Flush();

  boost::asio::io_context io_;
  const int clients_;
  std::vector<std::unique_ptr<Node>> nodes_;
  std::vector<std::unique_ptr<sim::serve::Listener>> listeners_;  // by client, then by node
  std::map<std::uint64_t, std::unique_ptr<Wire>> wires_;          // by connection
  std::vector<std::uint64_t> connected_;                          // connections so far, by client
  std::vector<std::uint64_t> executed_;                           // by client
  std::vector<Answer> answers_;
  std::vector<sim::redis::Argv> effects_;
  std::vector<bool> touched_;          // by client
  std::vector<std::uint64_t> waited_;  // by client
  std::uint64_t last_connection_ = 0;
  bool unordered_ = false;  // what is being executed has no place in the order
  std::int64_t time_us_;
};

}  // namespace interlock::scenarios::drive
