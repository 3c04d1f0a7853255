// SPDX-License-Identifier: MIT
//
// What the network does when servers die, start, go on, or are told something by their operator.
#include <algorithm>
#include <cstddef>
#include <vector>

#include "sim/engine.h"
#include "sim/network.h"

namespace interlock::sim {

void Network::RefuseLink(Link& link) {
  link.requests.PopFront();
  --link.arrived;
  if (!node_of(link).machine_off) return SendMessage(link, Message::Kind::kReset, nullptr, 0, {});
  link.machine_off = true;
  Cut(link);
}

void Network::NodeDied(int node, bool machine_off) {
  nodes_[static_cast<std::size_t>(node)]->machine_off = machine_off;
  for (const std::unique_ptr<Link>& one : links_) {
    Link& link = *one;
    if (link.node != node || !link.server_open) continue;
    ForgetClient(link);
    link.machine_off = machine_off;
    machine_off ? Cut(link) : SendMessage(link, Message::Kind::kClosed, nullptr, 0, {});
  }
  UpdateServerTimer();
}

void Network::NodeStarted(int node) {
  NodeState& state = *nodes_[static_cast<std::size_t>(node)];
  state.machine_off = false;
  state.expiry_watch.Forget();
  for (const std::unique_ptr<Link>& link : links_) {
    if (link->node == node && link->machine_off) BreakClient(*link, "reset");
  }
}

void Network::NodeResumed(int node) {
  for (std::size_t i = 0; i < links_.size(); ++i) {
    if (links_[i]->node == node) Pump(*links_[i]);
  }
}

void Network::ExecuteAsAdmin(int node, int database, const redis::Argv& argv, const Link* victim) {
  SyncServerTime();
  if (engine_.shadow != nullptr) {
    const Shadow::Client named = victim == nullptr
                                     ? Shadow::Client()
                                     : Shadow::Client{node, victim->id, victim->process->id};
    engine_.shadow->OnAdmin(node, database, argv, victim == nullptr ? nullptr : &named,
                            engine_.now());
  }
  redis::Server& server = engine_.servers.at(node);
  const redis::ClientId client = server.Connect();
  server.Execute(client, {"SELECT", std::to_string(database)});
  server.Execute(client, argv);
  server.Disconnect(client);
  nodes_[static_cast<std::size_t>(node)]->expiry_watch.Forget();
  CallReturned(nullptr);
}

/// What has sent something, or executed, or timed out, and now stands still.
void Network::SettleShadow(const Link* executing) {
  std::vector<int> nodes;
  if (executing != nullptr) nodes.push_back(executing->node);
  for (std::size_t i = 0; i < produced_count_; ++i) nodes.push_back(produced_[i].link->node);
  std::sort(nodes.begin(), nodes.end());
  nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
  for (const int node : nodes) {
    engine_.shadow->OnSettled(node, engine_.servers.at(node), engine_.now());
  }
}

}  // namespace interlock::sim
