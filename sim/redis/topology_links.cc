// SPDX-License-Identifier: MIT
//
// What replicas and masters of a topology say to one another: PSYNC, all data, units and
// acknowledgements.
#include <algorithm>
#include <utility>

#include "sim/redis/engine.h"
#include "sim/redis/topology.h"

namespace interlock::sim::redis {

namespace {

constexpr std::int64_t kSecondUs = 1'000'000;

}  // namespace

bool Topology::NeedsCron(NodeId node) {
  return replication(node).is_replica() || !replication(node).replicas().empty();
}

void Topology::RunCron(NodeId id) {
  Replication& its = replication(id);
  Upstream& upstream = nodes_[id]->upstream;
  if (its.is_replica()) {
    if (upstream.connection != 0 && its.HeardNothing()) HangUp(id, true);
    if (upstream.connection == 0) upstream.retry_at_once = true;
    if (its.link() == MasterLink::kConnected) SendAcknowledgement(id, its.offset());
  }
  its.RunCron((now_us_ - nodes_[id]->started_us) / kSecondUs);
}

void Topology::Collect() {
  for (NodeId id = 0; id < nodes_.size(); ++id) {
    if (!Runs(id)) continue;
    CollectUpstream(id);
    CollectDownstreams(id);
  }
}

void Topology::CollectUpstream(NodeId id) {
  Upstream& upstream = nodes_[id]->upstream;
  Replication& its = replication(id);
  if (upstream.epoch != its.epoch()) {
    if (upstream.connection != 0) HangUp(id, true);
    upstream.epoch = its.epoch();
    upstream.retry_at_once = true;
  }
  if (its.is_replica() && upstream.connection == 0 &&
      std::exchange(upstream.retry_at_once, false)) {
    Connect(id);
  }
}

void Topology::CollectDownstreams(NodeId id) {
  Node& node = *nodes_[id];
  Replication& its = replication(id);
  const Journal& journal = node.server.engine().journal;
  for (const Downstream& link : node.downstreams) {
    Replication::Replica* replica = its.Find(link.handle);
    if (replica == nullptr) {
      Send(id, link.replica, {.connection = link.connection});
      continue;
    }
    for (; replica->next_unit < journal.end_index(); ++replica->next_unit) {
      const Unit& unit = journal.unit(replica->next_unit);
      if (unit.readers == Unit::Readers::kFile) continue;
      Send(id, link.replica,
           {.kind = Message::Kind::kUnit, .connection = link.connection, .unit = unit});
    }
  }
  std::erase_if(node.downstreams,
                [&](const Downstream& link) { return its.Find(link.handle) == nullptr; });
}

void Topology::Connect(NodeId id) {
  Replication& its = replication(id);
  const std::optional<NodeId> master = Resolve(its.master()->host, its.master()->port);
  if (!master || *master == id) return;
  Upstream& upstream = nodes_[id]->upstream;
  upstream.connection = ++connections_;
  upstream.master = *master;
  its.SetLink(MasterLink::kConnecting);
  Send(id, *master,
       {.kind = Message::Kind::kRequest, .connection = upstream.connection, .point = its.point()});
}

// The replica's end.
void Topology::HangUp(NodeId id, bool tell_master) {
  Upstream& upstream = nodes_[id]->upstream;
  if (tell_master) Send(id, upstream.master, {.connection = upstream.connection});
  upstream.connection = 0;
  if (replication(id).is_replica()) replication(id).SetLink(MasterLink::kConnect);
}

void Topology::SendAcknowledgement(NodeId id, std::int64_t offset) {
  const Upstream& upstream = nodes_[id]->upstream;
  Send(id, upstream.master,
       {.kind = Message::Kind::kAcknowledgement,
        .connection = upstream.connection,
        .point = {{}, offset}});
}

void Topology::Deliver(const Way& way) {
  const auto [from, to] = way;
  std::deque<Message>& messages = ways_[way];
  const Message message = std::move(messages.front());
  messages.pop_front();
  if (!IsUp(to)) {
    if (message.kind == Message::Kind::kRequest) {
      Send(to, from, {.connection = message.connection});
    }
  } else if (message.kind == Message::Kind::kRequest) {
    OnRequest(to, from, message);
  } else if (nodes_[to]->upstream.connection == message.connection) {
    OnMessageFromMaster(to, from, message);
  } else {
    OnMessageFromReplica(to, from, message);
  }
}

void Topology::OnRequest(NodeId master, NodeId replica, const Message& message) {
  Replication& its = replication(master);
  const std::uint64_t connection = message.connection;
  const bool has_no_data = its.is_replica() && its.link() != MasterLink::kConnected;
  if (has_no_data || server(master).engine().persistence.loading()) {
    return Send(master, replica, {.connection = connection});
  }
  Downstream link{.connection = connection, .handle = 0, .replica = replica};
  if (its.CanContinue(message.point)) {
    link.handle = its.Attach(address(replica), message.point);
    Send(master, replica,
         {.kind = Message::Kind::kContinue, .connection = connection, .point = its.point()});
  } else {
    auto snapshot = std::make_shared<const Snapshot>(its.TakeSnapshot());
    link.handle = its.Attach(address(replica), std::nullopt);
    Send(master, replica, {.kind = Message::Kind::kSyncing, .connection = connection});
    Send(master, replica,
         {.kind = Message::Kind::kSnapshot,
          .connection = connection,
          .snapshot = std::move(snapshot)},
         spec_.full_sync_us);
  }
  nodes_[master]->downstreams.push_back(link);
}

void Topology::OnMessageFromMaster(NodeId replica, NodeId, const Message& message) {
  Replication& its = replication(replica);
  switch (message.kind) {
    case Message::Kind::kContinue:
      return its.Continue(message.point.id);
    case Message::Kind::kSyncing:
      return its.SetLink(MasterLink::kSync);
    case Message::Kind::kSnapshot:
      its.Load(*message.snapshot);
      return SendAcknowledgement(replica, its.offset());
    case Message::Kind::kUnit: {
      const std::int64_t before = its.offset();
      if (its.Apply(message.unit)) SendAcknowledgement(replica, before);
      return;
    }
    case Message::Kind::kClosed: {
      const bool was_connected = its.link() == MasterLink::kConnected;
      HangUp(replica, false);
      // Only a link that worked is mended at once; else the next second brings the next try.
      nodes_[replica]->upstream.retry_at_once = was_connected;
      return;
    }
    case Message::Kind::kRequest:
    case Message::Kind::kAcknowledgement:
      return;
  }
}

void Topology::OnMessageFromReplica(NodeId master, NodeId sender, const Message& message) {
  Replication& its = replication(master);
  std::vector<Downstream>& links = nodes_[master]->downstreams;
  const auto link = std::find_if(links.begin(), links.end(), [&](const Downstream& candidate) {
    return candidate.connection == message.connection;
  });
  if (link == links.end()) {
    // Meant for a connection that this process, a new one perhaps, knows nothing of.
    if (message.kind != Message::Kind::kClosed) {
      Send(master, sender, {.connection = message.connection});
    }
    return;
  }
  if (message.kind == Message::Kind::kClosed) {
    its.Detach(link->handle);
    links.erase(link);
  } else if (Replication::Replica* replica = its.Find(link->handle)) {
    if (!replica->online) its.SetOnline(link->handle);
    its.Acknowledge(link->handle, message.point.offset);
  }
}

}  // namespace interlock::sim::redis
