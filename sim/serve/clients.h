// SPDX-License-Identifier: MIT
//
// The connections of a served Redis, and which of the fake's clients each of them is.
//
// Thread safety: none.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>

#include "sim/redis/server.h"
#include "sim/serve/connection.h"

namespace interlock::sim::serve {

class Clients {
 public:
  using BySerial = std::map<std::uint64_t, std::shared_ptr<Connection>>;

  const BySerial& connections() const { return connections_; }
  void Add(std::shared_ptr<Connection> connection, std::string address);
  /// Any code that still uses the connection holds a reference of its own.
  void Remove(const Connection& connection) { connections_.erase(connection.notes.serial); }
  /// All of them, which are connections no longer.
  BySerial TakeAll();
  /// Puts back one of those that were taken.
  void Keep(const std::shared_ptr<Connection>& connection);

  /// Makes it a client of the fake.
  void Register(Connection& connection, redis::Server& server);
  /// nullptr: no connection is that client.
  Connection* Find(redis::ClientId client) const;
  void Unregister(redis::ClientId client) { clients_.erase(client); }

 private:
  BySerial connections_;
  std::unordered_map<redis::ClientId, Connection*> clients_;
  std::uint64_t last_serial_ = 0;
};

}  // namespace interlock::sim::serve
