// SPDX-License-Identifier: MIT
#include "sim/shards.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "sim/redis/cluster_bus.h"
#include "sim/redis/engine.h"
#include "sim/redis/rdb/payload.h"

namespace interlock::sim {
namespace {

constexpr int kDatabase = 0;  // a cluster has no other one

}  // namespace

Shards::Shards(redis::Topology& topology, std::size_t masters)
    : topology_(topology), masters_(masters) {
  const redis::ClusterSpec spec{.masters = masters, .replicas = topology.size() / masters - 1};
  view_ = redis::ClusterBus::FirstView(topology, spec);
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
  if (master.empty()) return node;
  const auto found = std::ranges::find(view_.nodes, master, &redis::ClusterNode::id);
  return static_cast<int>(found - view_.nodes.begin());
}

std::optional<int> Shards::ReplicaOf(int master) {
  for (int node = 0; node < static_cast<int>(topology_.size()); ++node) {
    if (node != master && MasterOf(node) == master && Serves(node)) return node;
  }
  return std::nullopt;
}

void Shards::Promote(int replica) {
  const int old = MasterOf(replica);
  for (std::int16_t& owner : view_.owner) {
    if (owner == old) owner = static_cast<std::int16_t>(replica);
  }
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
  view_.owner[slot] = static_cast<std::int16_t>(move.to);
  view_.nodes[Id(move.to)].config_epoch = ++view_.current_epoch;
}

bool Shards::CanMove() const {
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
  const redis::Entry* entry = topology_.engine(Id(move.from)).keyspace.Peek(kDatabase, key);
  if (entry == nullptr) return;
  std::int64_t ttl_ms = 0;
  if (entry->expires_at_ms != redis::kNoExpiry) {
    const std::int64_t now_ms = topology_.engine(Id(move.from)).now_ms();
    ttl_ms = std::max<std::int64_t>(entry->expires_at_ms - now_ms, 1);
  }
  execute(move.to, {"RESTORE-ASKING", key, std::to_string(ttl_ms), redis::WritePayload(entry->data),
                    "REPLACE"});
  if (HasKey(move.to, key)) execute(move.from, {"DEL", key});
}

void Shards::BeginMigration() {
  for (const auto& [master, slots] : KeysOfMasters()) {
    for (const auto& [slot, keys] : slots) {
      Migration& migration = migrations_[slot];
      migration.move = {master, NextMaster(master)};
      for (const std::string& key : keys) {
        const redis::Entry* entry = topology_.engine(Id(master)).keyspace.Peek(kDatabase, key);
        migration.keys.emplace_back(key, *entry);
      }
    }
  }
}

// It lasts a bit longer, because the migration is to end it.
void Shards::PauseWrites(const Execute& execute, Duration length) {
  const auto whole = std::chrono::ceil<std::chrono::milliseconds>(length).count() + 1;
  for (const auto& [slot, migration] : migrations_) {
    if (std::ranges::count(paused_, migration.move.from) == 0) {
      paused_.push_back(migration.move.from);
    }
  }
  for (const int node : paused_) execute(node, {"CLIENT", "PAUSE", std::to_string(whole), "WRITE"});
}

bool Shards::EndMigration() {
  const std::map<std::size_t, Migration> migrations = std::exchange(migrations_, {});
  const bool all_serve = std::ranges::all_of(migrations, [&](const auto& one) {
    return Serves(one.second.move.from) && Serves(one.second.move.to);
  });
  if (!all_serve) return false;
  for (const auto& [slot, migration] : migrations) {
    Take(migration);
    Give(slot, migration.move);
    const auto keys = KeysBySlot(migration.move.from);
    const auto stale = keys.find(slot);
    if (stale == keys.end()) continue;
    redis::Keyspace& keyspace = topology_.engine(Id(migration.move.from)).keyspace;
    for (const std::string& key : stale->second) keyspace.Remove(kDatabase, key);
  }
  TellAll();
  return true;
}

void Shards::EndPauses(const Execute& execute) {
  for (const int node : std::exchange(paused_, {})) {
    if (Serves(node)) execute(node, {"CLIENT", "UNPAUSE"});
  }
}

// Not by commands: a key may be at its last millisecond, which RESTORE would not give it.
void Shards::Take(const Migration& migration) {
  redis::Engine& target = topology_.engine(Id(migration.move.to));
  for (const auto& [key, entry] : migration.keys) {
    if (entry.IsExpiredAt(target.now_ms())) continue;
    target.keyspace.Remove(kDatabase, key);
    target.keyspace.Add(kDatabase, key, redis::Data(entry.data), entry.expires_at_ms);
  }
}

}  // namespace interlock::sim
