// SPDX-License-Identifier: MIT
#include "sim/redis/replication.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "sim/redis/engine.h"

namespace interlock::sim::redis {

namespace {

constexpr std::string_view kForcedUnblock =
    "UNBLOCKED force unblock from blocking operation, instance state changed (master -> replica?)";

// 40 hexadecimal digits, different at every call (SplitMix64).
void NextId(std::uint64_t* state, std::string* id) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  id->resize(40);
  for (std::size_t at = 0; at < id->size();) {
    *state += 0x9E3779B97F4A7C15U;
    std::uint64_t mixed = *state;
    mixed = (mixed ^ (mixed >> 30)) * 0xBF58476D1CE4E5B9U;
    mixed = (mixed ^ (mixed >> 27)) * 0x94D049BB133111EBU;
    mixed ^= mixed >> 31;
    for (int digit = 0; digit < 8; ++digit, mixed >>= 4) (*id)[at++] = kDigits[mixed & 15];
  }
}

bool IsLinkCommand(const Effect& effect) {
  return effect.argv[0] == "REPLCONF" || effect.argv[0] == "PING";
}

}  // namespace

Replication::Replication(Engine& engine) : engine_(engine) { Reset(0); }

void Replication::Reset(std::uint64_t identity) {
  master_.reset();
  link_ = MasterLink::kConnect;
  link_down_since_s_ = 0;
  last_heard_s_ = 0;
  ++epoch_;
  random_ = identity;
  ids_made_ = false;
  second_id_.assign(40, '0');
  second_offset_ = -1;
  backlog_ = false;
  replicas_.clear();
  good_replicas_ = 0;
  acknowledgements_wanted_ = false;
}

Replication::Ids& Replication::ids() const {
  if (!std::exchange(ids_made_, true)) {
    NextId(&random_, &ids_.run);
    NextId(&random_, &ids_.history);
  }
  return ids_;
}

std::int64_t Replication::now_s() const { return engine_.now_us / 1000000; }

// Without a backlog the journal may be running only for the append-only file, whose commands are
// counted since Redis 7.2.
std::int64_t Replication::offset() const {
  if (backlog_) return engine_.journal.offset();
  return engine_.dialect().since_72 ? engine_.journal.commands() : 0;
}

void Replication::StartBacklog(std::int64_t offset) {
  backlog_ = true;
  engine_.journal.StartStream(offset);
  backlog_first_offset_ = offset;
  backlog_first_unit_ = engine_.journal.end_index();
  engine_.UpdateJournal();
}

void Replication::Follow(MasterAddress master) {
  std::vector<ClientId> blocked;
  for (const std::unique_ptr<Client>& client : engine_.clients.all()) {
    if (client != nullptr && client->wait) blocked.push_back(client->id);
  }
  engine_.blocking.UnblockAll(kForcedUnblock);
  for (const ClientId id : blocked) {
    if (Client* client = engine_.clients.Find(id)) engine_.Close(*client);
  }
  master_ = std::move(master);
  ++epoch_;
  acknowledgements_wanted_ = false;
  link_ = MasterLink::kConnect;
  link_down_since_s_ = now_s();
  engine_.OnRoleChanged();
}

void Replication::Promote() {
  if (!master_) return;
  master_.reset();
  ++epoch_;
  second_id_ = ids().history;
  second_offset_ = offset() + 1;
  NextId(&random_, &ids().history);
  // They return with the new id, and need only what follows.
  DetachAll();
  engine_.journal.ForgetDatabase();
  engine_.OnRoleChanged();
}

void Replication::SetLink(MasterLink link) {
  if (link_ == MasterLink::kConnected && link != link_) link_down_since_s_ = now_s();
  link_ = link;
  last_heard_s_ = now_s();
}

bool Replication::HeardNothing() const {
  return link_ != MasterLink::kConnect && now_s() - last_heard_s_ > engine_.config().repl_timeout;
}

