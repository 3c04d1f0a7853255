// SPDX-License-Identifier: MIT
#include "sim/redis/blocking.h"

#include <algorithm>
#include <cmath>

#include "sim/redis/engine.h"
#include "sim/redis/text.h"

namespace interlock::sim::redis {

void Blocking::Reset() {
  waiters_.clear();
  deadlines_.clear();
  unblocked_.clear();
  block_count_ = 0;
}

void Blocking::Block(Client& client, Wait wait) {
  wait.order = ++block_count_;
  for (const std::string& key : wait.keys) {
    waiters_[{wait.database, key}].push_back(client.id);
  }
  if (wait.deadline_ms != 0) deadlines_.emplace(wait.deadline_ms, wait.order, client.id);
  client.wait = std::move(wait);
  engine_.keyspace.TrackNewLists(!waiters_.empty());
}

void Blocking::Unblock(Client& client) {
  const Wait wait = std::move(*client.wait);
  client.wait.reset();
  for (const std::string& key : wait.keys) {
    const auto at = waiters_.find({wait.database, key});
    std::erase(at->second, client.id);
    if (at->second.empty()) waiters_.erase(at);
  }
  if (wait.deadline_ms != 0) deadlines_.erase({wait.deadline_ms, wait.order, client.id});
  engine_.keyspace.TrackNewLists(!waiters_.empty());
  unblocked_.push_back(client.id);
}

void Blocking::ServeNewLists() {
  // Serving a BLMOVE may make further lists; they come after all that are ready now.
  while (engine_.keyspace.HasNewLists()) {
    for (const Key& key : engine_.keyspace.TakeNewLists()) ServeList(key);
  }
}

void Blocking::ServeList(const Key& key) {
  for (;;) {
    const auto at = waiters_.find(key);
    if (at == waiters_.end()) return;
    const Entry* entry = engine_.keyspace.Find(key.first, key.second);
    if (entry == nullptr || !std::holds_alternative<List>(entry->data)) return;
    Serve(*engine_.FindClient(at->second.front()), key);
  }
}

void Blocking::Serve(Client& client, const Key& key) {
  const Wait wait = *client.wait;
  Unblock(client);
  Keyspace& keyspace = engine_.keyspace;
  if (wait.kind == Wait::Kind::kPop) {
    List& list = std::get<List>(keyspace.Find(key.first, key.second)->data);
    std::string item = list.Pop(wait.from_left);
    if (list.items.empty()) keyspace.Remove(key.first, key.second);
    keyspace.Touch(key.first, key.second);
    engine_.Emit(client, ArrayValue({StringValue(key.second), StringValue(item)}));
    return;
  }
  const Entry* target = keyspace.Find(key.first, wait.destination);
  if (target != nullptr && !std::holds_alternative<List>(target->data)) {
    engine_.Emit(client, ErrorValue(kWrongType));
    return;
  }
  engine_.Emit(client, StringValue(MoveElement(keyspace, key.first, key.second, wait.from_left,
                                               wait.destination, wait.to_left)));
}

void Blocking::ReplyTimeout(Client& client) {
  engine_.Emit(client,
               client.wait->kind == Wait::Kind::kReplicas ? IntegerValue(0) : NilArrayValue());
}

void Blocking::RunTimers() {
  while (!deadlines_.empty() && std::get<0>(*deadlines_.begin()) <= engine_.now_ms()) {
    Client& client = *engine_.FindClient(std::get<2>(*deadlines_.begin()));
    ReplyTimeout(client);
    Unblock(client);
  }
}

std::optional<std::int64_t> Blocking::NextDeadlineMs() const {
  if (deadlines_.empty()) return std::nullopt;
  return std::get<0>(*deadlines_.begin());
}

std::string MoveElement(Keyspace& keyspace, int database, std::string_view source, bool from_left,
                        std::string_view destination, bool to_left) {
  List& from = std::get<List>(keyspace.Find(database, source)->data);
  std::string item = from.Pop(from_left);
  Entry* entry = keyspace.Find(database, destination);
  if (entry == nullptr) entry = &keyspace.Add(database, destination, List());
  std::get<List>(entry->data).Push(to_left, item);
  keyspace.Touch(database, destination);
  // Moving within one list never leaves it empty: the element has come back by now.
  if (from.items.empty()) keyspace.Remove(database, source);
  keyspace.Touch(database, source);
  return item;
}

bool ParseTimeout(Context& context, std::string_view text, std::int64_t* deadline_ms) {
  long double seconds = 0;
  if (!ParseLongDouble(text, &seconds)) {
    context.Error("ERR timeout is not a float or out of range");
    return false;
  }
  const long double milliseconds = std::ceil(seconds * 1000.0L);
  // What does not fit turns negative on x86, and Redis says so.
  constexpr long double kTooLarge = 9223372036854775807.0L;
  const long double now = static_cast<long double>(context.engine.now_ms());
  if (milliseconds < 0 || milliseconds + now >= kTooLarge) {
    context.Error("ERR timeout is negative");
    return false;
  }
  *deadline_ms = static_cast<std::int64_t>(milliseconds);
  if (*deadline_ms > 0) *deadline_ms += context.engine.now_ms();
  return true;
}

}  // namespace interlock::sim::redis
