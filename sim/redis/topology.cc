// SPDX-License-Identifier: MIT
#include "sim/redis/topology.h"

#include <algorithm>
#include <utility>

#include "sim/redis/engine.h"

namespace interlock::sim::redis {

namespace {

constexpr std::int64_t kCronUs = 1'000'000;

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
  for (std::size_t i = 1; i <= spec_.sentinels; ++i) {
    spec_.nodes.push_back({{"10.0.1." + std::to_string(i), 26379}, std::nullopt, {}});
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
  lags_.clear();
  ways_.clear();
  cuts_.clear();
  now_us_ = 0;
  next_tick_us_ = Sentinel::kTickUs;
  connections_ = 0;
  sequence_ = 0;
  for (NodeId id = 0; id < nodes_.size(); ++id) ResetNode(id);
  for (NodeId id = 0; id < nodes_.size(); ++id) {
    if (!IsSentinel(id)) continue;
    nodes_[id]->sentinel = std::make_unique<Sentinel>(*this, id, spec_.sentinel, 0);
    server(id).engine().sentinel = nodes_[id]->sentinel.get();
  }
}

void Topology::ResetNode(NodeId id) {
  Node& node = *nodes_[id];
  static_cast<NodeState&>(node) = NodeState();
  const NodeSpec& its_spec = spec_.nodes[id];
  Server::ConfigurationFile with_master;
  if (its_spec.replica_of) {
    const MasterAddress& master = address(*its_spec.replica_of);
    with_master = its_spec.configuration;
    with_master.emplace_back("replicaof", master.host + " " + std::to_string(master.port));
  }
  const std::string wrong =
      node.server.Reset(its_spec.replica_of ? with_master : its_spec.configuration);
  // A specification that is wrong must not run as another one.
  if (!wrong.empty()) node.server.engine().SetUnmodelled("configuration " + wrong);
  node.clock_base_us = spec_.start_us;
  node.next_cron_us = kCronUs;
  node.server.SetTime(spec_.start_us);
  node.server.engine().identity = id + 1;
  node.server.Start();
}

Topology::~Topology() = default;

Replication& Topology::replication(NodeId node) { return server(node).engine().replication; }

// Neither down, nor stopped, nor in DEBUG SLEEP.
bool Topology::Runs(NodeId node) {
  return nodes_[node]->up && !nodes_[node]->paused && !server(node).engine().stall.active();
}

std::optional<NodeId> Topology::Resolve(std::string_view host, int port) const {
  for (NodeId node = 0; node < nodes_.size(); ++node) {
    if (address(node).host == host && address(node).port == port) return node;
  }
  return std::nullopt;
}

std::int64_t Topology::ClockOf(const Node& node, std::int64_t time_us) {
  const std::int64_t passed = time_us - node.clock_since_us;
  return node.clock_base_us + passed + passed * node.drift_ppm / 1'000'000;
}

std::int64_t Topology::TimeAtClock(NodeId id, std::int64_t unix_us) const {
  const Node& node = *nodes_[id];
  const std::int64_t missing = unix_us - node.clock_base_us;
  if (node.drift_ppm == 0) return node.clock_since_us + missing;
  if (missing <= 0) return node.clock_since_us;
  const std::int64_t rate = 1'000'000 + node.drift_ppm;
  constexpr std::int64_t kVeryLong = INT64_MAX / 1'000'000 / 4;
  std::int64_t at = node.clock_since_us + std::min(missing, kVeryLong) * 1'000'000 / rate;
  // The clock shows whole us, rounded towards its base.
  while (ClockOf(node, at) < unix_us && missing <= kVeryLong) ++at;
  while (at > node.clock_since_us && ClockOf(node, at - 1) >= unix_us) --at;
  return at;
}

void Topology::SetTime(std::int64_t us) {
  if (nodes_.size() > 1) Collect();  // Otherwise nothing can be on its way.
  now_us_ = us;
  for (const std::unique_ptr<Node>& node : nodes_) node->server.SetTime(ClockOf(*node));
}

void Topology::StepClock(NodeId id, std::int64_t us) {
  Node& node = *nodes_[id];
  node.clock_base_us = ClockOf(node) + us;
  node.clock_since_us = now_us_;
  node.server.SetTime(ClockOf(node));
}

void Topology::SetClockDrift(NodeId id, std::int64_t parts_per_million) {
  StepClock(id, 0);
  nodes_[id]->drift_ppm = parts_per_million;
}

void Topology::SetLag(NodeId from, NodeId to, std::int64_t us) { lags_[{from, to}] = us; }

void Topology::SetCut(NodeId a, NodeId b, bool cut) {
  const Way way = std::minmax(a, b);
  std::erase(cuts_, way);
  if (cut) cuts_.push_back(way);
}

bool Topology::IsCut(NodeId a, NodeId b) const {
  return std::find(cuts_.begin(), cuts_.end(), Way(std::minmax(a, b))) != cuts_.end();
}

void Topology::Send(NodeId from, NodeId to, Message message, std::int64_t delay_us) {
  const auto lag = lags_.find({from, to});
  std::deque<Message>& way = ways_[{from, to}];
  message.deliver_at_us = now_us_ + delay_us + (lag == lags_.end() ? spec_.lag_us : lag->second);
  if (!way.empty()) {
    message.deliver_at_us = std::max(message.deliver_at_us, way.back().deliver_at_us);
  }
  message.sequence = ++sequence_;
  way.push_back(std::move(message));
}

// To a process that is gone everything can be delivered: it is refused.
bool Topology::CanDeliver(const Way& way) {
  return !IsCut(way.first, way.second) && (!IsUp(way.second) || Runs(way.second));
}

std::vector<std::pair<NodeId, NodeId>> Topology::Deliverable() {
  Collect();
  std::vector<Way> ways;
  for (const auto& [way, messages] : ways_) {
    if (!messages.empty() && CanDeliver(way)) ways.push_back(way);
  }
  return ways;
}

bool Topology::DeliverOne(NodeId from, NodeId to) {
  Collect();
  const auto way = ways_.find({from, to});
  if (way == ways_.end() || way->second.empty() || !CanDeliver(way->first)) return false;
  Deliver(way->first);
  Collect();
  return true;
}

std::optional<std::int64_t> Topology::NextTimerUs() {
  Collect();
  std::optional<std::int64_t> next;
  if (spec_.sentinels > 0) next = std::max(now_us_, next_tick_us_);
  const auto consider = [&](std::int64_t at_us) {
    at_us = std::max(at_us, now_us_);
    next = std::min(next.value_or(at_us), at_us);
  };
  for (const auto& [way, messages] : ways_) {
    if (!messages.empty() && CanDeliver(way)) consider(messages.front().deliver_at_us);
  }
  for (NodeId id = 0; id < nodes_.size(); ++id) {
    Node& node = *nodes_[id];
    if (!node.up || node.paused) continue;
    if (const auto timer = node.server.NextTimerUs()) consider(TimeAtClock(id, *timer));
    if (NeedsCron(id)) consider(node.next_cron_us);
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
    if (NeedsCron(id)) RunCron(id);
  }
  RunSentinels();
  for (;;) {
    Collect();
    const Way* due = nullptr;
    const Message* first = nullptr;
    for (const auto& [way, messages] : ways_) {
      if (messages.empty() || messages.front().deliver_at_us > now_us_ || !CanDeliver(way))
        continue;
      const Message& message = messages.front();
      if (first == nullptr || std::pair(message.deliver_at_us, message.sequence) <
                                  std::pair(first->deliver_at_us, first->sequence)) {
        due = &way;
        first = &message;
      }
    }
    if (due == nullptr) return;
    Deliver(*due);
  }
}

void Topology::RunSentinels() {
  if (spec_.sentinels == 0 || next_tick_us_ > now_us_) return;
  next_tick_us_ = now_us_ - now_us_ % Sentinel::kTickUs + Sentinel::kTickUs;
  for (NodeId id = 0; id < nodes_.size(); ++id) {
    if (IsSentinel(id) && Runs(id)) nodes_[id]->sentinel->Tick();
  }
}

void Topology::Reconfigure(NodeId node, const std::optional<MasterAddress>& master) {
  Collect();
  Engine& engine = server(node).engine();
  engine.CloseAll();
  (void)server(node).Configure("replicaof",
                               master ? master->host + " " + std::to_string(master->port) : "");
  if (!master) {
    engine.replication.Promote();
  } else if (engine.replication.master() != master) {
    engine.replication.Follow(*master);
  }
  Collect();
}

void Topology::Kill(NodeId id, const Server::Crash& crash) {
  Collect();
  Node& node = *nodes_[id];
  if (crash.power_lost) {
    for (auto& [way, messages] : ways_) {
      if (way.first == id) messages.clear();
    }
  } else if (node.upstream.connection != 0) {
    HangUp(id, true);
  }
  for (const Downstream& link : node.downstreams) {
    // After a power loss it is the machine's next start that tells them.
    if (!crash.power_lost) Send(id, link.replica, {.connection = link.connection});
  }
  if (!crash.power_lost) node.downstreams.clear();
  node.upstream = Upstream();
  node.up = false;
  node.paused = false;
  node.server.Kill(crash);
}

void Topology::Start(NodeId id, std::int64_t loading_us) {
  Node& node = *nodes_[id];
  for (const Downstream& link : node.downstreams) {
    Send(id, link.replica, {.connection = link.connection});
  }
  node.downstreams.clear();
  node.up = true;
  node.started_us = now_us_;
  node.server.Start(loading_us);
}

void Topology::SetPaused(NodeId id, bool paused) {
  Collect();
  nodes_[id]->paused = paused;
}

}  // namespace interlock::sim::redis