void Replication::Load(const Snapshot& snapshot) {
  DetachAll();
  ReplaceData(engine_, snapshot.data);
  ids().history = snapshot.point.id;
  second_id_.assign(40, '0');
  second_offset_ = -1;
  StartBacklog(snapshot.point.offset);
  SetLink(MasterLink::kConnected);
  engine_.persistence.OnDataReplaced();
}

void Replication::Continue(const std::string& id) {
  if (id != ids().history) {
    second_id_ = ids().history;
    second_offset_ = offset() + 1;
    ids().history = id;
    DetachAll();
  }
  if (!backlog_) StartBacklog(0);
  SetLink(MasterLink::kConnected);
}

bool Replication::Apply(const Unit& unit) {
  bool asks = false;
  engine_.keyspace.SetExpiryMode(ExpiryMode::kIgnore);
  engine_.journal.SetMuted(true);
  for (const Effect& effect : unit.effects) {
    asks = asks || effect.argv[0] == "REPLCONF";
    if (!IsLinkCommand(effect)) engine_.RunEffect(effect);
  }
  engine_.journal.SetMuted(false);
  engine_.journal.Append(unit);
  engine_.UpdateExpiryMode();
  last_heard_s_ = now_s();
  engine_.AfterCommand();
  return asks;
}

bool Replication::InBacklog(std::int64_t offset) const {
  return backlog_ && offset >= backlog_start() && offset <= engine_.journal.offset();
}

std::int64_t Replication::backlog_start() const {
  return std::max(backlog_first_offset_,
                  engine_.journal.offset() - engine_.config().repl_backlog_size);
}

bool Replication::CanContinue(const ReplicationPoint& point) const {
  const bool known =
      point.id == ids().history || (point.id == second_id_ && point.offset < second_offset_);
  return known && InBacklog(point.offset);
}

Snapshot Replication::TakeSnapshot() {
  if (!backlog_) {
    NextId(&random_, &ids().history);
    second_id_.assign(40, '0');
    second_offset_ = -1;
    StartBacklog(offset());
  }
  engine_.journal.ForgetDatabase();
  return {TakeData(engine_), point()};
}

std::uint64_t Replication::Attach(MasterAddress replica,
                                  const std::optional<ReplicationPoint>& point) {
  Replica attached;
  attached.handle = ++last_handle_;
  attached.address = std::move(replica);
  attached.acknowledged_at_s = now_s();
  const Journal& journal = engine_.journal;
  attached.next_unit = journal.end_index();
  if (point) {
    attached.online = true;
    const std::uint64_t first = std::max(journal.first_index(), backlog_first_unit_);
    while (attached.next_unit > first &&
           journal.unit(attached.next_unit - 1).end_offset > point->offset) {
      --attached.next_unit;
    }
  }
  replicas_.push_back(std::move(attached));
  CountGoodReplicas();
  return last_handle_;
}

void Replication::SetOnline(std::uint64_t handle) {
  Replica* replica = Find(handle);
  if (replica == nullptr) return;
  replica->online = true;
  replica->acknowledged_at_s = now_s();
  CountGoodReplicas();
}

void Replication::Detach(std::uint64_t handle) {
  std::erase_if(replicas_, [&](const Replica& replica) { return replica.handle == handle; });
  CountGoodReplicas();
}

void Replication::DetachAll() {
  replicas_.clear();
  CountGoodReplicas();
}

Replication::Replica* Replication::Find(std::uint64_t handle) {
  for (Replica& replica : replicas_) {
    if (replica.handle == handle) return &replica;
  }
  return nullptr;
}

void Replication::CountGoodReplicas() {
  good_replicas_ = std::count_if(replicas_.begin(), replicas_.end(), [&](const Replica& replica) {
    return replica.online &&
           now_s() - replica.acknowledged_at_s <= engine_.config().min_replicas_max_lag;
  });
}

void Replication::OnConfigChanged() { CountGoodReplicas(); }

