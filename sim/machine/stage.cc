// SPDX-License-Identifier: MIT
#include "sim/machine/stage.h"

#include <algorithm>
#include <utility>

namespace interlock::sim::machine {
namespace {

constexpr int kReplicas = 2;
constexpr int kSentinels = 3;

std::vector<std::string> ArgumentsFor(Persistence persistence) {
  // Long-running scripts make the server answer BUSY soon, and the operator may put it to sleep.
  std::vector<std::string> arguments = {"--busy-reply-threshold", "20", "--enable-debug-command",
                                        "yes"};
  const auto add = [&](std::initializer_list<std::string> more) {
    arguments.insert(arguments.end(), more);
  };
  switch (persistence) {
    case Persistence::kNone:
      break;
    case Persistence::kRdb:
      add({"--save", "1 1"});
      break;
    case Persistence::kAofAlways:
      add({"--appendonly", "yes", "--appendfsync", "always"});
      break;
    case Persistence::kAofEverysec:
      add({"--appendonly", "yes", "--appendfsync", "everysec"});
      break;
  }
  return arguments;
}

RedisTopologyOptions TopologyFor(const StageOptions& stage) {
  RedisTopologyOptions options;
  options.of.arguments = ArgumentsFor(stage.persistence);
  switch (stage.topology) {
    case Topology::kStandalone:
      break;
    case Topology::kReplicated:
    case Topology::kSentinel:  // How its clients ask for the master is only simulated.
      options.replicas = kReplicas;
      options.sentinels = stage.sentinels ? kSentinels : 0;
      break;
    case Topology::kIndependent:
      options.masters = stage.nodes;
      break;
    case Topology::kCluster:
      options.masters = stage.nodes;
      options.cluster = true;
      break;
    case Topology::kShards:  // What needs its replicas is only simulated.
      options.masters = stage.nodes / 2;
      options.cluster = true;
      break;
  }
  return options;
}

}  // namespace

Result<std::unique_ptr<Stage>> Stage::Open(const std::vector<RealFault>& faults,
                                           const StageOptions& options) {
  std::unique_ptr<Stage> stage(new Stage(options.database));
  auto topology = RedisTopology::Start(TopologyFor(options));
  if (!topology.ok()) return topology.status();
  stage->topology_ = std::move(topology).value();
  if (stage->replicated()) stage->primary_ = &stage->topology_->master();
  const bool of_links = std::any_of(faults.begin(), faults.end(), [](const RealFault& fault) {
    return InfoOf(fault.kind).place == RealFaultPlace::kLink;
  });
  if (options.sentinels || (!of_links && !stage->replicated())) return stage;
  std::vector<int> ports;
  for (std::size_t i = 0; i < stage->nodes(); ++i) ports.push_back(stage->node(i).port());
  auto proxy = FaultProxy::Start(options.clients, ports, faults);
  if (!proxy.ok()) return proxy.status();
  stage->proxy_ = std::move(proxy).value();
  return stage;
}

HiredisOptions Stage::OptionsOf(std::size_t index) {
  HiredisOptions options;
  options.port = node(index).port();
  options.database = database_;
  return options;
}

ClientWay Stage::WayOf(int client) const {
  ClientWay way;
  for (std::size_t i = 0; i < topology_->masters(); ++i) {
    HiredisOptions options;
    options.port =
        proxy_ != nullptr ? proxy_->port(client, static_cast<int>(i)) : topology_->master(i).port();
    options.database = database_;
    way.nodes.push_back(options);
  }
  for (std::size_t i = 0; i < topology_->sentinels(); ++i) {
    way.sentinels.push_back({"127.0.0.1", topology_->sentinel(i).port()});
  }
  return way;
}

std::vector<RedisServer*> Stage::DataServers() {
  std::vector<RedisServer*> all;
  for (std::size_t i = 0; i < topology_->masters(); ++i) all.push_back(&topology_->master(i));
  for (std::size_t i = 0; i < topology_->replicas(); ++i) all.push_back(&topology_->replica(i));
  return all;
}

std::vector<RedisServer*> Stage::ReplicasOf(const RedisServer& primary) {
  if (!replicated()) return {};
  std::vector<RedisServer*> all = DataServers();
  std::erase(all, &primary);
  return all;
}

void Stage::Follow(RedisServer& promoted, bool reset) {
  primary_ = &promoted;
  if (proxy_ != nullptr) proxy_->Route({0, promoted.port(), reset});
}

RedisServer* Stage::NamedBySentinels(const RedisServer& old) {
  for (RedisServer* const server : ReplicasOf(old)) {
    const std::string address = ":" + std::to_string(server->port()) + ",";
    bool by_all = topology_->sentinels() > 0;
    for (std::size_t i = 0; by_all && i < topology_->sentinels(); ++i) {
      const Result<std::string> info = topology_->sentinel(i).Command({"INFO", "sentinel"});
      by_all = info.ok() && info->find(address) != std::string::npos;
    }
    if (by_all) return server;
  }
  return nullptr;
}

}  // namespace interlock::sim::machine
