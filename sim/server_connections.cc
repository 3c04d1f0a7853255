// SPDX-License-Identifier: MIT
#include "sim/server_connections.h"

#include <algorithm>
#include <optional>

#include "sim/engine.h"

namespace interlock::sim {

Shadow::Client ShadowOf(const Link& link) { return {link.node, link.id, link.process->id}; }

ServerConnections::ServerConnections(Engine& engine, Transit& transit)
    : engine_(engine), transit_(transit), nodes_(static_cast<std::size_t>(engine.servers.count())) {
  constexpr std::size_t kFewClients = 8;
  for (Node& one : nodes_) one.clients.reserve(kFewClients);
}

Link* ServerConnections::Find(int number, redis::ClientId client) const {
  for (const auto& entry : node(number).clients) {
    if (entry.first == client) return entry.second;
  }
  return nullptr;
}

void ServerConnections::Add(Link& link) {
  link.server_open = true;
  node(link.node).clients.emplace_back(link.client, &link);
}

void ServerConnections::Forget(Link& link) {
  if (link.blocked) Unblock(link);
  link.server_open = false;
  std::erase_if(node(link.node).clients,
                [&link](const auto& entry) { return entry.second == &link; });
}

void ServerConnections::Block(Link& link) {
  link.blocked = true;
  ++blocked_links_;
}

void ServerConnections::Unblock(Link& link) {
  link.blocked = false;
  --blocked_links_;
}

void ServerConnections::Refuse(Link& link) {
  link.requests.PopFront();
  --link.arrived;
  if (!node(link.node).machine_off)
    return transit_.SendMessage(link, Message::Kind::kReset, nullptr, 0, {});
  link.machine_off = true;
  transit_.Cut(link);
}

void ServerConnections::Close(Link& link) {
  engine_.scheduler.timers().Cancel(link.server_close_timer);
  if (!link.server_open) return;
  engine_.footprint.TouchAll();
  engine_.servers.CatchUp(engine_.now());
  Forget(link);
  engine_.servers.at(link.node).Disconnect(link.client);
  TellShadowOfEnd(link);
}

void ServerConnections::TellShadowOfEnd(const Link& link) const {
  if (engine_.shadow != nullptr) engine_.shadow->OnDisconnect(ShadowOf(link), engine_.now());
}

// Closes the link and tells its client, unless the server side was closed already.
void ServerConnections::AnswerClose(Link& link) {
  const bool open = link.server_open;
  Close(link);
  if (open) transit_.SendMessage(link, Message::Kind::kClosed, nullptr, 0, {});
}

void ServerConnections::Died(Link& link, bool machine_off) {
  Forget(link);
  link.machine_off = machine_off;
  machine_off ? transit_.Cut(link)
              : transit_.SendMessage(link, Message::Kind::kClosed, nullptr, 0, {});
}

// Makes the servers' next timeout a timer of the world; none is needed if no client waits for it.
void ServerConnections::UpdateTimer() {
  TimerQueue& timers = engine_.scheduler.timers();
  const auto next = blocked_links_ > 0 ? engine_.servers.NextTimer() : std::optional<VirtualTime>();
  if (!next) return timers.Cancel(timer_);
  const VirtualTime at = *next;
  if (timer_ != kNoTimer && at == timer_at_) return;
  timers.Cancel(timer_);
  timer_at_ = at;
  // At least one tick later: a timeout that RunTimers has just left alone is not due before then.
  const VirtualTime soonest = engine_.now() + std::chrono::microseconds(1);
  timer_ = timers.Add(std::max(at, soonest), {TimerKind::kServerTimers, 0});
}

}  // namespace interlock::sim