void Replication::RunCron(std::int64_t uptime_s) {
  std::erase_if(replicas_, [&](const Replica& replica) {
    return replica.online && now_s() - replica.acknowledged_at_s > engine_.config().repl_timeout;
  });
  if (!master_ && !replicas_.empty() && uptime_s % engine_.config().repl_ping_replica_period == 0) {
    engine_.journal.AddLinkCommand({"PING"});
  }
  CountGoodReplicas();
}

void Replication::RequestAcknowledgements() {
  if (!std::exchange(acknowledgements_wanted_, false)) return;
  if (replicas_.empty()) {
    if (!backlog_) engine_.journal.CountCommand();
    return;
  }
  engine_.journal.AddLinkCommand({"REPLCONF", "GETACK", "*"});
}

std::uint64_t Replication::first_needed_unit() const {
  const Journal& journal = engine_.journal;
  std::uint64_t index = journal.end_index();
  for (const Replica& replica : replicas_) index = std::min(index, replica.next_unit);
  if (!backlog_) return index;
  std::uint64_t kept = std::max(journal.first_index(), backlog_first_unit_);
  while (kept < index && journal.unit(kept).end_offset <= backlog_start()) ++kept;
  return std::min(index, kept);
}

bool Replication::TooFewReplicas() const {
  return !master_ && engine_.config().min_replicas_to_write > 0 &&
         engine_.config().min_replicas_max_lag > 0 &&
         good_replicas_ < engine_.config().min_replicas_to_write;
}

bool Replication::ReadOnly(const Client& client) const {
  return master_ && engine_.config().replica_read_only && !client.from_master;
}

bool Replication::Stale() const {
  return master_ && link_ != MasterLink::kConnected && !engine_.config().replica_serve_stale_data;
}

std::string Replication::Info() const {
  std::string text;
  const auto line = [&](std::string_view name, const auto& value) {
    text.append(name).append(":");
    if constexpr (std::is_integral_v<std::decay_t<decltype(value)>>) {
      text.append(std::to_string(value));
    } else {
      text.append(value);
    }
    text.append("\r\n");
  };
  const Config& config = engine_.config();
  line("role", master_ ? "slave" : "master");
  if (master_) {
    const bool connected = link_ == MasterLink::kConnected;
    line("master_host", master_->host);
    line("master_port", master_->port);
    line("master_link_status", connected ? "up" : "down");
    line("master_last_io_seconds_ago", connected ? now_s() - last_heard_s_ : std::int64_t{-1});
    line("master_sync_in_progress", link_ == MasterLink::kSync ? 1 : 0);
    line("slave_read_repl_offset", offset());
    line("slave_repl_offset", offset());
    if (!connected) line("master_link_down_since_seconds", now_s() - link_down_since_s_);
    line("slave_priority", config.replica_priority);
    line("slave_read_only", config.replica_read_only);
    line("replica_announced", config.replica_announced);
  }
  line("connected_slaves", replicas_.size());
  if (engine_.dialect().valkey) line("replicas_waiting_psync", 0);
  if (config.min_replicas_to_write != 0 && config.min_replicas_max_lag != 0) {
    line("min_slaves_good_slaves", good_replicas_);
  }
  std::size_t number = 0;
  for (const Replica& replica : replicas_) {
    line("slave" + std::to_string(number++),
         "ip=" + replica.address.host + ",port=" + std::to_string(replica.address.port) +
             ",state=" + (replica.online ? "online" : "wait_bgsave") +
             ",offset=" + std::to_string(replica.acknowledged) +
             ",lag=" + std::to_string(replica.online ? now_s() - replica.acknowledged_at_s : 0));
  }
  line("master_failover_state", "no-failover");
  line("master_replid", id());
  line("master_replid2", second_id_);
  line("master_repl_offset", offset());
  line("second_repl_offset", second_offset_);
  line("repl_backlog_active", backlog_ ? 1 : 0);
  line("repl_backlog_size", config.repl_backlog_size);
  line("repl_backlog_first_byte_offset", backlog_ ? backlog_start() + 1 : 0);
  line("repl_backlog_histlen", backlog_ ? offset() - backlog_start() : 0);
  return text;
}

}  // namespace interlock::sim::redis
