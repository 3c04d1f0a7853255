// SPDX-License-Identifier: MIT
//
// CLUSTER, ASKING, READONLY and READWRITE: requests of clients and operators to one node. Commands
// for the gossip (MEET, FORGET, REPLICATE, FAILOVER ...) are up to the servers' owner, and not
// modelled.
#include <charconv>
#include <string>

#include "sim/redis/commands/in_cluster.h"
#include "sim/redis/text.h"

namespace interlock::sim::redis {

namespace {

std::int64_t BusPort(const ClusterNode& node) { return node.port + 10000; }

// "0-4 6-5460"
std::string SlotRanges(const ClusterView& view, std::size_t node) {
  std::string text;
  for (const SlotOwners::Run& run : view.owner.runs()) {
    if (run.node != static_cast<std::int16_t>(node)) continue;
    text += " " + std::to_string(run.first);
    if (run.last != run.first) text += "-" + std::to_string(run.last);
  }
  return text;
}

std::string NodeLine(const Cluster& cluster, std::size_t index, std::int64_t now_ms) {
  const ClusterView& view = cluster.view();
  const ClusterNode& node = view.nodes[index];
  const bool master = node.master_id.empty();
  std::string line = node.id + " " + node.host + ":" + std::to_string(node.port) + "@" +
                     std::to_string(BusPort(node)) + " ";
  if (index == view.myself) line += "myself,";
  line += master ? "master" : "slave";
  if (node.failed) line += ",fail";
  line += " " + (master ? "-" : node.master_id) + " 0 " + std::to_string(now_ms) + " " +
          std::to_string(node.config_epoch) + (node.failed ? " disconnected" : " connected");
  return line + SlotRanges(view, index);
}

void Nodes(Context& c, Cluster& cluster) {
  std::string text;
  for (std::size_t i = 0; i < cluster.view().nodes.size(); ++i) {
    text += NodeLine(cluster, i, c.engine.now_ms());
    if (i == cluster.view().myself) {
      for (const auto& [slot, id] : cluster.migrating()) {
        text += " [" + std::to_string(slot) + "->-" + id + "]";
      }
      for (const auto& [slot, id] : cluster.importing()) {
        text += " [" + std::to_string(slot) + "-<-" + id + "]";
      }
    }
    text += "\n";
  }
  c.Verbatim(text);
}

Value Endpoint(const ClusterNode& node) {
  return ArrayValue(
      {StringValue(node.host), IntegerValue(node.port), StringValue(node.id), MapValue()});
}

void Slots(Context& c, Cluster& cluster) {
  const ClusterView& view = cluster.view();
  std::vector<Value>& ranges = c.Array();
  for (const SlotOwners::Run& run : view.owner.runs()) {
    if (run.node == kNoNode) continue;
    const ClusterNode& master = view.nodes[static_cast<std::size_t>(run.node)];
    Value range = ArrayValue({IntegerValue(static_cast<std::int64_t>(run.first)),
                              IntegerValue(static_cast<std::int64_t>(run.last)), Endpoint(master)});
    for (const ClusterNode& node : view.nodes) {
      if (node.master_id == master.id && !node.failed) range.elements.push_back(Endpoint(node));
    }
    ranges.push_back(std::move(range));
  }
}

Value ShardNode(const ClusterNode& node) {
  return MapValue({StringValue("id"), StringValue(node.id), StringValue("port"),
                   IntegerValue(node.port), StringValue("ip"), StringValue(node.host),
                   StringValue("endpoint"), StringValue(node.host), StringValue("role"),
                   StringValue(node.master_id.empty() ? "master" : "replica"),
                   StringValue("replication-offset"), IntegerValue(0), StringValue("health"),
                   StringValue(node.failed ? "fail" : "online")});
}

void Shards(Context& c, Cluster& cluster) {
  const ClusterView& view = cluster.view();
  std::vector<Value>& shards = c.Array();
  for (std::size_t i = 0; i < view.nodes.size(); ++i) {
    if (!view.nodes[i].master_id.empty()) continue;
    Value slots = ArrayValue();
    for (const SlotOwners::Run& run : view.owner.runs()) {
      if (run.node != static_cast<std::int16_t>(i)) continue;
      slots.elements.push_back(IntegerValue(static_cast<std::int64_t>(run.first)));
      slots.elements.push_back(IntegerValue(static_cast<std::int64_t>(run.last)));
    }
    Value nodes = ArrayValue({ShardNode(view.nodes[i])});
    for (const ClusterNode& node : view.nodes) {
      if (node.master_id == view.nodes[i].id) nodes.elements.push_back(ShardNode(node));
    }
    shards.push_back(
        MapValue({StringValue("slots"), std::move(slots), StringValue("nodes"), std::move(nodes)}));
  }
}

// Has none of the gossip statistics.
void ClusterInfo(Context& c, Cluster& cluster) {
  const ClusterView& view = cluster.view();
  std::int64_t assigned = 0;
  std::int64_t failed = 0;
  for (const SlotOwners::Run& run : view.owner.runs()) {
    if (run.node == kNoNode) continue;
    const auto slots = static_cast<std::int64_t>(run.last - run.first + 1);
    assigned += slots;
    if (view.nodes[static_cast<std::size_t>(run.node)].failed) failed += slots;
  }
  std::int64_t size = 0;
  for (std::size_t i = 0; i < view.nodes.size(); ++i) {
    if (!SlotRanges(view, i).empty()) ++size;
  }
  const std::int64_t my_epoch = cluster.myself().config_epoch;
  std::string text;
  const auto line = [&](std::string_view name, std::string_view value) {
    text.append(name).append(":").append(value).append("\r\n");
  };
  line("cluster_state", cluster.IsHealthy() ? "ok" : "fail");
  line("cluster_slots_assigned", std::to_string(assigned));
  line("cluster_slots_ok", std::to_string(assigned - failed));
  line("cluster_slots_pfail", "0");
  line("cluster_slots_fail", std::to_string(failed));
  line("cluster_known_nodes", std::to_string(view.nodes.size()));
  line("cluster_size", std::to_string(size));
  line("cluster_current_epoch", std::to_string(view.current_epoch));
  line("cluster_my_epoch", std::to_string(my_epoch));
  line("cluster_stats_messages_sent", "0");
  line("cluster_stats_messages_received", "0");
  line("total_cluster_links_buffer_limit_exceeded", "0");
  c.Verbatim(text);
}

bool ParseSlot(Context& c, std::string_view text, std::size_t* slot) {
  std::int64_t number = 0;
  if (!ParseInteger(text, &number) || number < 0 || number >= static_cast<std::int64_t>(kSlots)) {
    c.Error("ERR Invalid or out of range slot");
    return false;
  }
  *slot = static_cast<std::size_t>(number);
  return true;
}

// Those that are being imported are in no other command's view.
std::vector<Value> KeysInSlot(Context& c, std::size_t slot, std::int64_t limit) {
  std::vector<Value> found;
  const auto add = [&](const std::string& key) {
    const bool full = static_cast<std::int64_t>(found.size()) >= limit;
    if (!full && KeySlot(key) == slot) found.push_back(StringValue(key));
  };
  for (const auto& [key, entry] : c.keyspace().keys(0)) add(key);
  for (const SlotMigration& one : c.engine.cluster.migrations().all()) {
    for (const auto& [key, entry] : one.keys) add(key);
  }
  return found;
}

void CountKeys(Context& c, Cluster& /*cluster*/) {
  std::int64_t slot = 0;
  if (!c.ParseInt(c.args[2], &slot)) return;
  if (slot < 0 || slot >= static_cast<std::int64_t>(kSlots)) return c.Error("ERR Invalid slot");
  c.Integer(KeysInSlot(c, static_cast<std::size_t>(slot), INT64_MAX).size());
}

void GetKeysInSlot(Context& c, Cluster& /*cluster*/) {
  std::int64_t slot = 0;
  std::int64_t limit = 0;
  if (!c.ParseInt(c.args[2], &slot) || !c.ParseInt(c.args[3], &limit)) return;
  if (slot < 0 || slot >= static_cast<std::int64_t>(kSlots) || limit < 0) {
    return c.Error("ERR Invalid slot or number of keys");
  }
  c.Array() = KeysInSlot(c, static_cast<std::size_t>(slot), limit);
}

void Replicas(Context& c, Cluster& cluster) {
  const std::optional<std::size_t> node = cluster.FindNode(c.args[2]);
  if (!node) return c.Error(OneLine("ERR Unknown node " + std::string(UntilNul(c.args[2]))));
  const std::vector<ClusterNode>& nodes = cluster.view().nodes;
  if (!nodes[*node].master_id.empty()) return c.Error("ERR The specified node is not a master");
  std::vector<Value>& lines = c.Array();
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    if (nodes[i].master_id != nodes[*node].id) continue;
    lines.push_back(StringValue(NodeLine(cluster, i, c.engine.now_ms())));
  }
}

// ADDSLOTS and DELSLOTS: all or nothing.
void ChangeSlots(Context& c, Cluster& cluster, bool add) {
  ClusterView changed = cluster.view();
  std::vector<bool> named(kSlots);
  for (const std::string_view text : c.args.subspan(2)) {
    std::size_t slot = 0;
    if (!ParseSlot(c, text, &slot)) return;
    const bool assigned = changed.owner[slot] != kNoNode;
    const std::string number = std::to_string(slot);
    if (add && assigned && !named[slot]) return c.Error("ERR Slot " + number + " is already busy");
    if (!add && !assigned && !named[slot]) {
      return c.Error("ERR Slot " + number + " is already unassigned");
    }
    if (named[slot]) return c.Error("ERR Slot " + number + " specified multiple times");
    named[slot] = true;
    changed.owner.Set(slot, add ? static_cast<std::int16_t>(changed.myself) : kNoNode);
  }
  cluster.SetView(std::move(changed));
  c.Ok();
}

void SetSlotNode(Context& c, Cluster& cluster, std::size_t slot, std::size_t node) {
  if (!cluster.view().nodes[node].master_id.empty()) {
    return c.Error("ERR Target node is not a master");
  }
  const bool own = cluster.view().owner[slot] == static_cast<std::int16_t>(cluster.view().myself);
  const bool keys_left = !KeysInSlot(c, slot, 1).empty();
  if (own && node != cluster.view().myself && keys_left) {
    return c.Error("ERR Can't assign hashslot " + std::to_string(slot) +
                   " to a different node while I still hold keys for this hash slot.");
  }
  cluster.migrating().erase(slot);
  cluster.importing().erase(slot);
  ClusterView changed = cluster.view();
  changed.owner.Set(slot, static_cast<std::int16_t>(node));
  cluster.SetView(std::move(changed));
  c.Ok();
}

void SetSlot(Context& c, Cluster& cluster) {
  if (!cluster.myself().master_id.empty()) {
    return c.Error("ERR Please use SETSLOT only with masters.");
  }
  if (cluster.migrations().AnyRuns(true)) return c.Error("ERR Slot export in progress.");
  if (cluster.migrations().AnyRuns(false)) return c.Error("ERR Slot import in progress.");
  std::size_t slot = 0;
  if (!ParseSlot(c, c.args[2], &slot)) return;
  const std::string_view action = c.args[3];
  const std::string number = std::to_string(slot);
  if (EqualsIgnoreCase(action, "stable") && c.args.size() == 4) {
    cluster.migrating().erase(slot);
    cluster.importing().erase(slot);
    return c.Ok();
  }
  const bool migrating = EqualsIgnoreCase(action, "migrating");
  const bool importing = EqualsIgnoreCase(action, "importing");
  if (c.args.size() != 5 || !(migrating || importing || EqualsIgnoreCase(action, "node"))) {
    return c.Error("ERR Invalid CLUSTER SETSLOT action or number of arguments. Try CLUSTER HELP");
  }
  const bool own = cluster.view().owner[slot] == static_cast<std::int16_t>(cluster.view().myself);
  if (migrating && !own) return c.Error("ERR I'm not the owner of hash slot " + number);
  if (importing && own) return c.Error("ERR I'm already the owner of hash slot " + number);
  const std::optional<std::size_t> node = cluster.FindNode(c.args[4]);
  if (!node) {
    const bool open = migrating || importing;
    return c.Error(OneLine((open ? "ERR I don't know about node " : "ERR Unknown node ") +
                           std::string(UntilNul(c.args[4]))));
  }
  if (!migrating && !importing) return SetSlotNode(c, cluster, slot, *node);
  if (!cluster.view().nodes[*node].master_id.empty()) {
    return c.Error("ERR Target node is not a master");
  }
  (migrating ? cluster.migrating() : cluster.importing())[slot] = cluster.view().nodes[*node].id;
  c.Ok();
}

void ClusterFailover(Context& c, Cluster& cluster) {
  const bool known =
      c.args.size() == 2 || (c.args.size() == 3 && (EqualsIgnoreCase(c.args[2], "force") ||
                                                    EqualsIgnoreCase(c.args[2], "takeover")));
  if (!known) {
    if (c.args.size() == 3) return c.Error(kSyntax);
    return c.Error(
        "ERR unknown subcommand or wrong number of arguments for 'FAILOVER'. Try CLUSTER HELP.");
  }
  if (cluster.myself().master_id.empty()) {
    return c.Error("ERR You should send CLUSTER FAILOVER to a replica");
  }
  c.Unmodelled("CLUSTER FAILOVER");
}

void FailureReports(Context& c, Cluster& cluster) {
  if (!cluster.FindNode(c.args[2])) {
    return c.Error(OneLine("ERR Unknown node " + std::string(UntilNul(c.args[2]))));
  }
  c.Integer(std::int64_t{0});
}

template <bool reads>
void ReadReplica(Context& c) {
  if (!c.dialect().valkey && !IsInCluster(c)) return;  // Valkey has it for lone servers as well.
  c.client.reads_replica = reads;
  c.Ok();
}

void SlotOfKey(Context& c) {
  if (c.dialect().slots_without_cluster || IsInCluster(c)) c.Integer(KeySlot(c.args[2]));
}

constexpr HandlerRow kClusterCommands[] = {
    {"asking", &InCluster<[](Context& c, Cluster&) {
       c.client.asking = true;
       c.Ok();
     }>},
    {"readonly", &ReadReplica<true>},
    {"readwrite", &ReadReplica<false>},
    {"cluster|nodes", &InCluster<&Nodes>},
    {"cluster|slots", &InCluster<&Slots>},
    {"cluster|shards", &InCluster<&Shards>},
    {"cluster|info", &InCluster<&ClusterInfo>},
    {"cluster|myid",
     &InCluster<[](Context& c, Cluster& cluster) { c.String(cluster.myself().id); }>},
    {"cluster|keyslot", &SlotOfKey},
    {"cluster|countkeysinslot", &InCluster<&CountKeys>},
    {"cluster|getkeysinslot", &InCluster<&GetKeysInSlot>},
    {"cluster|replicas", &InCluster<&Replicas>},
    {"cluster|slaves", &InCluster<&Replicas>},
    {"cluster|addslots",
     &InCluster<[](Context& c, Cluster& cluster) { ChangeSlots(c, cluster, true); }>},
    {"cluster|delslots",
     &InCluster<[](Context& c, Cluster& cluster) { ChangeSlots(c, cluster, false); }>},
    {"cluster|setslot", &InCluster<&SetSlot>},
    {"cluster|failover", &InCluster<&ClusterFailover>},
    {"cluster|count-failure-reports", &InCluster<&FailureReports>},
};

}  // namespace

std::span<const HandlerRow> ClusterCommands() { return kClusterCommands; }

}  // namespace interlock::sim::redis
