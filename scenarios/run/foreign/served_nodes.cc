// SPDX-License-Identifier: MIT
#include "scenarios/run/foreign/served_nodes.h"

#include <algorithm>
#include <functional>
#include <utility>

#include "sim/redis/slot_migrations.h"
#include "sim/redis/surroundings.h"
#include "sim/serve/timers.h"
#include "sim/world.h"

namespace interlock::scenarios::drive {
namespace {

constexpr int kFirstPort = 17'001;  // more than any number of a slot
constexpr int kFirstSentinelPort = 37'001;

sim::WorldOptions WorldOf(const DriveOptions& options, std::int64_t epoch_us) {
  sim::WorldOptions world;
  const bool alone = options.topology == sim::Topology::kIndependent && options.nodes == 1;
  world.topology = alone ? sim::Topology::kStandalone : options.topology;
  world.nodes = ServersOf(options);
  world.dialect = options.server;
  world.replication_lag = options.replication_lag;
  world.server_epoch_us = epoch_us;
  return world;
}

/// Ports of their own tell the servers apart in whatever they say.
sim::redis::TopologySpec SpecOf(const DriveOptions& options) {
  const int sentinels = SentinelsOf(options);
  const int with_data = ServersOf(options) - sentinels;
  sim::redis::TopologySpec spec;
  for (int i = 0; i < with_data; ++i) {
    spec.nodes.push_back({{"127.0.0.1", kFirstPort + i}, std::nullopt, {}});
  }
  for (int i = 0; i < sentinels; ++i) {
    spec.sentinel_addresses.push_back({"127.0.0.1", kFirstSentinelPort + i});
  }
  return spec;
}

}  // namespace

int SentinelsOf(const DriveOptions& options) { return sim::SentinelsOf(options.topology); }

int ServersOf(const DriveOptions& options) {
  const bool replicas = options.topology != sim::Topology::kIndependent;
  return (replicas ? 2 : 1) * options.nodes + SentinelsOf(options);
}

ServedNodes::ServedNodes(const DriveOptions& options, std::int64_t epoch_us)
    : epoch_us_(epoch_us),
      time_us_(epoch_us),
      spec_(SpecOf(options)),
      servers_(topology_, spec_, WorldOf(options, epoch_us)) {
  constexpr int kNewestProtocol = 3;
  for (int node = 0; node < count(); ++node) {
    server(node).SetHighestProtocol(kNewestProtocol);
    server(node).SetUnmodelledIsError(true);
    // Client libraries look for it in INFO.
    if (servers_.clustered()) sim::redis::ShowParameter(server(node), "cluster-enabled", "yes");
  }
}

void ServedNodes::MoveTo(std::int64_t unix_us) {
  time_us_ = std::max(time_us_, unix_us);
  servers_.CatchUp(std::chrono::microseconds(time_us_ - epoch_us_));
}

void ServedNodes::SetTime(std::int64_t unix_us) {
  while (const auto next_us = NextTimerUs()) {
    if (*next_us > unix_us) break;
    MoveTo(*next_us);
    servers_.RunTimers();
  }
  MoveTo(unix_us);
  for (int node = 0; node < servers_.with_data(); ++node) {
    if (Serves(node)) server(node).RunActiveExpiry();
  }
}

std::optional<std::int64_t> ServedNodes::NextTimerUs() {
  std::optional<std::int64_t> next_us;
  for (int node = 0; node < count(); ++node) {
    if (Serves(node)) next_us = sim::serve::Earlier(next_us, server(node).NextTimerUs());
  }
  return next_us;
}

bool ServedNodes::IsPrimary(int node) const {
  if (IsSentinel(node)) return false;
  if (servers_.clustered()) return servers_.shards().MasterOf(node) == node;
  return !servers_.replicated() || servers_.primary() == node;
}

std::optional<int> ServedNodes::Replaceable(int node) {
  const int primary = servers_.replicated() ? servers_.primary() : node;
  if (moving() || !IsPrimary(primary) || !Serves(primary)) return std::nullopt;
  std::optional<int> replica;
  if (servers_.clustered()) replica = servers_.shards().ReplicaOf(primary);
  if (servers_.replicated()) replica = servers_.BestReplica();
  return replica ? std::optional(primary) : std::nullopt;
}

void ServedNodes::FailOver(int node) {
  MoveTo(time_us_);
  gone_.push_back(node);
  if (servers_.clustered()) {
    const int next = *servers_.shards().ReplicaOf(node);
    servers_.Kill(node, true);
    servers_.shards().Promote(next);
  } else {
    const int next = *servers_.BestReplica();
    servers_.Kill(node, true);
    servers_.Promote(next, node);
  }
  MoveTo(time_us_);
}

bool ServedNodes::BringBack() {
  if (gone_.empty()) return false;
  const int node = gone_.front();
  gone_.erase(gone_.begin());
  servers_.Start(node);
  if (servers_.replicated()) servers_.Follow(node);
  MoveTo(time_us_);
  return true;
}

void ServedNodes::ExecuteAsOperator(int node, const sim::redis::Argv& argv) {
  const sim::redis::ClientId operator_id = server(node).Connect("operator");
  server(node).Execute(operator_id, argv);
  server(node).Disconnect(operator_id);
}

sim::Shards::Execute ServedNodes::AsOperator() {
  return std::bind_front(&ServedNodes::ExecuteAsOperator, this);
}

bool ServedNodes::CanMoveSlots() {
  return servers_.Has(sim::FaultNeeds::kCluster) && servers_.shards().CanMove();
}

void ServedNodes::BeginMove(sim::FaultKind how) {
  using sim::FaultKind;
  moving_ = how;
  if (how == FaultKind::kReshard) {
    servers_.shards().BeginMove(AsOperator());
  } else {
    servers_.shards().BeginMigration(AsOperator(), how == FaultKind::kLateClaim);
  }
  if (how == FaultKind::kSlotMigration) {
    constexpr std::int64_t kUsPerMs = 1'000;
    claim_by_us_ = time_us_ + (sim::redis::SlotMigrations::kPauseMs - 1) * kUsPerMs;
  }
  MoveTo(time_us_);
}

bool ServedNodes::EndMove() {
  if (moving_ == sim::FaultKind::kReshard) {
    if (!servers_.shards().EndMove(AsOperator())) return false;
  } else {
    servers_.shards().EndMigration();
  }
  moving_.reset();
  claim_by_us_.reset();
  MoveTo(time_us_);
  return true;
}

bool ServedNodes::HoldsUp(int node, sim::redis::ClientId client, const sim::redis::Argv& argv) {
  return claim_by_us_ && !IsSentinel(node) && sim::redis::WouldHold(server(node), client, argv);
}

HeldMap ServedNodes::DataAt(int place) {
  if (!TellAddresses()) return HeldDataOf(place, server(place));
  HeldMap all;
  for (int node = 0; node < servers_.with_data(); ++node) {
    if (Serves(node) && IsPrimary(node)) all.merge(HeldDataOf(place, server(node)));
  }
  return all;
}

}  // namespace interlock::scenarios::drive
