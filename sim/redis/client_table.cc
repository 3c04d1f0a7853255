// SPDX-License-Identifier: MIT
#include "sim/redis/client_table.h"

#include <utility>

namespace interlock::sim::redis {

Client& ClientTable::Add(std::string_view address, bool reuse) {
  std::unique_ptr<Client> client;
  if (spare_.empty() || !reuse) {
    client = std::make_unique<Client>();
  } else {
    client = std::move(spare_.back());
    spare_.pop_back();
    *client = Client();
  }
  client->id = clients_.size() + 1;
  client->address = address;
  clients_.push_back(std::move(client));
  ++connected_;
  return *clients_.back();
}

void ClientTable::Remove(ClientId id) {
  spare_.push_back(std::move(clients_[static_cast<std::size_t>(id - 1)]));
  --connected_;
}

void ClientTable::RemoveAll() {
  for (std::unique_ptr<Client>& client : clients_) {
    if (client) spare_.push_back(std::move(client));
  }
  clients_.clear();
  connected_ = 0;
}

}  // namespace interlock::sim::redis
