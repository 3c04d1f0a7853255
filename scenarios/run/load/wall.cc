// SPDX-License-Identifier: MIT
#include "scenarios/run/load/wall.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <iterator>
#include <string_view>
#include <thread>
#include <utility>

#include <fmt/format.h>

#include "scenarios/cases/kind_model.h"
#include "scenarios/cases/scenario.h"
#include "scenarios/run/load/measure.h"
#include "scenarios/run/load/wall_client.h"
#include "sim/machine/admin.h"

namespace interlock::scenarios::contend {
namespace {

using sim::machine::RedisServer;

/// Runs each client in a thread of this process, and returns the logs of all.
Result<EventLog> RunInThreads(ThreadRuntime& runtime, const std::vector<HiredisOptions>& servers,
                              const std::vector<ClientTask>& tasks) {
  std::vector<std::unique_ptr<WallClient>> clients;
  for (const ClientTask& task : tasks) {
    clients.push_back(std::make_unique<WallClient>(runtime, servers, task));
    if (!clients.back()->failure().ok()) return clients.back()->failure();
  }
  std::vector<std::thread> threads;
  for (const auto& client : clients) threads.emplace_back([&client] { client->Run(); });
  for (std::thread& thread : threads) thread.join();
  EventLog all;
  for (const auto& client : clients) {
    EventLog log = client->TakeLog();
    all.insert(all.end(), std::make_move_iterator(log.begin()), std::make_move_iterator(log.end()));
  }
  return all;
}

}  // namespace

int ServersFor(const harness::Subject& subject) {
  return subject.traits().quorum ? kSpawnedServers : 1;
}

Result<std::unique_ptr<WallBench>> WallBench::Open(const Target& target, int most) {
  std::unique_ptr<WallBench> bench(new WallBench());
  if (target.redis == "spawn") {
    std::string versions;
    for (int i = 0; i < most; ++i) {
      auto server = sim::machine::RedisServer::Start();
      if (!server.ok()) return server.status();
      auto options = ParseRedisUrl((*server)->url());
      if (!options.ok()) return options.status();
      bench->servers_.push_back(std::move(options).value());
      bench->own_.push_back(std::move(server).value());
    }
    bench->backend_ = fmt::format("{} redis-server of its own", most);
  } else {
    auto servers = sim::machine::ParseTargets(target.redis, target.allow_remote);
    if (!servers.ok()) return servers.status();
    bench->servers_ = std::move(servers).value();
  }
  bench->processes_ = target.processes;
  std::array<std::byte, 16> bytes{};
  bench->runtime_.FillRandom(bytes);
  bench->prefix_ = "interlock:contend:";
  for (const std::byte byte : bytes) {
    bench->prefix_ += fmt::format("{:02x}", static_cast<unsigned>(byte));
  }
  bench->prefix_ += ':';
  for (const HiredisOptions& server : bench->servers_) {
    const Status good = sim::machine::CheckServer(bench->runtime_, server, bench->prefix_);
    if (!good.ok()) return good;
    bench->sweepers_.push_back(
        std::make_unique<sim::machine::KeySweeper>(bench->runtime_, server, bench->prefix_));
    bench->sweepers_.back()->Use(server.database);
    if (!bench->own_.empty()) continue;
    auto connector = MakeHiredisConnector(bench->runtime_, server);
    if (!connector.ok()) return connector.status();
    bench->backend_ += (bench->backend_.empty() ? "" : ",") + (*connector)->endpoint();
  }
  if (target.processes) bench->backend_ += "; each client a process";
  return bench;
}

Result<Measured> WallBench::Measure(const harness::Subject& subject, int clients, const Load& load,
                                    std::uint64_t seed, const std::atomic<bool>* stop) {
  if (!ModelOf(subject.traits().kind).held) {
    return Status(StatusCode::kInvalidArgument,
                  fmt::format("{} is a latch: nobody contends for it", subject.name()));
  }
  const std::size_t least = subject.traits().quorum ? 3 : 1;
  if (servers_.size() < least) {
    return Status(StatusCode::kInvalidArgument,
                  fmt::format("{} asks three servers or more: give their URLs, separated by "
                              "commas, or --redis spawn",
                              subject.name()));
  }
  std::vector<HiredisOptions> servers = servers_;
  if (least == 1) servers.resize(1);
  const std::string prefix = fmt::format("{}{}:", prefix_, ++points_);
  const std::vector<harness::LockOptions> options = OptionsFor(subject, load, prefix);
  // This leaves time for all clients to be there.
  const MonotonicTime began = runtime_.Now() + std::chrono::milliseconds(20 + 2 * clients);
  std::vector<ClientTask> tasks;
  for (int client = 0; client < clients; ++client) {
    std::vector<harness::LockOptions> own;
    for (const harness::LockOptions& one : options) own.push_back(OptionsOf(client, one));
    tasks.push_back(ClientTask{client, &subject, std::move(own), load, seed, began, stop});
  }
  auto log =
      processes_ ? RunInProcesses(servers, tasks, stop) : RunInThreads(runtime_, servers, tasks);
  if (!log.ok()) return log.status();
  Measured measured;
  measured.log = std::move(log).value();
  std::stable_sort(measured.log.begin(), measured.log.end(),
                   [](const LogEvent& a, const LogEvent& b) { return a.at_latest < b.at_latest; });
  Frame frame;
  frame.lock = subject.name();
  frame.clients = clients;
  frame.resources = load.resources;
  frame.from_ns = load.warm_up.count();
  frame.to_ns = load.whole().count();
  frame.open = load.open();
  frame.one_owner = options.front().permits == 1;
  measured.point = contend::Measure(measured.log, frame);
  return measured;
}

Status WallBench::Sweep() {
  for (const auto& sweeper : sweepers_) {
    if (const auto swept = sweeper->Sweep(); !swept.ok()) return swept.status();
  }
  return Status();
}

}  // namespace interlock::scenarios::contend
