// SPDX-License-Identifier: MIT
//
// The faults of a cluster.
#include <algorithm>
#include <chrono>
#include <optional>

#include "sim/engine.h"
#include "sim/server_faults.h"
#include "sim/shards.h"

namespace interlock::sim {
namespace {

/// After which an operator looks again whether the servers are there.
constexpr std::chrono::milliseconds kTryAgain(100);

/// Twice cluster-manual-failover-timeout.
constexpr std::chrono::seconds kLongestPause(10);

Shards::Execute AsOperator(Engine& engine) {
  return [&engine](int node, const redis::Argv& argv) {
    engine.network.ExecuteAsAdmin(node, 0, argv, nullptr);
  };
}

}  // namespace

void ServerFaults::FailOverShard(const Process& process, const Fault& fault) {
  Shards& shards = engine_.servers.shards();
  const int old = shards.MasterOf(fault.node);
  const std::optional<int> next = shards.ReplicaOf(old);
  if (!next || !engine_.servers.IsUp(old)) return;
  engine_.ReportFault(process, fault);
  Kill(old, true);
  shards.Promote(*next);
  // Of the cluster as a whole, which is looked at as one server, some data are gone.
  ReportChange(*next, ServerChange::kData);
  engine_.network.ServersActed();
  EndLater(fault, old);
}

void ServerFaults::BeginReshard(const Process& process, const Fault& fault) {
  Shards& shards = engine_.servers.shards();
  if (shards.moving() || !shards.CanMove()) return;
  engine_.ReportFault(process, fault);
  shards.BeginMove(AsOperator(engine_));
  EndLater(fault, 0);
}

void ServerFaults::EndReshard() {
  const bool ended = engine_.servers.shards().EndMove([this](int node, const redis::Argv& argv) {
    engine_.network.ExecuteAsAdmin(node, 0, argv, nullptr);
  });
  engine_.network.ServersActed();
  if (!ended) EndLater({.kind = FaultKind::kReshard, .length = kTryAgain}, 0);
}

void ServerFaults::BeginMigration(const Process& process, const Fault& fault) {
  Shards& shards = engine_.servers.shards();
  if (shards.moving() || !shards.CanMove()) return;
  Fault effective = fault;
  effective.length = std::max(fault.length, Duration{});
  const bool pauses = fault.kind == FaultKind::kSlotMigration;
  if (pauses) effective.length = std::min<Duration>(effective.length, kLongestPause);
  engine_.ReportFault(process, effective);
  shards.BeginMigration();
  if (pauses) shards.PauseWrites(AsOperator(engine_), effective.length);
  EndLater(effective, 0);
}

void ServerFaults::EndMigration(FaultKind kind) {
  Shards& shards = engine_.servers.shards();
  const bool claimed = shards.EndMigration();
  if (claimed && kind == FaultKind::kLateClaim) ReportChange(0, ServerChange::kData);
  shards.EndPauses(AsOperator(engine_));
  engine_.network.ServersActed();
}

}  // namespace interlock::sim
