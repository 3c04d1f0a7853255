// SPDX-License-Identifier: MIT
//
// The state of a topology, for those who compare states: what matters is what a client can see of
// it later. Connections and histories have names of their own in every run, so they are described
// by what they lead to, never by name.
#include <algorithm>

#include "sim/redis/engine.h"
#include "sim/redis/topology.h"

namespace interlock::sim::redis {

bool Topology::InStep(NodeId id) {
  const Upstream& upstream = nodes_[id]->upstream;
  const Replication& its = replication(id);
  if (!Runs(id) || !its.is_replica() || its.link() != MasterLink::kConnected) return false;
  if (upstream.connection == 0 || upstream.epoch != its.epoch()) return false;
  const Way way{upstream.master, id};
  if (!Runs(way.first) || IsCut(way.first, way.second)) return false;
  const auto& links = nodes_[way.first]->downstreams;
  const auto link = std::find_if(links.begin(), links.end(), [&](const Downstream& one) {
    return one.connection == upstream.connection;
  });
  if (link == links.end()) return false;
  const Replication::Replica* replica = replication(way.first).Find(link->handle);
  if (replica == nullptr) return false;
  const auto messages = ways_.find(way);
  if (spec_.lag_us > 0 || !lags_.empty()) {
    const bool all_sent = replica->next_unit == server(way.first).engine().journal.end_index();
    return all_sent && (messages == ways_.end() || messages->second.empty());
  }
  return messages == ways_.end() ||
         std::all_of(messages->second.begin(), messages->second.end(),
                     [](const Message& one) { return one.kind == Message::Kind::kUnit; });
}

void Topology::Describe(NodeId id, StateSink& sink) {
  const Node& node = *nodes_[id];
  sink.BeginPart();
  sink.Number((node.up ? 1U : 0U) | (node.paused ? 2U : 0U) | (InStep(id) ? 4U : 0U));
  sink.Number(static_cast<std::uint64_t>(ClockOf(node) - now_us_));
  sink.Number(static_cast<std::uint64_t>(node.drift_ppm));
  if (nodes_.size() == 1) return;
  const Replication& its = replication(id);
  const std::optional<NodeId> master =
      its.is_replica() ? Resolve(its.master()->host, its.master()->port) : std::nullopt;
  sink.Number(its.is_replica() ? master.value_or(nodes_.size()) + 1 : 0);
  sink.Number(static_cast<std::uint64_t>(its.link()));
  const Upstream& upstream = node.upstream;
  sink.Number(upstream.connection == 0 ? 0 : upstream.master + 1);
  sink.Number((upstream.retry_at_once ? 1U : 0U) | (upstream.epoch == its.epoch() ? 2U : 0U));
  bool behind = false;
  for (const Downstream& link : node.downstreams) {
    const Replication::Replica* replica = replication(id).Find(link.handle);
    sink.Number(link.replica);
    sink.Number(replica == nullptr ? 0 : replica->online ? 1 : 2);
    behind = behind || !InStep(link.replica);
  }
  for (const auto& [way, messages] : ways_) {
    if (way.first == id && !InStep(way.second)) DescribeWay(way, sink);
  }
  if (behind) DescribeWrites(id, sink);
}

// A way that is cut is mended at once, and then all of it arrives before anybody looks: the replica
// has what its master has. Else the writes on it will never be asked for.
void Topology::DescribeWay(const Way& way, StateSink& sink) {
  const bool cut = IsCut(way.first, way.second);
  sink.Number(way.second);
  sink.Number(cut ? 1 : 0);
  for (const Message& message : ways_[way]) {
    const bool of_stream =
        message.kind == Message::Kind::kUnit || message.kind == Message::Kind::kAcknowledgement;
    if (cut && of_stream) continue;
    sink.Number(static_cast<std::uint64_t>(message.kind));
    sink.Number(nodes_[way.second]->upstream.connection == message.connection ? 1 : 0);
    sink.Number(static_cast<std::uint64_t>(std::max(message.deliver_at_us, now_us_)));
    if (message.kind == Message::Kind::kRequest) {
      sink.Number(replication(way.second).CanContinue(message.point) ? 1 : 0);
    }
    for (const Effect& effect : message.unit.effects) {
      sink.Number(static_cast<std::uint64_t>(effect.database));
      for (const std::string& argument : effect.argv) sink.Text(argument);
    }
  }
}

// How many replicas have what each client wrote last: what WAIT would tell it.
void Topology::DescribeWrites(NodeId master, StateSink& sink) {
  const Replication& its = replication(master);
  for (const auto& client : server(master).engine().clients.all()) {
    if (client == nullptr) continue;
    sink.BeginPart();
    sink.OfClient(client->id);
    sink.Number(static_cast<std::uint64_t>(its.CountAcknowledged(client->last_write_offset)));
    if (!client->wait || client->wait->serve != nullptr) continue;
    sink.Number(static_cast<std::uint64_t>(its.CountAcknowledged(client->wait->offset)));
  }
}

}  // namespace interlock::sim::redis
