// SPDX-License-Identifier: MIT
#include "sim/redis/cluster_bus.h"

#include <algorithm>
#include <utility>

#include "sim/redis/engine.h"

namespace interlock::sim::redis {

namespace {

constexpr std::int64_t kElectionDelayUs = 500'000;
constexpr std::int64_t kRankDelayUs = 1'000'000;
constexpr std::int64_t kMinRejoinUs = 500'000;
constexpr std::int64_t kMaxRejoinUs = 5'000'000;

// 40 hexadecimal digits, unique per node.
std::string IdOf(NodeId node) {
  const std::string number = std::to_string(node);
  return std::string(40 - number.size(), 'a') + number;
}

}  // namespace

TopologySpec ClusterBus::Nodes(const ClusterSpec& spec) {
  TopologySpec topology = TopologySpec::IndependentMasters(spec.masters * (1 + spec.replicas));
  for (std::size_t i = spec.masters; i < topology.nodes.size(); ++i) {
    topology.nodes[i].replica_of = (i - spec.masters) / spec.replicas;
  }
  return topology;
}

ClusterView ClusterBus::FirstView(const Topology& topology, const ClusterSpec& spec) {
  ClusterView view;
  for (NodeId i = 0; i < spec.masters * (1 + spec.replicas); ++i) {
    ClusterNode node{IdOf(i), topology.address(i).host, topology.address(i).port};
    if (i >= spec.masters) node.master_id = IdOf((i - spec.masters) / spec.replicas);
    if (i < spec.masters) node.config_epoch = static_cast<std::int64_t>(i + 1);
    view.nodes.push_back(std::move(node));
  }
  view.current_epoch = static_cast<std::int64_t>(spec.masters);
  for (std::size_t slot = 0; slot < kSlots; ++slot) {
    view.owner[slot] = static_cast<std::int16_t>(slot * spec.masters / kSlots);
  }
  return view;
}

ClusterBus::ClusterBus(Topology& topology, const ClusterSpec& spec)
    : topology_(topology), spec_(spec), nodes_(spec.masters * (1 + spec.replicas)) {
  for (Node& node : nodes_) node.peers.resize(nodes_.size());
  ClusterView view = FirstView(topology, spec);
  for (NodeId i = 0; i < nodes_.size(); ++i) {
    view.myself = i;
    topology.server(i).SetClusterView(view);
  }
}

void ClusterBus::RunTimers() {
  while (next_tick_us_ <= topology_.time_us()) {
    now_us_ = next_tick_us_;
    next_tick_us_ += kTickUs;
    Tick();
  }
}

bool ClusterBus::Hears(NodeId node, NodeId peer) {
  return node == peer || (topology_.Reaches(node, peer) && topology_.Reaches(peer, node));
}

bool ClusterBus::Misses(NodeId node, NodeId peer) const {
  return node != peer && now_us_ - nodes_[node].peers[peer].heard_us > spec_.node_timeout_us;
}

std::vector<NodeId> ClusterBus::MastersIn(const ClusterView& view) {
  std::vector<NodeId> masters;
  for (NodeId i = 0; i < view.nodes.size(); ++i) {
    const auto owner = static_cast<std::int16_t>(i);
    if (std::find(view.owner.begin(), view.owner.end(), owner) != view.owner.end()) {
      masters.push_back(i);
    }
  }
  return masters;
}

void ClusterBus::Tick() {
  for (NodeId node = 0; node < nodes_.size(); ++node) {
    if (!Runs(node)) continue;
    if (topology_.server(node).TakeFailoverRequest()) nodes_[node].failover_asked = true;
    Listen(node);
    ClaimSlots(node);
    MigrateSlots(node);
  }
  for (NodeId node = 0; node < nodes_.size(); ++node) {
    if (Runs(node)) ConsiderElection(node);
  }
}

void ClusterBus::Listen(NodeId node) {
  ClusterView view = ViewOf(node);
  for (NodeId peer = 0; peer < nodes_.size(); ++peer) {
    if (peer == node || !Hears(node, peer)) continue;
    nodes_[node].peers[peer].heard_us = now_us_;
    view.nodes[peer].failed = false;
    Learn(node, peer, &view);
  }
  Judge(node, &view);
  Install(node, std::move(view));
}

// Learns what the peer says about itself: its slots if its epoch is higher, and its master.
void ClusterBus::Learn(NodeId node, NodeId peer, ClusterView* view) {
  const ClusterView& theirs = ViewOf(peer);
  const ClusterNode& self = theirs.nodes[peer];
  view->current_epoch = std::max(view->current_epoch, theirs.current_epoch);
  ClusterNode& known = view->nodes[peer];
  known.replication_offset = topology_.server(peer).engine().replication.offset();
  if (self.master_id == known.master_id && self.config_epoch == known.config_epoch) return;
  known.master_id = self.master_id;
  known.config_epoch = self.config_epoch;
  if (!self.master_id.empty()) return;
  std::optional<NodeId> robbed;
  for (std::size_t slot = 0; slot < kSlots; ++slot) {
    if (theirs.owner[slot] != static_cast<std::int16_t>(peer)) continue;
    const std::int16_t owner = view->owner[slot];
    if (owner == static_cast<std::int16_t>(peer)) continue;
    if (owner != kNoNode) {
      const auto former = static_cast<NodeId>(owner);
      if (view->nodes[former].config_epoch >= self.config_epoch) continue;
      robbed = former;
    }
    view->owner[slot] = static_cast<std::int16_t>(peer);
  }
  // A node that lost all of its slots to the peer, or whose master did, follows the peer.
  ClusterNode& own = view->nodes[node];
  if (robbed && std::ranges::count(view->owner, static_cast<std::int16_t>(*robbed)) > 0) return;
  if (robbed && (*robbed == node || own.master_id == view->nodes[*robbed].id)) {
    own.master_id = view->nodes[peer].id;
    topology_.server(node).engine().replication.Follow(topology_.address(peer));
  }
}

void ClusterBus::Judge(NodeId node, ClusterView* view) {
  const std::vector<NodeId> masters = MastersIn(*view);
  const auto missed_by = [&](NodeId accuser, NodeId peer) {
    return (accuser == node || Hears(node, accuser)) && Misses(accuser, peer);
  };
  for (NodeId peer = 0; peer < nodes_.size(); ++peer) {
    const auto accusers = std::count_if(masters.begin(), masters.end(),
                                        [&](NodeId accuser) { return missed_by(accuser, peer); });
    if (static_cast<std::size_t>(accusers) * 2 > masters.size()) view->nodes[peer].failed = true;
  }
  const auto missing = std::count_if(masters.begin(), masters.end(),
                                     [&](NodeId master) { return Misses(node, master); });
  Node& state = nodes_[node];
  const bool majority = (masters.size() - static_cast<std::size_t>(missing)) * 2 > masters.size();
  if (!majority) state.minority_us = now_us_;
  const std::int64_t rejoin = std::clamp(spec_.node_timeout_us, kMinRejoinUs, kMaxRejoinUs);
  const bool back = state.minority_us < 0 || now_us_ - state.minority_us >= rejoin;
  view->sees_majority = majority && (back || !view->nodes[node].master_id.empty());
}

std::size_t ClusterBus::RankOf(NodeId replica, const ClusterView& view) {
  const std::int64_t own = topology_.server(replica).engine().replication.offset();
  std::size_t ahead = 0;
  for (NodeId other = 0; other < nodes_.size(); ++other) {
    if (other == replica || !Runs(other)) continue;
    if (view.nodes[other].master_id != view.nodes[replica].master_id) continue;
    const std::int64_t theirs = view.nodes[other].replication_offset;
    if (theirs > own || (theirs == own && other < replica)) ++ahead;
  }
  return ahead;
}

void ClusterBus::ConsiderElection(NodeId node) {
  const ClusterView& view = ViewOf(node);
  Node& state = nodes_[node];
  const std::string& master_id = view.nodes[node].master_id;
  const auto master = std::find_if(view.nodes.begin(), view.nodes.end(),
                                   [&](const ClusterNode& n) { return n.id == master_id; });
  if (master_id.empty() || master == view.nodes.end()) {
    state.elect_us.reset();
    state.failover_asked = false;
    return;
  }
  const auto master_node = static_cast<NodeId>(master - view.nodes.begin());
  const std::int64_t own = topology_.server(node).engine().replication.offset();
  const bool caught_up = !Hears(node, master_node) ||
                         own == topology_.server(master_node).engine().replication.offset();
  if (state.failover_asked && caught_up && view.sees_majority) return Promote(node);
  if (!master->failed || !view.sees_majority) {
    state.elect_us.reset();
    return;
  }
  if (!state.elect_us) {
    const auto rank = static_cast<std::int64_t>(RankOf(node, view));
    state.elect_us = now_us_ + kElectionDelayUs + rank * kRankDelayUs;
  }
  if (now_us_ >= *state.elect_us) Promote(node);
}

void ClusterBus::Promote(NodeId replica) {
  ClusterView view = ViewOf(replica);
  const std::string old_master = view.nodes[replica].master_id;
  for (std::int16_t& owner : view.owner) {
    if (owner != kNoNode && view.nodes[static_cast<std::size_t>(owner)].id == old_master) {
      owner = static_cast<std::int16_t>(replica);
    }
  }
  view.nodes[replica].master_id.clear();
  view.nodes[replica].config_epoch = ++view.current_epoch;
  nodes_[replica].elect_us.reset();
  nodes_[replica].failover_asked = false;
  topology_.server(replica).engine().replication.Promote();
  Install(replica, std::move(view));
}

// Only on a change: it checks all blocked clients.
void ClusterBus::Install(NodeId node, ClusterView view) {
  const ClusterView& known = ViewOf(node);
  if (view.nodes == known.nodes && view.owner == known.owner &&
      view.sees_majority == known.sees_majority && view.current_epoch == known.current_epoch) {
    return;
  }
  topology_.server(node).SetClusterView(std::move(view));
}

}  // namespace interlock::sim::redis
