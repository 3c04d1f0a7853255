// SPDX-License-Identifier: MIT
//
// The connections of a server by id. Ids count from 1 and are never reused; objects of former
// clients are, for their memory. Thread safety: none.
#pragma once

#include <cstddef>
#include <memory>
#include <string_view>
#include <vector>

#include "sim/redis/client.h"

namespace interlock::sim::redis {

class ClientTable {
 public:
  /// `reuse` is false if the running command may still look at a spare client.
  Client& Add(std::string_view address, bool reuse);
  /// nullptr: it is gone.
  Client* Find(ClientId id) {
    if (id == 0 || id > clients_.size()) return nullptr;
    return clients_[static_cast<std::size_t>(id - 1)].get();
  }
  /// REQUIRES: it is there. The object lives on until another client reuses it.
  void Remove(ClientId id);
  void RemoveAll();

  /// By id - 1; null where a client is gone.
  const std::vector<std::unique_ptr<Client>>& all() const { return clients_; }
  std::size_t connected() const { return connected_; }

 private:
  std::vector<std::unique_ptr<Client>> clients_;
  std::vector<std::unique_ptr<Client>> spare_;
  std::size_t connected_ = 0;
};

}  // namespace interlock::sim::redis
