// SPDX-License-Identifier: MIT
//
// A redis-server on a port of its own, and the library on it, for benchmarks.
//
// Thread safety: as that of its parts.
#pragma once

#include <benchmark/benchmark.h>

#include <memory>
#include <utility>

#include <interlock/client.h>
#include <interlock/hiredis_connector.h>
#include <interlock/thread_runtime.h>

#include "tests/support/redis_server.h"

namespace interlock {

// A server, and the library on it.
struct Stack {
  std::unique_ptr<testing::RedisServer> server;
  ThreadRuntime runtime;
  std::unique_ptr<Connector> connector;
  std::unique_ptr<Client> client;
};

// Null, with the benchmark marked as failed, if there is no server.
inline std::unique_ptr<Stack> Start(benchmark::State& state) {
  auto stack = std::make_unique<Stack>();
  auto server = testing::RedisServer::Start();
  if (!server.ok()) {
    state.SkipWithError(server.status().message().c_str());
    return nullptr;
  }
  stack->server = std::move(server).value();
  auto connector = MakeHiredisConnector(stack->runtime, stack->server->url());
  if (!connector.ok()) {
    state.SkipWithError(connector.status().message().c_str());
    return nullptr;
  }
  stack->connector = std::move(connector).value();
  stack->client = std::make_unique<Client>(stack->runtime, *stack->connector);
  return stack;
}

}  // namespace interlock
