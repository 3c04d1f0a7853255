// SPDX-License-Identifier: MIT
#include "sim/servers.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "sim/check.h"
#include "sim/fingerprint.h"
#include "sim/redis/cluster.h"
#include "sim/redis/command_table.h"
#include "sim/redis/engine.h"
#include "sim/world.h"

namespace interlock::sim {
namespace {

constexpr std::int64_t kWarmUpUs = 10'000'000;         // time for replicas to receive all data
constexpr std::string_view kEndOfTime = "1000000000";  // seconds

bool HasReplicas(Topology topology) {
  return IsReplicated(topology) || topology == Topology::kShards;
}

void Configure(const WorldOptions& options, redis::Server::ConfigurationFile& file) {
  file.clear();
  const bool appends = options.persistence == Persistence::kAofAlways ||
                       options.persistence == Persistence::kAofEverysec;
  file.emplace_back("save", options.persistence == Persistence::kRdb ? "1 1" : "");
  if (appends) {
    const bool always = options.persistence == Persistence::kAofAlways;
    file.emplace_back("appendonly", "yes");
    file.emplace_back("appendfsync", always ? "always" : "everysec");
  }
  // Pings between servers are run late, only when somebody looks, so they must not time out
  // meanwhile.
  if (HasReplicas(options.topology)) file.emplace_back("repl-timeout", kEndOfTime);
}

/// Whom the node follows at first.
std::optional<redis::NodeId> FirstMaster(const WorldOptions& options, std::size_t node) {
  if (IsReplicated(options.topology) && node > 0) return 0;
  const auto masters = static_cast<std::size_t>(options.nodes) / 2;
  if (options.topology == Topology::kShards && node >= masters) return node - masters;
  return std::nullopt;
}

void Specify(const WorldOptions& options, redis::TopologySpec& spec) {
  const int sentinels = SentinelsOf(options.topology);
  const auto nodes = static_cast<std::size_t>(options.nodes - sentinels);
  if (spec.nodes.size() != nodes) spec = redis::TopologySpec::IndependentMasters(nodes);
  spec.sentinels = static_cast<std::size_t>(sentinels);
  spec.sentinel.led = true;
  for (std::size_t node = 0; node < nodes; ++node) {
    spec.nodes[node].replica_of = FirstMaster(options, node);
    spec.nodes[node].dialect = options.dialect;
    Configure(options, spec.nodes[node].configuration);
  }
  spec.start_us = options.server_epoch_us - (HasReplicas(options.topology) ? kWarmUpUs : 0);
  spec.lag_us = options.replication_lag.count() / 1000;
}

bool IsScript(const redis::Command& command) {
  return command.name.starts_with("eval") && !command.name.ends_with("_ro");
}

}  // namespace

Servers::Servers(redis::Topology& topology, redis::TopologySpec& spec, const WorldOptions& options)
    : topology_(topology),
      replicated_(IsReplicated(options.topology)),
      replicas_(HasReplicas(options.topology)),
      sentinels_(SentinelsOf(options.topology)) {
  Require(options.nodes > sentinels_, "a world needs a server");
  Require(options.topology != Topology::kStandalone || options.nodes == 1,
          "a standalone server is alone");
  Require(options.topology != Topology::kShards || options.nodes % 2 == 0,
          "each master of a cluster has a replica");
  Specify(options, spec);
  topology_.Reset(spec);
  if (IsCluster(options.topology)) {
    shards_ =
        std::make_unique<Shards>(topology_, replicas_ ? topology_.size() / 2 : topology_.size());
  }
  if (clustered()) shards_->TellAll();
  if (replicas_) warm_up_us_ = kWarmUpUs;
  CatchUp(VirtualTime{});
}

bool Servers::Has(FaultNeeds needed) const {
  switch (needed) {
    case FaultNeeds::kNothing:
      return true;
    case FaultNeeds::kReplica:
      return replicated_;
    case FaultNeeds::kCluster:
      return clustered() && shards_->masters() > 1;
    case FaultNeeds::kShardReplica:
      return clustered() && replicas_;
    case FaultNeeds::kMigration:
      return clustered() && shards_->masters() > 1 &&
             topology_.server(Id(0)).dialect().IsIn(redis::kValkeyFrom90);
  }
  return false;
}

void Servers::Start(int node) {
  topology_.Start(Id(node));
  if (clustered()) shards_->OnStart(node);
}

// Whether nothing is in flight between servers and no replica is about to look for its master.
bool Servers::Settled() {
  if (!topology_.Deliverable().empty()) return false;
  for (int node = 0; node < count(); ++node) {
    const redis::Replication& its = at(node).engine().replication;
    if (Serves(node) && its.is_replica() && its.link() != redis::MasterLink::kConnected) {
      return false;
    }
  }
  return true;
}

void Servers::MoveTo(VirtualTime now) {
  caught_up_ = now;
  const std::int64_t now_us = warm_up_us_ + now.count() / 1000;
  if (replicas_ && topology_.time_us() < now_us) {
    while (!Settled()) {
      const auto next = topology_.NextTimerUs();
      if (!next || *next > now_us) break;
      topology_.SetTime(*next);
      topology_.RunTimers();
    }
  }
  topology_.SetTime(now_us);
  if (replicas_) topology_.RunTimers();
}

std::optional<VirtualTime> Servers::NextTimer() {
  const auto next = topology_.NextTimerUs();
  if (!next) return std::nullopt;
  return VirtualTime((*next - warm_up_us_) * 1000);
}

std::optional<std::string> Servers::unmodelled() {
  for (int node = 0; node < count(); ++node) {
    if (const auto& what = at(node).unmodelled()) return what;
  }
  return std::nullopt;
}

VirtualTime Servers::TimeAtClock(int node, std::int64_t unix_us) const {
  const std::int64_t us = topology_.TimeAtClock(Id(node), unix_us) - warm_up_us_;
  if (us > VirtualTime::max().count() / 1000) return VirtualTime::max();
  return VirtualTime(us * 1000);
}

void Servers::Kill(int node, bool power_lost) {
  topology_.Kill(Id(node), {.power_lost = power_lost, .surviving_units = 0});
}

std::optional<int> Servers::BestReplica() {
  std::optional<int> best;
  const auto offset = [this](int node) { return at(node).engine().replication.offset(); };
  for (int node = 0; node < with_data(); ++node) {
    if (node == primary_ || !Serves(node) || !at(node).engine().replication.is_replica()) continue;
    if (!best || offset(node) > offset(*best)) best = node;
  }
  return best;
}

ReplicaState Servers::replica() {
  const std::optional<int> best = replicated_ ? BestReplica() : std::nullopt;
  if (!best || !Serves(primary_)) return ReplicaState::kNone;
  if (InStep(*best)) return ReplicaState::kInStep;
  const bool has_data = at(*best).engine().replication.link() == redis::MasterLink::kConnected;
  return has_data ? ReplicaState::kBehind : ReplicaState::kNone;
}

void Servers::Promote(int node, int except) {
  primary_ = node;
  topology_.Reconfigure(Id(node), std::nullopt);
  for (int other = 0; other < with_data(); ++other) {
    if (other != node && other != except && IsUp(other)) Follow(other);
  }
  for (int sentinel = with_data(); sentinel < count(); ++sentinel) {
    const std::int64_t later = sentinel == with_data() ? 0 : redis::Sentinel::kTickUs;
    topology_.sentinel(Id(sentinel))->Hear(Id(node), topology_.time_us() + later);
  }
}

void Servers::Follow(int node) { topology_.Reconfigure(Id(node), topology_.address(Id(primary_))); }

void Servers::SetCutOff(int node, bool cut) {
  for (int other = 0; other < count(); ++other) {
    if (other != node) topology_.SetCut(Id(node), Id(other), cut);
  }
}

void Servers::SetFull(int node, bool full) {
  const std::string refused = at(node).Configure("maxmemory", full ? "1" : "0");
  Require(refused.empty(), "the memory limit cannot be set");
}

void Servers::DescribeRefusals(VirtualTime now, FingerprintWriter& writer) const {
  for (const Refusal& refusal : refusals_) {
    if (refusal.until <= now) continue;
    writer.Number(static_cast<std::uint64_t>(refusal.node));
    writer.Number(static_cast<std::uint64_t>(refusal.kind));
    writer.Time(refusal.until);
  }
}

std::optional<std::string> Servers::RefusalOf(int node, const redis::Argv& argv,
                                              VirtualTime now) const {
  if (argv.empty()) return std::nullopt;
  const redis::Command* command = redis::FindCommand(topology_.server(Id(node)).dialect(), argv);
  if (command == nullptr || !redis::ArityMatches(*command, argv.size())) return std::nullopt;
  const std::vector<std::string_view> args(argv.begin(), argv.end());
  const std::uint32_t flags = command->flags;
  for (const Refusal& refusal : refusals_) {
    if (refusal.node != node || refusal.until <= now) continue;
    const FaultInfo& info = *FindFault(refusal.kind);
    switch (info.refuses) {
      case FaultRefuses::kNoCommand:
        break;
      case FaultRefuses::kAllButWhileLoading:
        if ((flags & redis::kLoading) == 0) return std::string(info.answer);
        break;
      case FaultRefuses::kAllButWhileBusy:
        if ((flags & redis::kAllowBusy) == 0) return std::string(info.answer);
        break;
      case FaultRefuses::kWrites:
        if ((flags & redis::kWrite) != 0 || IsScript(*command)) return std::string(info.answer);
        break;
      case FaultRefuses::kKeyed:
        if (const auto slot = redis::Cluster::SlotOf(*command, args)) {
          std::string answer(info.answer);
          return answer.insert(answer.find(' '), " " + std::to_string(*slot));
        }
        break;
    }
  }
  return std::nullopt;
}

}  // namespace interlock::sim
