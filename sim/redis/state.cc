// SPDX-License-Identifier: MIT
#include "sim/redis/state.h"

#include <algorithm>
#include <bit>
#include <iterator>
#include <string>
#include <variant>
#include <vector>

#include "sim/redis/engine.h"
#include "sim/redis/notifications.h"
#include "sim/redis/text.h"

namespace interlock::sim::redis {

namespace {

enum Mark : std::uint64_t { kKey = 1, kScripts, kWaiting, kClient, kChannel };

constexpr std::string_view kDescribed[] = {"append",
                                           "blmove",
                                           "blmpop",
                                           "blpop",
                                           "brpop",
                                           "brpoplpush",
                                           "bzpopmax",
                                           "bzpopmin",
                                           "decr",
                                           "decrby",
                                           "del",
                                           "delex",
                                           "delifeq",
                                           "digest",
                                           "echo",
                                           "eval",
                                           "evalsha",
                                           "exists",
                                           "expire",
                                           "expireat",
                                           "expiretime",
                                           "get",
                                           "getdel",
                                           "getex",
                                           "getrange",
                                           "getset",
                                           "hdel",
                                           "hexists",
                                           "hexpire",
                                           "hexpireat",
                                           "hexpiretime",
                                           "hget",
                                           "hgetall",
                                           "hgetdel",
                                           "hgetex",
                                           "hincrby",
                                           "hkeys",
                                           "hlen",
                                           "hmget",
                                           "hmset",
                                           "hpersist",
                                           "hpexpire",
                                           "hpexpireat",
                                           "hpexpiretime",
                                           "hpttl",
                                           "hset",
                                           "hsetex",
                                           "hsetnx",
                                           "httl",
                                           "hvals",
                                           "incr",
                                           "incrby",
                                           "keys",
                                           "lindex",
                                           "llen",
                                           "lmove",
                                           "lpop",
                                           "lpush",
                                           "lpushx",
                                           "lrange",
                                           "lrem",
                                           "lset",
                                           "ltrim",
                                           "mget",
                                           "mset",
                                           "msetex",
                                           "persist",
                                           "pexpire",
                                           "pexpireat",
                                           "pexpiretime",
                                           "ping",
                                           "psetex",
                                           "psubscribe",
                                           "pttl",
                                           "publish",
                                           "punsubscribe",
                                           "rename",
                                           "rpop",
                                           "rpoplpush",
                                           "rpush",
                                           "sadd",
                                           "scard",
                                           "script",
                                           "set",
                                           "setex",
                                           "setnx",
                                           "sismember",
                                           "smembers",
                                           "srem",
                                           "subscribe",
                                           "time",
                                           "ttl",
                                           "type",
                                           "unlink",
                                           "unsubscribe",
                                           "zadd",
                                           "zcard",
                                           "zcount",
                                           "zincrby",
                                           "zrange",
                                           "zrangebyscore",
                                           "zrank",
                                           "zrem",
                                           "zremrangebyrank",
                                           "zremrangebyscore",
                                           "zscore"};
static_assert(std::is_sorted(std::begin(kDescribed), std::end(kDescribed)));

void DescribeData(const Data& data, StateSink& sink) {
  sink.Number(data.index());
  if (const auto* text = std::get_if<std::string>(&data)) return sink.Text(*text);
  if (const auto* list = std::get_if<List>(&data)) {
    sink.Number(list->items.size());
    for (const std::string& item : list->items) sink.Text(item);
  } else if (const auto* hash = std::get_if<Hash>(&data)) {
    sink.Number(hash->size());
    for (const auto& [field, value] : hash->items()) {
      sink.Text(field);
      sink.Text(value);
      if (hash->timed()) sink.Number(static_cast<std::uint64_t>(hash->ExpiryOf(field)));
    }
  } else if (const auto* set = std::get_if<Set>(&data)) {
    sink.Number(set->size());
    for (const std::string& member : set->Members()) sink.Text(member);
  } else if (const auto* sorted = std::get_if<SortedSet>(&data)) {
    sink.Number(sorted->size());
    for (const SortedSet::Item& item : sorted->items()) {
      sink.Text(item.member);
      sink.Number(std::bit_cast<std::uint64_t>(item.score));
    }
  }
}

void DescribeKeys(const Engine& engine, StateSink& sink) {
  const Keyspace& keyspace = engine.keyspace;
  const bool announced = AnnouncesExpiry(engine);
  for (int database = 0; database < kDatabases; ++database) {
    for (const auto& [key, entry] : keyspace.keys(database)) {
      if (keyspace.IsExpired(entry) && !announced) continue;
      sink.BeginPart();
      sink.Number(kKey);
      sink.Number(static_cast<std::uint64_t>(database));
      sink.Text(key);
      sink.Number(static_cast<std::uint64_t>(entry.expires_at_ms));
      DescribeData(entry.data, sink);
    }
  }
}

void DescribeWaiting(const std::vector<const Client*>& waiting, StateSink& sink) {
  sink.BeginPart();
  sink.Number(kWaiting);
  for (const Client* client : waiting) {
    sink.OfClient(client->id);
    sink.Number(static_cast<std::uint64_t>(client->wait->deadline_ms));
    for (const std::string& key : client->wait->keys) sink.Text(key);
  }
}

void DescribeClient(const Client& client, StateSink& sink) {
  if (client.pending.empty()) return;
  sink.BeginPart();
  sink.Number(kClient);
  sink.OfClient(client.id);
  for (const Argv& argv : client.pending) {
    sink.Number(argv.size());
    for (const std::string& argument : argv) sink.Text(argument);
  }
}

}  // namespace

void DescribeState(Engine& engine, StateSink& sink) {
  DescribeKeys(engine, sink);
  DescribeStateButKeys(engine, sink);
}

void DescribeStateButKeys(Engine& engine, StateSink& sink) {
  engine.tracking.Describe(sink);
  sink.BeginPart();
  sink.Number(kScripts);
  sink.Number(engine.scripting.known());
  std::vector<const Client*> waiting;
  for (const auto& client : engine.clients.all()) {
    if (client == nullptr) continue;
    if (client->wait) waiting.push_back(client.get());
    DescribeClient(*client, sink);
  }
  if (!waiting.empty()) {
    std::sort(waiting.begin(), waiting.end(),
              [](const Client* a, const Client* b) { return a->wait->order < b->wait->order; });
    DescribeWaiting(waiting, sink);
  }
  for (const auto kind :
       {Subscription::kChannel, Subscription::kPattern, Subscription::kShardChannel}) {
    for (const auto& [name, clients] : engine.pubsub.subscribers(kind)) {
      sink.BeginPart();
      sink.Number(kChannel + static_cast<std::uint64_t>(kind));
      sink.Text(name);
      for (const ClientId client : clients) sink.OfClient(client);
    }
  }
}

bool AnnouncesExpiry(const Engine& engine) {
  return (engine.config().notify_keyspace_events & kNotifyExpired) != 0;
}

bool IsDescribed(std::string_view name) {
  const bool lower = std::none_of(name.begin(), name.end(), [](char c) { return c < 'a'; });
  return std::binary_search(std::begin(kDescribed), std::end(kDescribed),
                            lower ? name : std::string_view(ToLower(name)));
}

}  // namespace interlock::sim::redis
