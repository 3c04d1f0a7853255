// SPDX-License-Identifier: MIT
#include "sim/serve/clients.h"

#include <utility>

namespace interlock::sim::serve {

void Clients::Add(std::shared_ptr<Connection> connection, std::string address) {
  connection->notes.serial = ++last_serial_;
  connection->notes.address = std::move(address);
  connections_.emplace(last_serial_, std::move(connection));
}

Clients::BySerial Clients::TakeAll() {
  clients_.clear();
  return std::exchange(connections_, {});
}

void Clients::Keep(const std::shared_ptr<Connection>& connection) {
  connections_.emplace(connection->notes.serial, connection);
}

void Clients::Register(Connection& connection, redis::Server& server) {
  connection.notes.client = server.Connect(connection.notes.address);
  clients_[connection.notes.client] = &connection;
  connection.parser().SetDialect(server.dialect());
}

Connection* Clients::Find(redis::ClientId client) const {
  const auto found = clients_.find(client);
  return found == clients_.end() ? nullptr : found->second;
}

}  // namespace interlock::sim::serve
