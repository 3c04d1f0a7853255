// SPDX-License-Identifier: MIT
#include "sim/server_faults.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sim/check.h"
#include "sim/engine.h"
#include "sim/redis/engine.h"

namespace interlock::sim {
namespace {

std::vector<std::string> NextToExpire(const std::vector<redis::Server::KeyInfo>& keys) {
  std::optional<std::int64_t> at_ms;
  std::vector<std::string> next;
  for (const redis::Server::KeyInfo& key : keys) {
    if (!key.expires_at_ms || (at_ms && *key.expires_at_ms > *at_ms)) continue;
    if (!at_ms || *key.expires_at_ms < *at_ms) next.clear();
    at_ms = key.expires_at_ms;
    next.push_back(key.key);
  }
  return next;
}

}  // namespace

ServerFaults::ServerFaults(Engine& engine)
    : engine_(engine), drifting_nodes_(static_cast<std::size_t>(engine.options.nodes)) {}

void ServerFaults::StrikeClock(const Process& process, const Fault& fault) {
  Fault effective = fault;
  effective.length = engine_.Clip(fault, fault.length);
  if (effective.length.count() == 0) return;
  engine_.servers.CatchUp(engine_.now());
  if (fault.kind == FaultKind::kServerClockJump) {
    engine_.servers.StepClock(fault.node, effective.length);
  } else {
    Require(fault.kind == FaultKind::kServerClockRate, "no such fault of a server's clock");
    constexpr Duration kMost(ClientClock::kMostRatePpm);
    effective.length = std::clamp(effective.length, -kMost, kMost);
    engine_.servers.SetClockRate(fault.node, effective.length.count());
    drifting_nodes_[static_cast<std::size_t>(fault.node)] = true;
  }
  engine_.ReportFault(process, effective);
  ReportChange(fault.node, ServerChange::kClock);
}

void ServerFaults::TellShadowOfReplicas() {
  if (engine_.shadow == nullptr || !engine_.servers.replicated()) return;
  for (int node = 0; node < engine_.servers.with_data(); ++node) {
    if (node == engine_.servers.primary() || !engine_.servers.InStep(node)) continue;
    engine_.shadow->OnInStep(
        node, engine_.servers.at(engine_.servers.primary()).engine().replication.offset(),
        engine_.now());
  }
}

void ServerFaults::StrikeServer(const Process& process, const Fault& fault) {
  engine_.servers.CatchUp(engine_.now());
  TellShadowOfReplicas();
  const int node = fault.node;
  switch (fault.kind) {
    case FaultKind::kServerKill:
    case FaultKind::kServerPowerLoss:
      if (!engine_.servers.IsUp(node)) return;
      engine_.ReportFault(process, fault);
      Kill(node, fault.kind == FaultKind::kServerPowerLoss);
      return EndLater(fault, node);
    case FaultKind::kServerPause:
      return PauseServer(process, fault);
    case FaultKind::kFailover:
      return Failover(process, fault);
    case FaultKind::kSplitBrain:
      return SplitBrain(process, fault);
    case FaultKind::kShardFailover:
      return FailOverShard(process, fault);
    case FaultKind::kReshard:
      return BeginReshard(process, fault);
    case FaultKind::kSlotMigration:
    case FaultKind::kLateClaim:
      return BeginMigration(process, fault);
    case FaultKind::kReplicationStop:
      engine_.ReportFault(process, fault);
      engine_.servers.SetCutOff(engine_.servers.primary(), true);
      return EndLater(fault, engine_.servers.primary());
    case FaultKind::kOom:
      engine_.ReportFault(process, fault);
      engine_.servers.SetFull(node, true);
      TellShadow(node, Shadow::Happening::kFull);
      return EndLater(fault, node);
    default:
      return Refuse(process, fault);
  }
}

void ServerFaults::Refuse(const Process& process, const Fault& fault) {
  Require(FindFault(fault.kind)->refuses != FaultRefuses::kNoCommand, "no such fault of a server");
  engine_.ReportFault(process, fault);
  const Duration length = std::max(fault.length, Duration{});
  engine_.servers.Refuse(fault.node, fault.kind,
                         AddSaturating(MonotonicTime(engine_.now()), length).time_since_epoch());
}

void ServerFaults::StrikeAdmin(Process& process, const Fault& fault) {
  engine_.servers.CatchUp(engine_.now());
  if (fault.kind == FaultKind::kClientKill) {
    const Link* link = engine_.network.LiveLink(process);
    if (link == nullptr || !engine_.servers.Serves(link->node)) return;
    engine_.ReportFault(process, fault);
    return engine_.network.ExecuteAsAdmin(
        link->node, 0, {"CLIENT", "KILL", "ID", std::to_string(link->client)}, link);
  }
  const int node = fault.node;
  if (!engine_.servers.Serves(node)) return;
  redis::Argv command;
  if (fault.kind == FaultKind::kFlushAll) {
    command = {"FLUSHALL"};
  } else if (fault.kind == FaultKind::kScriptFlush) {
    command = {"SCRIPT", "FLUSH"};
  } else {
    command = {"DEL"};
    const auto keys = engine_.servers.at(node).PeekKeys(process.database);
    if (fault.kind == FaultKind::kEvict) {
      const std::vector<std::string> next = NextToExpire(keys);
      // If several keys qualify, the server may evict any of them.
      if (!next.empty())
        command.push_back(next[static_cast<std::size_t>(fault.step) % next.size()]);
    } else {
      Require(fault.kind == FaultKind::kAdminDel, "a fault of operators does nothing");
      for (const redis::Server::KeyInfo& key : keys) command.push_back(key.key);
    }
    if (command.size() == 1) return;
  }
  engine_.ReportFault(process, fault);
  engine_.network.ExecuteAsAdmin(node, process.database, command, nullptr);
  if (fault.kind != FaultKind::kScriptFlush) ReportChange(node, ServerChange::kData);
}

void ServerFaults::Kill(int node, bool machine_off) {
  engine_.servers.Kill(node, machine_off);
  TellShadow(node, machine_off ? Shadow::Happening::kPowerLost : Shadow::Happening::kKilled);
  engine_.network.NodeDied(node, machine_off);
}

void ServerFaults::PauseServer(const Process& process, const Fault& fault) {
  Fault effective = fault;
  effective.length = engine_.Clip(fault, fault.length);
  if (effective.length.count() <= 0 || !engine_.servers.IsUp(fault.node)) return;
  engine_.ReportFault(process, effective);
  engine_.servers.SetPaused(fault.node, true);
  TellShadow(fault.node, Shadow::Happening::kStopped);
  EndLater(effective, fault.node);
}

void ServerFaults::Failover(const Process& process, const Fault& fault) {
  const int old = engine_.servers.primary();
  const std::optional<int> next = engine_.servers.BestReplica();
  if (!next || !engine_.servers.IsUp(old)) return;
  engine_.ReportFault(process, fault);
  Kill(old, true);
  ReportChange(old, ServerChange::kGone);
  engine_.servers.Promote(*next, old);
  TellShadowOfPromotion(*next, old);
  engine_.network.ServersActed();
  ReportChange(*next, ServerChange::kPromoted);
  EndLater(fault, old);
}

void ServerFaults::SplitBrain(const Process& process, const Fault& fault) {
  const int old = engine_.servers.primary();
  const std::optional<int> next = engine_.servers.BestReplica();
  if (!next || !engine_.servers.Serves(old)) return;
  engine_.ReportFault(process, fault);
  engine_.servers.SetCutOff(old, true);
  engine_.servers.Promote(*next, old);
  TellShadowOfPromotion(*next, old);
  engine_.network.ServersActed();
  ReportChange(*next, ServerChange::kPromoted);
  EndLater(fault, old);
}

void ServerFaults::TellShadowOfPromotion(int node, int except) {
  if (engine_.shadow == nullptr) return;
  engine_.shadow->OnPromoted(node, engine_.servers.at(node).engine().replication.offset(),
                             engine_.now());
  for (int other = 0; other < engine_.servers.with_data(); ++other) {
    if (other != node && other != except && engine_.servers.IsUp(other)) {
      TellShadow(other, Shadow::Happening::kFollows);
    }
  }
}

void ServerFaults::EndLater(const Fault& fault, int node) {
  for (FaultEnd& end : ends_) {
    if (end.kind == fault.kind && end.node == node) engine_.scheduler.timers().Cancel(end.timer);
  }
  const Duration length = std::max(fault.length, Duration{});
  const VirtualTime at = AddSaturating(MonotonicTime(engine_.now()), length).time_since_epoch();
  const auto index = static_cast<std::uint32_t>(ends_.size());
  ends_.push_back(
      {fault.kind, node, at, engine_.scheduler.timers().Add(at, {TimerKind::kServerFault, index})});
}

void ServerFaults::Describe(FingerprintWriter& writer) const {
  writer.Number(static_cast<std::uint64_t>(engine_.servers.primary()));
  for (const FaultEnd& end : ends_) {
    if (end.timer == kNoTimer) continue;
    writer.Number(static_cast<std::uint64_t>(end.kind));
    writer.Number(static_cast<std::uint64_t>(end.node));
    writer.Time(end.at);
  }
  engine_.servers.DescribeRefusals(engine_.now(), writer);
}

void ServerFaults::End(std::size_t index) {
  FaultEnd& end = ends_[index];
  engine_.scheduler.timers().Cancel(end.timer);
  const int node = end.node;
  engine_.trace.Add(engine_.now(), -1, TraceKind::kResume,
                    std::string(ToString(end.kind)) + " of node " + std::to_string(node));
  engine_.servers.CatchUp(engine_.now());
  switch (end.kind) {
    case FaultKind::kServerPause:
      if (!engine_.servers.IsUp(node)) return;
      engine_.servers.SetPaused(node, false);
      TellShadow(node, Shadow::Happening::kResumed);
      return engine_.network.NodeResumed(node);
    case FaultKind::kReshard:
      return EndReshard();
    case FaultKind::kSlotMigration:
    case FaultKind::kLateClaim:
      return EndMigration();
    case FaultKind::kReplicationStop:
      return engine_.servers.SetCutOff(node, false);
    case FaultKind::kOom:
      engine_.servers.SetFull(node, false);
      return TellShadow(node, Shadow::Happening::kNotFull);
    case FaultKind::kSplitBrain:
      engine_.servers.SetCutOff(node, false);
      if (!engine_.servers.IsUp(node) || node == engine_.servers.primary()) return;
      ReportChange(node, ServerChange::kGone);
      engine_.servers.Follow(node);
      TellShadow(node, Shadow::Happening::kFollows);
      return engine_.network.ServersActed();
    default:
      break;
  }
  // A server that was killed starts again, whichever fault killed it.
  if (engine_.servers.IsUp(node)) return;
  engine_.servers.Start(node);
  TellShadow(node, Shadow::Happening::kStarted);
  engine_.network.NodeStarted(node);
  const bool of_data = node < engine_.servers.with_data();
  if (engine_.servers.replicated() && of_data && node != engine_.servers.primary()) {
    engine_.servers.Follow(node);
    TellShadow(node, Shadow::Happening::kFollows);
  }
  engine_.network.ServersActed();
  ReportChange(node, ServerChange::kData);
}

void ServerFaults::Heal() {
  for (std::size_t i = 0; i < ends_.size(); ++i) {
    if (ends_[i].timer != kNoTimer) End(i);
  }
  engine_.servers.EndRefusals();
  for (int node = 0; node < engine_.servers.count(); ++node) {
    if (!drifting_nodes_[static_cast<std::size_t>(node)]) continue;
    engine_.servers.CatchUp(engine_.now());
    engine_.servers.SetClockRate(node, 0);
    ReportChange(node, ServerChange::kClock);
  }
}

void ServerFaults::TellShadow(int node, Shadow::Happening happening) {
  if (engine_.shadow != nullptr) engine_.shadow->OnServer(node, happening, engine_.now());
}

void ServerFaults::ReportChange(int node, ServerChange change) {
  const Engine::View view(engine_, node);
  engine_.observer->OnServerChange(node, change, engine_.now());
}

}  // namespace interlock::sim
