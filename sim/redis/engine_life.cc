// SPDX-License-Identifier: MIT
//
// A server's process from its start to its end, and what outlives it.
#include <string_view>

#include "sim/redis/engine.h"
#include "sim/redis/text.h"

namespace interlock::sim::redis {

void Engine::Reset(const Config& config) {
  now_us = 0;
  starts_ = 0;
  identity = 0;
  sentinel = nullptr;
  unmodelled.reset();
  ForgetProcess();
  persistence.Reset();
  cluster.Reset();
  SetConfig(config);
}

void Engine::ForgetProcess() {
  clients.RemoveAll();
  dice.Reset();
  stall.Reset();
  keyspace.Reset();
  SetTime(now_us);
  journal.Reset();
  blocking.Reset();
  pause.Reset();
  memory.Reset();
  statistics.Reset();
  active_expiry = true;
  pubsub.Reset();
  tracking.Reset();
  current_ = executing_ = author_ = 0;
  scripting.Reset();
  libraries.Reset();
  if (cluster.enabled()) cluster.migrations().Reset();
  constexpr std::uint64_t kManyStarts = 1'000'000;
  replication.Reset(identity * kManyStarts + starts_);
}

void Engine::CloseAll() {
  for (std::size_t i = 0; i < clients.all().size(); ++i) {
    if (clients.all()[i] != nullptr) Close(*clients.all()[i]);
  }
}

void Engine::Kill(const Server::Crash& crash) {
  persistence.Crash(crash);
  ForgetProcess();
}

void Engine::Start(std::int64_t loading_us) {
  ++starts_;
  ForgetProcess();
  OnRoleChanged();
  const std::string_view master = config().replicaof;
  const std::size_t space = master.find(' ');
  std::int64_t port = 0;
  if (space != std::string_view::npos && ParseInteger(master.substr(space + 1), &port)) {
    replication.Follow({std::string(master.substr(0, space)), static_cast<int>(port)});
  }
  persistence.Load(loading_us);
}

}  // namespace interlock::sim::redis
