// SPDX-License-Identifier: MIT
//
// How the faults of servers, their clocks and their operator strike, and how they end. What cannot
// happen now (a server that is down cannot be stopped) does not, and is not reported.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

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

void Engine::StrikeServerClock(const Process& process, const Fault& fault) {
  Fault effective = fault;
  effective.length = Clip(fault, fault.length);
  if (effective.length.count() == 0) return;
  servers.CatchUp(now());
  if (fault.kind == FaultKind::kServerClockJump) {
    servers.StepClock(fault.node, effective.length);
  } else {
    constexpr Duration kMost(ClientClock::kMostRatePpm);
    effective.length = std::clamp(effective.length, -kMost, kMost);
    servers.SetClockRate(fault.node, effective.length.count());
    drifting_nodes_[static_cast<std::size_t>(fault.node)] = true;
  }
  ReportFault(process, effective);
  ReportChange(fault.node, ServerChange::kClock);
}

void Engine::TellShadowOfReplicas() {
  if (shadow == nullptr || !servers.replicated()) return;
  for (int node = 0; node < servers.count(); ++node) {
    if (node == servers.primary() || !servers.InStep(node)) continue;
    shadow->OnInStep(node, servers.at(servers.primary()).engine().replication.offset(), now());
  }
}

void Engine::StrikeServer(const Process& process, const Fault& fault) {
  servers.CatchUp(now());
  TellShadowOfReplicas();
  const int node = fault.node;
  switch (fault.kind) {
    case FaultKind::kServerKill:
    case FaultKind::kServerPowerLoss:
      if (!servers.IsUp(node)) return;
      ReportFault(process, fault);
      Kill(node, fault.kind == FaultKind::kServerPowerLoss);
      return EndLater(fault, node);
    case FaultKind::kServerPause:
      return PauseServer(process, fault);
    case FaultKind::kFailover:
      return Failover(process, fault);
    case FaultKind::kSplitBrain:
      return SplitBrain(process, fault);
    case FaultKind::kReplicationStop:
      ReportFault(process, fault);
      servers.SetCutOff(servers.primary(), true);
      return EndLater(fault, servers.primary());
    case FaultKind::kOom:
      ReportFault(process, fault);
      servers.SetFull(node, true);
      TellShadow(node, Shadow::Happening::kFull);
      return EndLater(fault, node);
    default: {
      ReportFault(process, fault);
      const Duration length = std::max(fault.length, Duration{});
      servers.Refuse(node, fault.kind,
                     AddSaturating(MonotonicTime(now()), length).time_since_epoch());
      return;
    }
  }
}

void Engine::StrikeAdmin(Process& process, const Fault& fault) {
  servers.CatchUp(now());
  if (fault.kind == FaultKind::kClientKill) {
    const Link* link = network.LiveLink(process);
    if (link == nullptr || !servers.Serves(link->node)) return;
    ReportFault(process, fault);
    return network.ExecuteAsAdmin(link->node, 0,
                                  {"CLIENT", "KILL", "ID", std::to_string(link->client)}, link);
  }
  const int node = fault.node;
  if (!servers.Serves(node)) return;
  redis::Argv command;
  if (fault.kind == FaultKind::kFlushAll) {
    command = {"FLUSHALL"};
  } else if (fault.kind == FaultKind::kScriptFlush) {
    command = {"SCRIPT", "FLUSH"};
  } else {
    command = {"DEL"};
    const auto keys = servers.at(node).PeekKeys(process.database);
    if (fault.kind == FaultKind::kEvict) {
      const std::vector<std::string> next = NextToExpire(keys);
      // Of several the server takes any.
      if (!next.empty())
        command.push_back(next[static_cast<std::size_t>(fault.step) % next.size()]);
    } else {
      for (const redis::Server::KeyInfo& key : keys) command.push_back(key.key);
    }
    if (command.size() == 1) return;
  }
  ReportFault(process, fault);
  network.ExecuteAsAdmin(node, process.database, command, nullptr);
  if (fault.kind != FaultKind::kScriptFlush) ReportChange(node, ServerChange::kData);
}

void Engine::Kill(int node, bool machine_off) {
  servers.Kill(node, machine_off);
  TellShadow(node, machine_off ? Shadow::Happening::kPowerLost : Shadow::Happening::kKilled);
  network.NodeDied(node, machine_off);
}

void Engine::PauseServer(const Process& process, const Fault& fault) {
  Fault effective = fault;
  effective.length = Clip(fault, fault.length);
  if (effective.length.count() <= 0 || !servers.IsUp(fault.node)) return;
  ReportFault(process, effective);
  servers.SetPaused(fault.node, true);
  TellShadow(fault.node, Shadow::Happening::kStopped);
  EndLater(effective, fault.node);
}

