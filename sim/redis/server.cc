// SPDX-License-Identifier: MIT
#include "sim/redis/server.h"

#include <algorithm>

#include "sim/redis/engine.h"
#include "sim/redis/surroundings.h"

namespace interlock::sim::redis {

namespace {

template <typename T>
const T* Peek(const Keyspace& keyspace, int database, std::string_view key) {
  const Entry* entry = keyspace.Peek(database, key);
  return entry == nullptr ? nullptr : std::get_if<T>(&entry->data);
}

}  // namespace

struct Server::State : Engine {
  void Read(const ConfigurationFile& from);

  ConfigurationFile file;                 // redis.conf
  Config config_of_file = FreshConfig();  // its settings,
  std::string wrong_in_file;              // except this invalid one
};

bool WouldHold(Server& server, ClientId client, const Argv& argv) {
  Engine& engine = server.engine();
  if (!engine.pause.active()) return false;
  const Client* from = engine.clients.Find(client);
  const Command* command = FindCommand(server.dialect(), std::span<const std::string>(argv));
  if (from == nullptr || command == nullptr) return false;
  const std::vector<std::string_view> args(argv.begin(), argv.end());
  return engine.pause.Holds(engine.admission.EffectiveFlags(*from, *command, args));
}

void ShowParameter(Server& server, std::string_view name, std::string_view value) {
  server.engine().caller_acts = true;
  (void)server.Configure(name, value);
  server.engine().caller_acts = false;
}

void SetUnreplicated(Server& server) { server.engine().unreplicated = true; }

void SetBuffersOf(Server& server, BuffersOf buffers) {
  server.engine().buffers_of = std::move(buffers);
}

void Server::State::Read(const ConfigurationFile& from) {
  file = from;
  wrong_in_file.clear();
  config_of_file = FreshConfig();
  std::string reason;
  for (const auto& [name, value] : from) {
    const Parameter* parameter = FindParameter(dialect(), name);
    if (parameter != nullptr && SetParameter(*parameter, value, &config_of_file, &reason)) continue;
    config_of_file = FreshConfig();
    wrong_in_file = name + " " + value;
    return;
  }
}

Server::Server() : state_(std::make_unique<State>()) {}
Server::~Server() = default;

void Server::SetSink(Sink* sink) { state_->sink = sink; }
std::string Server::Reset(const ConfigurationFile& file) {
  if (state_->file != file) state_->Read(file);
  state_->Reset(state_->config_of_file);
  return state_->wrong_in_file;
}

Engine& Server::engine() { return *state_; }
void Server::SetDialect(const Dialect& dialect) { state_->SetDialect(dialect); }
const Dialect& Server::dialect() const { return state_->dialect(); }
void Server::SetDiskFault(const DiskFault& fault) { state_->persistence.fault = fault; }
void Server::SetSnapshotTime(std::int64_t us) { state_->persistence.child_us = us; }
std::size_t Server::unsynced_units() { return state_->persistence.unsynced_units(); }
void Server::Kill(const Crash& crash) { state_->Kill(crash); }

void Server::Start(std::int64_t loading_us) {
  state_->SetConfig(state_->config_of_file);
  state_->Start(loading_us);
}

void Server::SetTime(std::int64_t unix_us) { state_->SetTime(unix_us); }
std::int64_t Server::time_us() const { return state_->now_us; }

std::string Server::Configure(std::string_view name, std::string_view value) {
  const Parameter* parameter = FindParameter(dialect(), name);
  if (parameter == nullptr) return "unknown parameter '" + std::string(name) + "'";
  std::string reason;
  Config changed = state_->config();
  if (!SetParameter(*parameter, value, &changed, &reason)) return reason;
  const std::string before = FormatParameter(state_->config(), *parameter);
  const bool acted_upon =
      IsActedUpon(*parameter) && !(state_->unreplicated && parameter->name == "replicaof");
  if (!state_->caller_acts && !acted_upon && FormatParameter(changed, *parameter) != before) {
    return "nothing acts upon this parameter here; it is '" + before + "'";
  }
  state_->SetConfig(changed);
  state_->file.emplace_back(name, value);
  SetParameter(*parameter, value, &state_->config_of_file, &reason);
  return {};
}

void Server::SetHighestProtocol(int version) { state_->highest_protocol = version; }
void Server::SetUnmodelledIsError(bool is_error) { state_->unmodelled_is_error = is_error; }

void Server::SetRandom(Random random) { state_->dice.SetSource(std::move(random)); }
void Server::SetLongScriptHandler(std::function<void()> handler) {
  state_->script_turn.SetHandler(std::move(handler));
}
void Server::SetScriptMemory(std::size_t bytes) { state_->script_memory = bytes; }

void SetWatcher(Server& server, Watcher watcher) { server.engine().watcher = std::move(watcher); }

void Server::SetShutdown(std::function<void()> shutdown) { state_->shutdown = std::move(shutdown); }
void Server::SetClusterView(ClusterView view) {
  state_->cluster.SetView(std::move(view));
  state_->AfterCommand();
}
const ClusterView* Server::cluster_view() const {
  return state_->cluster.enabled() ? &state_->cluster.view() : nullptr;
}

ClientId Server::Connect(std::string_view address) { return state_->Connect(address); }
void Server::Disconnect(ClientId client) { state_->Disconnect(client); }
void Server::Execute(ClientId client, const Argv& argv) { state_->Execute(client, argv); }

void Server::SetLongTurns(bool are_long) { state_->long_turns = are_long; }
void Server::EndTurn() { state_->EndTurn(); }

bool Server::IsConnected(ClientId client) const { return state_->clients.Find(client) != nullptr; }

bool Server::IsBlocked(ClientId client) const {
  const Client* found = state_->clients.Find(client);
  return found != nullptr && (found->wait || found->postponed || state_->stall.active() ||
                              state_->script_turn.InTheWayOf(client));
}

int Server::ProtocolOf(ClientId client) const {
  const Client* found = state_->clients.Find(client);
  return found == nullptr ? 2 : found->protocol;
}

bool Server::IsAuthenticated(ClientId client) const {
  const Client* found = state_->clients.Find(client);
  return found != nullptr && (found->authenticated || state_->config().requirepass.empty());
}

bool Server::IsSubscriber(ClientId client) const {
  const Client* found = state_->clients.Find(client);
  return found != nullptr && found->subscribed();
}

bool Server::IsTracked(ClientId client) const {
  const Client* found = state_->clients.Find(client);
  return found != nullptr && found->tracking.on;
}

std::string_view Server::NameOf(ClientId client) const {
  const Client* found = state_->clients.Find(client);
  return found == nullptr ? std::string_view() : found->name;
}

std::optional<std::int64_t> Server::NextTimerUs() const { return state_->NextTimerUs(); }
void Server::RunTimers() { state_->RunTimers(); }

void Server::RunActiveExpiry() {
  if (state_->tracking.on()) state_->tracking.LimitTable();
  if (!state_->active_expiry || state_->keyspace.expiry_mode() != ExpiryMode::kDelete) return;
  for (int database = 0; database < kDatabases; ++database) {
    state_->keyspace.DeleteExpired(database);
    if (state_->dialect().IsIn(kFieldTtls)) state_->keyspace.CollectFields(database);
  }
  state_->AfterCommand();
}

std::uint64_t Server::mutations() const { return state_->keyspace.mutations(); }
std::uint64_t Server::changes() const { return state_->keyspace.changes(); }

std::optional<std::string> Server::PeekString(int database, std::string_view key) const {
  const auto* text = Peek<std::string>(state_->keyspace, database, key);
  if (text == nullptr) return std::nullopt;
  return *text;
}

std::vector<std::string> Server::PeekList(int database, std::string_view key) const {
  const auto* list = Peek<List>(state_->keyspace, database, key);
  if (list == nullptr) return {};
  return {list->items.begin(), list->items.end()};
}

std::vector<std::pair<std::string, std::string>> Server::PeekHash(int database,
                                                                  std::string_view key) const {
  const auto* hash = Peek<Hash>(state_->keyspace, database, key);
  if (hash == nullptr) return {};
  std::vector<Hash::Item> items = hash->items();
  if (hash->timed()) {
    std::erase_if(items, [&](const Hash::Item& item) {
      return state_->keyspace.IsFieldOver(hash->ExpiryOf(item.first));
    });
  }
  return items;
}

std::vector<std::pair<std::string, double>> Server::PeekSortedSet(int database,
                                                                  std::string_view key) const {
  std::vector<std::pair<std::string, double>> items;
  if (const auto* zset = Peek<SortedSet>(state_->keyspace, database, key)) {
    for (const SortedSet::Item& item : zset->items()) items.emplace_back(item.member, item.score);
  }
  return items;
}

std::vector<Server::KeyInfo> Server::PeekKeys(int database) const {
  std::vector<KeyInfo> keys;
  VisitKeys(database, [&](std::string_view key, std::optional<std::int64_t> expires_at_ms) {
    keys.push_back({std::string(key), expires_at_ms});
  });
  return keys;
}

void Server::VisitKeys(int database, const KeyVisitor& visit) const {
  for (const auto& [key, entry] : state_->keyspace.keys(database)) {
    if (state_->keyspace.IsExpired(entry)) continue;
    const bool expires = entry.expires_at_ms != kNoExpiry;
    visit(key, expires ? std::optional(entry.expires_at_ms) : std::nullopt);
  }
}

std::optional<std::int64_t> Server::PeekExpiresAtMs(int database, std::string_view key) const {
  const Entry* entry = state_->keyspace.Peek(database, key);
  if (entry == nullptr || entry->expires_at_ms == kNoExpiry) return std::nullopt;
  return entry->expires_at_ms;
}

const std::optional<std::string>& Server::unmodelled() const { return state_->unmodelled; }

}  // namespace interlock::sim::redis
