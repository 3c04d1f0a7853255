// SPDX-License-Identifier: MIT
#include "sim/redis/replication_links.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include "sim/redis/engine.h"
#include "sim/redis/topology.h"

namespace interlock::sim::redis {

void ReplicationLinks::Reset(std::size_t nodes, std::int64_t full_sync_us) {
  ends_.clear();
  ends_.resize(nodes);
  full_sync_us_ = full_sync_us;
  connections_ = 0;
}

Replication& ReplicationLinks::replication(NodeId node) const {
  return topology_.engine(node).replication;
}

void ReplicationLinks::Send(NodeId from, NodeId to, Message&& message, std::int64_t delay_us) {
  traffic_.Send({from, to}, std::move(message), topology_.time_us() + delay_us);
}

void ReplicationLinks::SendAcknowledgement(NodeId id, std::int64_t offset) {
  const Upstream& upstream = ends_[id].upstream;
  Send(id, upstream.master,
       {.kind = Message::Kind::kAcknowledgement,
        .connection = upstream.connection,
        .point = {{}, offset},
        .on_disk = replication(id).OffsetOnDisk()});
}

bool ReplicationLinks::NeedsCron(NodeId node) const {
  return replication(node).is_replica() || !replication(node).replicas().empty();
}

void ReplicationLinks::RunCron(NodeId id, std::int64_t uptime_s) {
  Replication& its = replication(id);
  Upstream& upstream = ends_[id].upstream;
  if (its.is_replica()) {
    if (upstream.connection != 0 && its.HeardNothing()) HangUp(id, true);
    if (upstream.connection == 0) upstream.retry_at_once = true;
    if (its.link() == MasterLink::kConnected) SendAcknowledgement(id, its.offset());
  }
  its.RunCron(uptime_s);
}

void ReplicationLinks::Collect() {
  for (NodeId id = 0; id < ends_.size(); ++id) {
    if (!topology_.Runs(id)) continue;
    Engine& engine = topology_.engine(id);
    CollectUpstream(id, engine.replication);
    if (!ends_[id].downstreams.empty()) CollectDownstreams(id, engine.replication, engine.journal);
  }
}

void ReplicationLinks::CollectUpstream(NodeId id, const Replication& its) {
  Upstream& upstream = ends_[id].upstream;
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

void ReplicationLinks::CollectDownstreams(NodeId id, Replication& its, const Journal& journal) {
  std::vector<Downstream>& links = ends_[id].downstreams;
  for (const Downstream& link : links) {
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
  std::erase_if(links, [&](const Downstream& link) { return its.Find(link.handle) == nullptr; });
}

void ReplicationLinks::Connect(NodeId id) {
  Replication& its = replication(id);
  const std::optional<NodeId> master = topology_.Resolve(its.master()->host, its.master()->port);
  if (!master || *master == id) return;
  Upstream& upstream = ends_[id].upstream;
  upstream.connection = ++connections_;
  upstream.master = *master;
  its.SetLink(MasterLink::kConnecting);
  Send(id, *master,
       {.kind = Message::Kind::kRequest, .connection = upstream.connection, .point = its.point()});
}

// The replica's end.
void ReplicationLinks::HangUp(NodeId id, bool tell_master) {
  Upstream& upstream = ends_[id].upstream;
  if (tell_master) Send(id, upstream.master, {.connection = upstream.connection});
  upstream.connection = 0;
  if (replication(id).is_replica()) replication(id).SetLink(MasterLink::kConnect);
}

void ReplicationLinks::CloseDownstreams(NodeId master) {
  std::vector<Downstream>& links = ends_[master].downstreams;
  for (const Downstream& link : links) Send(master, link.replica, {.connection = link.connection});
  links.clear();
}

void ReplicationLinks::OnKill(NodeId id) {
  if (ends_[id].upstream.connection != 0) HangUp(id, true);
  CloseDownstreams(id);
  ends_[id].upstream = Upstream();
}

void ReplicationLinks::OnPowerLoss(NodeId id) {
  traffic_.LoseFrom(id);
  ends_[id].upstream = Upstream();
}

void ReplicationLinks::OnStart(NodeId id) { CloseDownstreams(id); }

void ReplicationLinks::Deliver(NodeId from, NodeId to, const Message& message) {
  if (!topology_.IsUp(to)) {
    if (message.kind == Message::Kind::kRequest) {
      Send(to, from, {.connection = message.connection});
    }
  } else if (message.kind == Message::Kind::kRequest) {
    OnRequest(to, from, message);
  } else if (ends_[to].upstream.connection == message.connection) {
    OnMessageFromMaster(to, message);
  } else {
    OnMessageFromReplica(to, from, message);
  }
}

void ReplicationLinks::OnRequest(NodeId master, NodeId replica, const Message& message) {
  Replication& its = replication(master);
  const std::uint64_t connection = message.connection;
  const bool has_no_data = its.is_replica() && its.link() != MasterLink::kConnected;
  if (has_no_data || topology_.engine(master).persistence.loading()) {
    return Send(master, replica, {.connection = connection});
  }
  Downstream link{.connection = connection, .handle = 0, .replica = replica};
  if (its.CanContinue(message.point)) {
    link.handle = its.Attach(topology_.address(replica), message.point);
    Send(master, replica,
         {.kind = Message::Kind::kContinue, .connection = connection, .point = its.point()});
  } else {
    auto snapshot = std::make_shared<const Snapshot>(its.TakeSnapshot());
    link.handle = its.Attach(topology_.address(replica), std::nullopt);
    Send(master, replica, {.kind = Message::Kind::kSyncing, .connection = connection});
    Send(master, replica,
         {.kind = Message::Kind::kSnapshot,
          .connection = connection,
          .snapshot = std::move(snapshot)},
         full_sync_us_);
  }
  ends_[master].downstreams.push_back(link);
}

void ReplicationLinks::OnMessageFromMaster(NodeId replica, const Message& message) {
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
      ends_[replica].upstream.retry_at_once = was_connected;
      return;
    }
    case Message::Kind::kRequest:
    case Message::Kind::kAcknowledgement:
      return;
  }
}

const ReplicationLinks::Downstream* ReplicationLinks::FindDownstream(
    NodeId master, std::uint64_t connection) const {
  const std::vector<Downstream>& links = ends_[master].downstreams;
  const auto at = std::find_if(links.begin(), links.end(), [&](const Downstream& link) {
    return link.connection == connection;
  });
  return at == links.end() ? nullptr : &*at;
}

void ReplicationLinks::OnMessageFromReplica(NodeId master, NodeId sender, const Message& message) {
  Replication& its = replication(master);
  const Downstream* link = FindDownstream(master, message.connection);
  if (link == nullptr) {
    // Meant for a connection that this process, a new one perhaps, knows nothing of.
    if (message.kind != Message::Kind::kClosed) {
      Send(master, sender, {.connection = message.connection});
    }
  } else if (message.kind == Message::Kind::kClosed) {
    its.Detach(link->handle);
    std::erase_if(ends_[master].downstreams,
                  [&](const Downstream& one) { return one.connection == message.connection; });
  } else if (Replication::Replica* replica = its.Find(link->handle)) {
    if (!replica->online) its.SetOnline(link->handle);
    its.Acknowledge(link->handle, message.point.offset, message.on_disk);
  }
}

bool ReplicationLinks::InStep(NodeId id) const {
  const Upstream& upstream = ends_[id].upstream;
  const Replication& its = replication(id);
  if (!topology_.Runs(id) || !its.is_replica() || its.link() != MasterLink::kConnected) {
    return false;
  }
  if (upstream.connection == 0 || upstream.epoch != its.epoch()) return false;
  const NodeId master = upstream.master;
  if (!topology_.Reaches(id, master)) return false;
  const Downstream* link = FindDownstream(master, upstream.connection);
  const Replication::Replica* replica =
      link == nullptr ? nullptr : replication(master).Find(link->handle);
  if (replica == nullptr) return false;
  const auto way = traffic_.ways().find({master, id});
  const bool nothing_sent = way == traffic_.ways().end() || way->second.empty();
  if (traffic_.has_lag()) {
    return nothing_sent && replica->next_unit == topology_.engine(master).journal.end_index();
  }
  return nothing_sent ||
         std::all_of(way->second.begin(), way->second.end(),
                     [](const Message& one) { return one.kind == Message::Kind::kUnit; });
}

void ReplicationLinks::Describe(NodeId id, StateSink& sink) const {
  const Replication& its = replication(id);
  const std::optional<NodeId> master =
      its.is_replica() ? topology_.Resolve(its.master()->host, its.master()->port) : std::nullopt;
  sink.Number(its.is_replica() ? master.value_or(ends_.size()) + 1 : 0);
  sink.Number(static_cast<std::uint64_t>(its.link()));
  const Upstream& upstream = ends_[id].upstream;
  sink.Number(upstream.connection == 0 ? 0 : upstream.master + 1);
  sink.Number((upstream.retry_at_once ? 1U : 0U) | (upstream.epoch == its.epoch() ? 2U : 0U));
  bool behind = false;
  for (const Downstream& link : ends_[id].downstreams) {
    const Replication::Replica* replica = replication(id).Find(link.handle);
    sink.Number(link.replica);
    sink.Number(replica == nullptr ? 0 : replica->online ? 1 : 2);
    behind = behind || !InStep(link.replica);
  }
  for (const auto& way : traffic_.ways()) {
    if (way.first.first == id && !InStep(way.first.second)) DescribeTraffic(way, sink);
  }
  if (behind) DescribeWrites(id, sink);
}

// A way that is cut is mended at once, and then all of it arrives before anybody looks: the replica
// has what its master has. Else the writes on it will never be asked for.
void ReplicationLinks::DescribeTraffic(const ReplicationTraffic::Ways::value_type& way,
                                       StateSink& sink) const {
  const auto [from, to] = way.first;
  const bool cut = traffic_.IsCut(from, to);
  sink.Number(to);
  sink.Number(cut ? 1 : 0);
  for (const Message& message : way.second) {
    const bool of_stream =
        message.kind == Message::Kind::kUnit || message.kind == Message::Kind::kAcknowledgement;
    if (cut && of_stream) continue;
    sink.Number(static_cast<std::uint64_t>(message.kind));
    sink.Number(ends_[to].upstream.connection == message.connection ? 1 : 0);
    sink.Number(static_cast<std::uint64_t>(std::max(message.deliver_at_us, topology_.time_us())));
    if (message.kind == Message::Kind::kRequest) {
      sink.Number(replication(to).CanContinue(message.point) ? 1 : 0);
    }
    for (const Effect& effect : message.unit.effects) {
      sink.Number(static_cast<std::uint64_t>(effect.database));
      for (const std::string& argument : effect.argv) sink.Text(argument);
    }
  }
}

// How many replicas have what each client wrote last: what WAIT would tell it.
void ReplicationLinks::DescribeWrites(NodeId master, StateSink& sink) const {
  const Replication& its = replication(master);
  for (const auto& client : topology_.engine(master).clients.all()) {
    if (client == nullptr) continue;
    sink.BeginPart();
    sink.OfClient(client->id);
    sink.Number(static_cast<std::uint64_t>(its.CountAcknowledged(client->last_write_offset)));
    if (!client->wait || client->wait->serve != nullptr) continue;
    sink.Number(static_cast<std::uint64_t>(its.CountAcknowledged(client->wait->offset)));
  }
}

}  // namespace interlock::sim::redis
