// SPDX-License-Identifier: MIT
#include "sim/shards.h"

#include <algorithm>
#include <utility>

#include "sim/redis/engine.h"
#include "sim/redis/rdb/payload.h"

namespace interlock::sim {

namespace {

constexpr int kDatabase = 0;  // a cluster has no other one

/// 40 hexadecimal digits.
std::string IdOf(std::size_t node) {
  const std::string number = std::to_string(node);
  return std::string(40 - number.size(), 'a') + number;
}

}  // namespace

Shards::Shards(redis::Topology& topology, std::size_t masters)
    : topology_(topology), masters_(masters) {
  for (redis::NodeId node = 0; node < topology.size(); ++node) {
    const redis::MasterAddress& address = topology.address(node);
    view_.nodes.push_back({IdOf(node), address.host, address.port});
    if (node >= masters) view_.nodes[node].master_id = IdOf(node % masters);
    if (node < masters) view_.nodes[node].config_epoch = ++view_.current_epoch;
  }
  // The first slot of each is the first that `slot * masters / kSlots` gives to it.
  for (std::size_t node = 0; node < masters; ++node) {
    const std::size_t first = (node * redis::kSlots + masters - 1) / masters;
    view_.owner.SetRange(first, redis::kSlots - 1, static_cast<std::int16_t>(node));
  }
}

int Shards::NodeOf(const std::string& id) const {
  const auto found = std::ranges::find(view_.nodes, id, &redis::ClusterNode::id);
  return static_cast<int>(found - view_.nodes.begin());
}

redis::SlotMigrations& Shards::MigrationsOf(int node) const {
  return topology_.engine(Id(node)).cluster.migrations();
}

bool Shards::HasKey(int node, std::string_view key) const {
  return topology_.engine(Id(node)).keyspace.Peek(kDatabase, key) != nullptr;
}

int Shards::OwnerOf(std::string_view key) const {
  const std::size_t slot = redis::KeySlot(key);
  const auto move = moves_.find(slot);
  if (move == moves_.end()) return view_.owner[slot];
  return HasKey(move->second.from, key) ? move->second.from : move->second.to;
}

void Shards::Tell(int node) {
  redis::ClusterView view = view_;
  view.myself = Id(node);
  topology_.server(Id(node)).SetClusterView(std::move(view));
  const int master = MasterOf(node);
  redis::Replication& its = topology_.engine(Id(node)).replication;
  const redis::MasterAddress& address = topology_.address(Id(master));
  if (master == node || its.master() == address) return;
  topology_.Reconfigure(Id(node), address);
}

void Shards::TellAll() {
  for (int node = 0; node < static_cast<int>(topology_.size()); ++node) {
    if (topology_.IsUp(Id(node))) Tell(node);
  }
}

void Shards::OnStart(int node) {
  view_.nodes[Id(node)].failed = false;
  TellAll();
}

int Shards::MasterOf(int node) const {
  const std::string& master = view_.nodes[Id(node)].master_id;
  return master.empty() ? node : NodeOf(master);
}

std::optional<int> Shards::ReplicaOf(int master) {
  for (int node = 0; node < static_cast<int>(topology_.size()); ++node) {
    if (node != master && MasterOf(node) == master && Serves(node)) return node;
  }
  return std::nullopt;
}

void Shards::Promote(int replica) {
  const int old = MasterOf(replica);
  view_.owner.Replace(static_cast<std::int16_t>(old), static_cast<std::int16_t>(replica));
  redis::ClusterNode& promoted = view_.nodes[Id(replica)];
  promoted.master_id.clear();
  promoted.config_epoch = ++view_.current_epoch;
  for (redis::ClusterNode& node : view_.nodes) {
    const bool follows =
        &node == &view_.nodes[Id(old)] || node.master_id == view_.nodes[Id(old)].id;
    if (follows) node.master_id = promoted.id;
  }
  view_.nodes[Id(old)].failed = true;
  // A slot that was on its way from or to the old master stays where it is.
  std::erase_if(moves_,
                [&](const auto& one) { return one.second.from == old || one.second.to == old; });
  redis::Server& server = topology_.server(Id(replica));
  (void)server.Configure("replicaof", "");
  server.engine().replication.Promote();
  TellAll();
}

std::map<std::size_t, std::vector<std::string>> Shards::KeysBySlot(int node) const {
  std::map<std::size_t, std::vector<std::string>> keys;
  for (auto& info : topology_.server(Id(node)).PeekKeys(kDatabase)) {
    keys[redis::KeySlot(info.key)].push_back(std::move(info.key));
  }
  return keys;
}

std::map<int, std::map<std::size_t, std::vector<std::string>>> Shards::KeysOfMasters() const {
  std::map<int, std::map<std::size_t, std::vector<std::string>>> all;
  for (int node = 0; node < static_cast<int>(topology_.size()); ++node) {
    if (MasterOf(node) == node) all[node] = KeysBySlot(node);
  }
  return all;
}

int Shards::NextMaster(int master) const {
  int node = master;
  do {
    node = (node + 1) % static_cast<int>(view_.nodes.size());
  } while (!view_.nodes[Id(node)].master_id.empty());
  return node;
}

void Shards::Give(std::size_t slot, const Move& move) {
  view_.owner.Set(slot, static_cast<std::int16_t>(move.to));
  view_.nodes[Id(move.to)].config_epoch = ++view_.current_epoch;
}

bool Shards::CanMove() const {
  if (migrating_ || !moves_.empty()) return false;
  bool has_keys = false;
  for (int node = 0; node < static_cast<int>(topology_.size()); ++node) {
    if (MasterOf(node) != node) continue;
    if (!Serves(node)) return false;
    has_keys = has_keys || !topology_.server(Id(node)).PeekKeys(kDatabase).empty();
  }
  return has_keys;
}

void Shards::BeginMove(const Execute& execute) {
  const auto all = KeysOfMasters();
  for (const auto& [master, slots] : all) {
    const Move move{master, NextMaster(master)};
    for (const auto& [slot, keys] : slots) {
      moves_[slot] = move;
      topology_.engine(Id(move.to)).cluster.importing()[slot] = view_.nodes[Id(move.from)].id;
      topology_.engine(Id(move.from)).cluster.migrating()[slot] = view_.nodes[Id(move.to)].id;
    }
  }
  for (const auto& [master, slots] : all) {
    for (const auto& [slot, keys] : slots) {
      for (std::size_t i = 0; i < (keys.size() + 1) / 2; ++i) {
        MoveKey(moves_.at(slot), keys[i], execute);
      }
    }
  }
}

bool Shards::EndMove(const Execute& execute) {
  for (const auto& [slot, move] : moves_) {
    if (!Serves(move.from) || !Serves(move.to)) return false;
  }
  // Executing may not change what is iterated over.
  const std::map<std::size_t, Move> moves = moves_;
  std::map<int, std::map<std::size_t, std::vector<std::string>>> left;
  for (const auto& [slot, move] : moves) {
    if (!left.contains(move.from)) left[move.from] = KeysBySlot(move.from);
    for (const std::string& key : left[move.from][slot]) {
      MoveKey(move, key, execute);
      if (HasKey(move.from, key)) return false;
    }
  }
  for (const auto& [slot, move] : moves) {
    topology_.engine(Id(move.to)).cluster.importing().erase(slot);
    topology_.engine(Id(move.from)).cluster.migrating().erase(slot);
    Give(slot, move);
  }
  moves_.clear();
  TellAll();
  return true;
}

// As MIGRATE does it.
void Shards::MoveKey(const Move& move, const std::string& key, const Execute& execute) {
  const redis::Engine& from = topology_.engine(Id(move.from));
  const redis::Entry* entry = from.keyspace.Peek(kDatabase, key);
  if (entry == nullptr) return;
  std::int64_t ttl_ms = 0;
  if (entry->expires_at_ms != redis::kNoExpiry) {
    ttl_ms = std::max<std::int64_t>(entry->expires_at_ms - from.now_ms(), 1);
  }
  execute(move.to, {"RESTORE-ASKING", key, std::to_string(ttl_ms),
                    redis::WritePayload(entry->data, from.dialect()), "REPLACE"});
  if (HasKey(move.to, key)) execute(move.from, {"DEL", key});
}

void Shards::ForEachRunning(const std::function<void(int, redis::SlotMigration&)>& act) {
  for (int node = 0; node < static_cast<int>(topology_.size()); ++node) {
    for (redis::SlotMigration& one : MigrationsOf(node).all()) {
      if (!one.IsOver()) act(node, one);
    }
  }
}

void Shards::BeginMigration(const Execute& execute, bool late) {
  migrating_ = true;
  for (const auto& [master, slots] : KeysOfMasters()) {
    if (slots.empty()) continue;
    redis::Argv order = {"CLUSTER", "MIGRATESLOTS", "SLOTSRANGE"};
    for (const auto& [slot, keys] : slots) order.insert(order.end(), 2, std::to_string(slot));
    order.insert(order.end(), {"NODE", view_.nodes[Id(NextMaster(master))].id});
    execute(master, order);
  }
  ForEachRunning([&](int node, redis::SlotMigration& one) {
    if (!one.exports) return;
    redis::SlotMigrations& exports = MigrationsOf(node);
    while (one.state < redis::SlotMigration::State::kFailoverGranted) {
      exports.Advance(one, MigrationsOf(NodeOf(one.target)));
    }
    if (late) exports.LetPauseRunOut(one);
  });
}

bool Shards::EndMigration() {
  migrating_ = false;
  bool lost = false;
  ForEachRunning([&](int node, redis::SlotMigration& one) {
    if (one.exports) return;
    const int source = NodeOf(one.source);
    const redis::SlotMigration* theirs = MigrationsOf(source).Find(one.name);
    if (!Serves(source) || !Serves(node) || theirs == nullptr || !theirs->IsClaimable()) return;
    lost = lost || theirs->IsOver();
    MigrationsOf(node).Claim(one, view_);
  });
  TellAll();
  ForEachRunning([this](int node, redis::SlotMigration& one) {
    MigrationsOf(node).LoseTouch(one);
    if (Serves(node)) topology_.engine(Id(node)).RunTimers();
  });
  return lost;
}

}  // namespace interlock::sim