void Engine::Failover(const Process& process, const Fault& fault) {
  const int old = servers.primary();
  const std::optional<int> next = servers.BestReplica();
  if (!next || !servers.IsUp(old)) return;
  ReportFault(process, fault);
  Kill(old, true);
  ReportChange(old, ServerChange::kGone);
  servers.Promote(*next, old);
  TellShadowOfPromotion(*next, old);
  network.ServersActed();
  ReportChange(*next, ServerChange::kPromoted);
  EndLater(fault, old);
}

void Engine::SplitBrain(const Process& process, const Fault& fault) {
  const int old = servers.primary();
  const std::optional<int> next = servers.BestReplica();
  if (!next || !servers.Serves(old)) return;
  ReportFault(process, fault);
  servers.SetCutOff(old, true);
  servers.Promote(*next, old);
  TellShadowOfPromotion(*next, old);
  network.ServersActed();
  ReportChange(*next, ServerChange::kPromoted);
  EndLater(fault, old);
}

void Engine::TellShadowOfPromotion(int node, int except) {
  if (shadow == nullptr) return;
  shadow->OnPromoted(node, servers.at(node).engine().replication.offset(), now());
  for (int other = 0; other < servers.count(); ++other) {
    if (other != node && other != except && servers.IsUp(other)) {
      TellShadow(other, Shadow::Happening::kFollows);
    }
  }
}

void Engine::EndLater(const Fault& fault, int node) {
  for (ServerFaultEnd& end : server_ends_) {
    if (end.kind == fault.kind && end.node == node) scheduler.timers().Cancel(end.timer);
  }
  const Duration length = std::max(fault.length, Duration{});
  const VirtualTime at = AddSaturating(MonotonicTime(now()), length).time_since_epoch();
  const auto index = static_cast<std::uint32_t>(server_ends_.size());
  server_ends_.push_back(
      {fault.kind, node, at, scheduler.timers().Add(at, {TimerKind::kServerFault, index})});
}

void Engine::DescribeServerFaults(FingerprintWriter& writer) const {
  writer.Number(static_cast<std::uint64_t>(servers.primary()));
  for (const ServerFaultEnd& end : server_ends_) {
    if (end.timer == kNoTimer) continue;
    writer.Number(static_cast<std::uint64_t>(end.kind));
    writer.Number(static_cast<std::uint64_t>(end.node));
    writer.Time(end.at);
  }
  servers.DescribeRefusals(now(), writer);
}

void Engine::EndServerFault(std::size_t index) {
  ServerFaultEnd& end = server_ends_[index];
  scheduler.timers().Cancel(end.timer);
  const int node = end.node;
  trace.Add(now(), -1, TraceKind::kResume,
            std::string(ToString(end.kind)) + " of node " + std::to_string(node));
  servers.CatchUp(now());
  switch (end.kind) {
    case FaultKind::kServerPause:
      if (!servers.IsUp(node)) return;
      servers.SetPaused(node, false);
      TellShadow(node, Shadow::Happening::kResumed);
      return network.NodeResumed(node);
    case FaultKind::kReplicationStop:
      return servers.SetCutOff(node, false);
    case FaultKind::kOom:
      servers.SetFull(node, false);
      return TellShadow(node, Shadow::Happening::kNotFull);
    case FaultKind::kSplitBrain:
      servers.SetCutOff(node, false);
      if (!servers.IsUp(node) || node == servers.primary()) return;
      ReportChange(node, ServerChange::kGone);
      servers.Follow(node);
      TellShadow(node, Shadow::Happening::kFollows);
      return network.ServersActed();
    default:
      break;
  }
  // What was killed starts again, by whatever fault.
  if (servers.IsUp(node)) return;
  servers.Start(node);
  TellShadow(node, Shadow::Happening::kStarted);
  network.NodeStarted(node);
  if (servers.replicated() && node != servers.primary()) {
    servers.Follow(node);
    TellShadow(node, Shadow::Happening::kFollows);
  }
  network.ServersActed();
  ReportChange(node, ServerChange::kData);
}

void Engine::HealServers() {
  for (std::size_t i = 0; i < server_ends_.size(); ++i) {
    if (server_ends_[i].timer != kNoTimer) EndServerFault(i);
  }
  servers.EndRefusals();
  for (int node = 0; node < servers.count(); ++node) {
    if (!drifting_nodes_[static_cast<std::size_t>(node)]) continue;
    servers.CatchUp(now());
    servers.SetClockRate(node, 0);
    ReportChange(node, ServerChange::kClock);
  }
}

void Engine::ReportChange(int node, ServerChange change) {
  const View view(*this, node);
  observer->OnServerChange(node, change, now());
}

}  // namespace interlock::sim
