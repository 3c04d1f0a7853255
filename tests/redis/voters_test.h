// SPDX-License-Identifier: MIT
//
// Several servers of a test's own that know nothing of each other, and "processes" with a client
// for each of them.
//
// Thread safety: none.
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include <interlock/client.h>
#include <interlock/hiredis_connector.h>

#include "tests/redis/redis_test.h"

namespace interlock::testing {

class VotersTest : public ConnectionTest {
 protected:
  /// One "process": a client for each server.
  struct Voters {
    std::vector<std::unique_ptr<Connector>> connectors;
    std::vector<std::unique_ptr<Client>> clients;
    std::vector<Client*> nodes;
  };

  void StartServers(int count) {
    for (int i = 0; i < count; ++i) {
      Result<std::unique_ptr<RedisServer>> server = RedisServer::Start({});
      ASSERT_TRUE(server.ok()) << server.status().ToString();
      servers_.push_back(std::move(server).value());
    }
  }
  Voters NewVoters() {
    Voters voters;
    for (const auto& server : servers_) {
      voters.connectors.push_back(MakeHiredisConnector(runtime_, server->url()).value());
      voters.clients.push_back(std::make_unique<Client>(runtime_, *voters.connectors.back()));
      voters.nodes.push_back(voters.clients.back().get());
    }
    return voters;
  }

  std::vector<std::unique_ptr<RedisServer>> servers_;
};

}  // namespace interlock::testing
