// SPDX-License-Identifier: MIT
#include "sim/redis/blocking.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "sim/redis/engine.h"
#include "sim/redis/text.h"

namespace interlock::sim::redis {

void Blocking::Reset() {
  waiters_.clear();
  deadlines_.clear();
  unblocked_.clear();
  block_count_ = 0;
  disk_waits_ = 0;
}

void Blocking::Block(Client& client, Wait wait) {
  engine_.keyspace.TouchAll();
  wait.order = ++block_count_;
  for (const std::string& key : wait.keys) {
    auto at = waiters_.find(KeyView(wait.database, key));
    if (at == waiters_.end()) at = waiters_.try_emplace(Key(wait.database, key)).first;
    // A key that is named twice already has it at the end of its line.
    if (at->second.empty() || at->second.back() != client.id) at->second.push_back(client.id);
  }
  if (wait.deadline_ms != 0) deadlines_.emplace(wait.deadline_ms, wait.order, client.id);
  if (wait.for_own_disk) ++disk_waits_;
  client.wait = std::move(wait);
  engine_.keyspace.TrackReadyKeys(!waiters_.empty());
}

Wait Blocking::Unblock(Client& client) {
  engine_.keyspace.TouchAll();
  Wait wait = std::move(*client.wait);
  client.wait.reset();
  ++client.commands;
  if (wait.for_own_disk) --disk_waits_;
  for (const std::string& key : wait.keys) {
    const auto at = waiters_.find(KeyView(wait.database, key));
    if (at == waiters_.end()) continue;  // It was named twice.
    std::erase(at->second, client.id);
    if (at->second.empty()) waiters_.erase(at);
  }
  if (wait.deadline_ms != 0) deadlines_.erase({wait.deadline_ms, wait.order, client.id});
  engine_.keyspace.TrackReadyKeys(!waiters_.empty());
  unblocked_.push_back(client.id);
  return wait;
}

void Blocking::Block(Context& context, Arguments keys, Wait wait) {
  wait.database = context.database();
  wait.keys.assign(keys.begin(), keys.end());
  Block(context.client, std::move(wait));
  context.silent = true;
}

void Blocking::ServeReadyKeys() {
  // Serving a BLMOVE may make more lists ready; they come after those ready now.
  while (engine_.keyspace.HasReadyKeys()) {
    engine_.keyspace.TakeReadyKeys(&ready_);
    for (const Key& key : ready_) ServeKey(key);
  }
}

// A client waiting for another type than the key now holds keeps waiting, without blocking those
// behind it.
void Blocking::ServeKey(const Key& key) {
  for (;;) {
    const auto at = waiters_.find(KeyView(key));
    if (at == waiters_.end()) return;
    const Entry* entry = engine_.keyspace.Find(key.first, key.second);
    if (entry == nullptr) return;
    const auto next = std::find_if(at->second.begin(), at->second.end(), [&](ClientId id) {
      const Wait& wait = *engine_.clients.Find(id)->wait;
      return wait.serve != nullptr && wait.type == entry->data.index();
    });
    if (next == at->second.end()) return;
    Client& client = *engine_.clients.Find(*next);
    NoteEnd(client);
    const Wait wait = Unblock(client);
    engine_.ServeAs(client.id, [&] { Serve(client, wait, key.second); });
    engine_.journal.EndUnit();
  }
}

// Since Redis 7.2 a client that is woken runs its command again, and so takes the first of its keys
// that has something, whichever woke it.
void Blocking::Serve(Client& client, const Wait& wait, const std::string& woken_by) {
  if (!engine_.dialect().since_72) return wait.serve(engine_, client, wait, woken_by);
  for (const std::string& key : wait.keys) {
    const Entry* entry = engine_.keyspace.Find(wait.database, key);
    if (entry == nullptr) continue;
    if (entry->data.index() != wait.type) return ReplyError(client, kWrongType);
    return wait.serve(engine_, client, wait, key);
  }
}

void Blocking::MarkReadyKeys(int database) {
  const Database& keys = engine_.keyspace.keys(database);
  for (const auto& [key, clients] : waiters_) {
    if (key.first != database) continue;
    const auto at = keys.find(key.second);
    if (at != keys.end()) engine_.keyspace.MarkReady(database, key.second, at->second);
  }
}

// The time that its command took is known only now.
void Blocking::NoteEnd(const Client& client) {
  if (engine_.config().latency_tracking == 0) return;
  engine_.statistics.Of(*client.last_command).timed = true;
}

void Blocking::ReplyTimeout(Client& client) {
  NoteEnd(client);
  const Wait& wait = *client.wait;
  const bool for_replicas = wait.serve == nullptr;
  engine_.outbox.Emit(client,
                      for_replicas ? engine_.replication.Acknowledged(wait) : wait.timeout_reply);
}

void Blocking::ReplyError(Client& client, std::string_view error) {
  engine_.statistics.CountError(error);
  engine_.outbox.Emit(client, ErrorValue(error));
}

void Blocking::UnblockAll(std::string_view error) {
  for (const std::unique_ptr<Client>& client : engine_.clients.all()) {
    if (client == nullptr || !client->wait) continue;
    Unblock(*client);
    ReplyError(*client, error);
  }
}

void Blocking::RunTimers() {
  while (!deadlines_.empty() && std::get<0>(*deadlines_.begin()) <= engine_.now_ms()) {
    Client& client = *engine_.clients.Find(std::get<2>(*deadlines_.begin()));
    ReplyTimeout(client);
    Unblock(client);
  }
}

std::optional<std::int64_t> Blocking::NextDeadlineMs() const {
  if (deadlines_.empty()) return std::nullopt;
  return std::get<0>(*deadlines_.begin());
}

bool ParseTimeout(Context& context, std::string_view text, std::int64_t* deadline_ms) {
  long double seconds = 0;
  if (!ParseLongDouble(text, &seconds)) {
    context.Error("ERR timeout is not a float or out of range");
    return false;
  }
  const long double milliseconds = std::ceil(seconds * 1000.0L);
  // On x86 an overflow turns negative, and Redis reports it as such.
  constexpr long double kTooLarge = 9223372036854775807.0L;
  if (milliseconds > kTooLarge && context.engine.dialect().since_72) {
    context.Error("ERR timeout is out of range");
    return false;
  }
  if (milliseconds < 0 || milliseconds > kTooLarge) {
    context.Error("ERR timeout is negative");
    return false;
  }
  *deadline_ms = static_cast<std::int64_t>(milliseconds);
  if (*deadline_ms > 0 &&
      __builtin_add_overflow(*deadline_ms, context.engine.now_ms(), deadline_ms)) {
    *deadline_ms = std::numeric_limits<std::int64_t>::max();  // Never.
  }
  return true;
}

}  // namespace interlock::sim::redis
