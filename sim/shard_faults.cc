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

/// The claim comes just before the pause is over.
constexpr std::chrono::milliseconds kLongestPause(redis::SlotMigrations::kPauseMs - 1);

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
  if (!shards.CanMove()) return;
  engine_.ReportFault(process, fault);
  shards.BeginMove(AsOperator(engine_));
  EndLater(fault, 0);
}

void ServerFaults::EndReshard() {
  const bool ended = engine_.servers.shards().EndMove(AsOperator(engine_));
  engine_.network.ServersActed();
  if (!ended) EndLater({.kind = FaultKind::kReshard, .length = kTryAgain}, 0);
}

void ServerFaults::BeginMigration(const Process& process, const Fault& fault) {
  Shards& shards = engine_.servers.shards();
  if (!shards.CanMove()) return;
  const bool late = fault.kind == FaultKind::kLateClaim;
  Fault effective = fault;
  effective.length = std::max(fault.length, Duration{});
  if (!late) effective.length = std::min<Duration>(effective.length, kLongestPause);
  engine_.ReportFault(process, effective);
  shards.BeginMigration(AsOperator(engine_), late);
  EndLater(effective, 0);
}

void ServerFaults::EndMigration() {
  const bool lost = engine_.servers.shards().EndMigration();
  if (lost) ReportChange(0, ServerChange::kData);
  engine_.network.ServersActed();
}

}  // namespace interlock::sim
