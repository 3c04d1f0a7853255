// SPDX-License-Identifier: MIT
#include "sim/redis/topology.h"

#include <algorithm>
#include <utility>

#include "sim/redis/engine.h"

namespace interlock::sim::redis {

namespace {

constexpr std::int64_t kSecondUs = 1'000'000;
constexpr std::int64_t kCronUs = kSecondUs;

}  // namespace

TopologySpec TopologySpec::IndependentMasters(std::size_t count) {
  TopologySpec spec;
  for (std::size_t i = 1; i <= count; ++i) {
    spec.nodes.push_back({{"10.0.0." + std::to_string(i), 6379}, std::nullopt, {}});
  }
  return spec;
}

TopologySpec TopologySpec::WithReplicas(std::size_t replicas) {
  TopologySpec spec = IndependentMasters(1 + replicas);
  for (NodeId node = 1; node <= replicas; ++node) spec.nodes[node].replica_of = 0;
  return spec;
}

Topology::Topology() = default;

Topology::Topology(const TopologySpec& spec) { Reset(spec); }

void Topology::Reset(const TopologySpec& spec) {
  spec_ = spec;
  for (std::size_t i = 0; i < spec_.sentinels; ++i) {
    const MasterAddress usual{"10.0.1." + std::to_string(i + 1), 26379};
    const auto& chosen = spec_.sentinel_addresses;
    spec_.nodes.push_back({i < chosen.size() ? chosen[i] : usual, std::nullopt, {}});
  }
  while (nodes_.size() > spec_.nodes.size()) {
    spare_.push_back(std::move(nodes_.back()));
    nodes_.pop_back();
  }
  while (nodes_.size() < spec_.nodes.size()) {
    if (spare_.empty()) spare_.push_back(std::make_unique<Node>());
    nodes_.push_back(std::move(spare_.back()));
    spare_.pop_back();
  }
  traffic_.Reset(spec_.lag_us);
  links_.Reset(nodes_.size(), spec_.full_sync_us);
  now_us_ = 0;
  next_tick_us_ = Sentinel::kTickUs;
  for (NodeId id = 0; id < nodes_.size(); ++id) ResetNode(id);
  for (NodeId id = 0; id < nodes_.size(); ++id) {
    if (!IsSentinel(id)) continue;
    nodes_[id]->sentinel = std::make_unique<Sentinel>(*this, id, spec_.sentinel, 0);
    engine(id).sentinel = nodes_[id]->sentinel.get();
  }
}

void Topology::ResetNode(NodeId id) {
  Node& node = *nodes_[id];
  static_cast<NodeState&>(node) = NodeState();
  const NodeSpec& its_spec = spec_.nodes[id];
  node.server.SetDialect(*its_spec.dialect);
  Server::ConfigurationFile with_master;
  if (its_spec.replica_of) {
    const MasterAddress& master = address(*its_spec.replica_of);
    with_master = its_spec.configuration;
    with_master.emplace_back("replicaof", master.host + " " + std::to_string(master.port));
  }
  const std::string wrong =
      node.server.Reset(its_spec.replica_of ? with_master : its_spec.configuration);
  // A specification that is wrong must not run as another one.
  if (!wrong.empty()) node.engine.SetUnmodelled("configuration " + wrong);
  node.clock = NodeClock(spec_.start_us);
  node.next_cron_us = kCronUs;
  node.server.SetTime(spec_.start_us);
  node.engine.identity = id + 1;
  node.server.Start();
}

Topology::~Topology() = default;

bool Topology::Runs(NodeId node) {
  return nodes_[node]->up && !nodes_[node]->paused && !nodes_[node]->engine.stall.active();
}

std::optional<NodeId> Topology::Resolve(std::string_view host, int port) const {
  for (NodeId node = 0; node < nodes_.size(); ++node) {
    if (address(node).host == host && address(node).port == port) return node;
  }
  return std::nullopt;
}

void Topology::SetTime(std::int64_t us) {
  if (nodes_.size() > 1) links_.Collect();  // Otherwise nothing can be on its way.
  now_us_ = us;
  for (const std::unique_ptr<Node>& node : nodes_) node->server.SetTime(node->clock.At(now_us_));
}

void Topology::StepClock(NodeId id, std::int64_t us) {
  Node& node = *nodes_[id];
  node.clock.Step(now_us_, us);
  node.server.SetTime(node.clock.At(now_us_));
}

// To a process that is gone everything can be delivered: it is refused.
bool Topology::CanDeliver(const Way& way) {
  return !traffic_.IsCut(way.first, way.second) && (!IsUp(way.second) || Runs(way.second));
}

std::vector<std::pair<NodeId, NodeId>> Topology::Deliverable() {
  links_.Collect();
  std::vector<Way> ways;
  for (const auto& [way, messages] : traffic_.ways()) {
    if (!messages.empty() && CanDeliver(way)) ways.push_back(way);
  }
  return ways;
}

bool Topology::DeliverOne(NodeId from, NodeId to) {
  links_.Collect();
  const auto way = traffic_.ways().find({from, to});
  if (way == traffic_.ways().end() || way->second.empty() || !CanDeliver(way->first)) return false;
  Deliver(way->first);
  links_.Collect();
  return true;
}

std::optional<std::int64_t> Topology::NextTimerUs() {
  links_.Collect();
  std::optional<std::int64_t> next;
  if (SentinelsAct()) next = std::max(now_us_, next_tick_us_);
  const auto consider = [&](std::int64_t at_us) {
    at_us = std::max(at_us, now_us_);
    next = std::min(next.value_or(at_us), at_us);
  };
  for (const auto& [way, messages] : traffic_.ways()) {
    if (!messages.empty() && CanDeliver(way)) consider(messages.front().deliver_at_us);
  }
  for (NodeId id = 0; id < nodes_.size(); ++id) {
    Node& node = *nodes_[id];
    if (!node.up || node.paused) continue;
    if (const auto timer = node.server.NextTimerUs()) consider(TimeAtClock(id, *timer));
    if (links_.NeedsCron(id)) consider(node.next_cron_us);
  }
  return next;
}

void Topology::RunTimers() {
  for (NodeId id = 0; id < nodes_.size(); ++id) {
    Node& node = *nodes_[id];
    if (!node.up || node.paused) continue;
    if (const auto timer = node.server.NextTimerUs(); timer && *timer <= node.server.time_us()) {
      node.server.RunTimers();
    }
    if (!Runs(id) || node.next_cron_us > now_us_) continue;
    node.next_cron_us = now_us_ - now_us_ % kCronUs + kCronUs;
    if (links_.NeedsCron(id)) links_.RunCron(id, (now_us_ - node.started_us) / kSecondUs);
  }
  RunSentinels();
  for (;;) {
    links_.Collect();
    const Way* due = FirstDue();
    if (due == nullptr) return;
    Deliver(*due);
  }
}

const Topology::Way* Topology::FirstDue() {
  const Way* due = nullptr;
  const ReplicationMessage* first = nullptr;
  for (const auto& [way, messages] : traffic_.ways()) {
    if (messages.empty() || messages.front().deliver_at_us > now_us_ || !CanDeliver(way)) continue;
    const ReplicationMessage& message = messages.front();
    if (first == nullptr || std::pair(message.deliver_at_us, message.sequence) <
                                std::pair(first->deliver_at_us, first->sequence)) {
      due = &way;
      first = &message;
    }
  }
  return due;
}

void Topology::Deliver(const Way& way) {
  links_.Deliver(way.first, way.second, traffic_.Take(way));
}

void Topology::RunSentinels() {
  for (NodeId id = 0; spec_.sentinel.led && id < nodes_.size(); ++id) {
    if (IsSentinel(id)) nodes_[id]->sentinel->TakeNews();
  }
  if (!SentinelsAct() || next_tick_us_ > now_us_) return;
  next_tick_us_ = now_us_ - now_us_ % Sentinel::kTickUs + Sentinel::kTickUs;
  for (NodeId id = 0; id < nodes_.size(); ++id) {
    if (IsSentinel(id) && Runs(id)) nodes_[id]->sentinel->Tick();
  }
}

void Topology::Reconfigure(NodeId node, const std::optional<MasterAddress>& master) {
  links_.Collect();
  Engine& its = engine(node);
  its.CloseAll();
  (void)server(node).Configure("replicaof",
                               master ? master->host + " " + std::to_string(master->port) : "");
  if (!master) {
    its.replication.Promote();
  } else if (its.replication.master() != master) {
    its.replication.Follow(*master);
  }
  links_.Collect();
}

void Topology::Kill(NodeId id, const Server::Crash& crash) {
  links_.Collect();
  Node& node = *nodes_[id];
  if (crash.power_lost) {
    links_.OnPowerLoss(id);
  } else {
    links_.OnKill(id);
  }
  node.up = false;
  node.paused = false;
  node.server.Kill(crash);
}

void Topology::Start(NodeId id, std::int64_t loading_us) {
  Node& node = *nodes_[id];
  links_.OnStart(id);
  node.up = true;
  node.started_us = now_us_;
  node.server.Start(loading_us);
}

void Topology::SetPaused(NodeId id, bool paused) {
  links_.Collect();
  nodes_[id]->paused = paused;
}

void Topology::Describe(NodeId id, StateSink& sink) {
  const Node& node = *nodes_[id];
  sink.BeginPart();
  sink.Number((node.up ? 1U : 0U) | (node.paused ? 2U : 0U) | (InStep(id) ? 4U : 0U));
  sink.Number(static_cast<std::uint64_t>(node.clock.At(now_us_) - now_us_));
  sink.Number(static_cast<std::uint64_t>(node.clock.drift_ppm()));
  if (nodes_.size() > 1) links_.Describe(id, sink);
  if (node.sentinel != nullptr) node.sentinel->Describe(sink);
}

}  // namespace interlock::sim::redis
