// SPDX-License-Identifier: MIT
#include "sim/redis/pubsub.h"

#include <algorithm>
#include <utility>

#include "sim/redis/engine.h"
#include "sim/redis/text.h"

namespace interlock::sim::redis {

namespace {

struct Words {
  std::string_view subscribe;
  std::string_view unsubscribe;
  std::string_view message;
};

const Words& WordsOf(Subscription kind) {
  static constexpr Words kWords[] = {{"subscribe", "unsubscribe", "message"},
                                     {"psubscribe", "punsubscribe", "pmessage"},
                                     {"ssubscribe", "sunsubscribe", "smessage"}};
  return kWords[static_cast<std::size_t>(kind)];
}

// Shard channels are counted separately.
std::size_t Count(const Client& client, Subscription kind) {
  return kind == Subscription::kShardChannel ? client.shard_channels.size()
                                             : client.channels.size() + client.patterns.size();
}

Value Confirmation(std::string_view word, Value name, const Client& client, Subscription kind) {
  const auto count = static_cast<std::int64_t>(Count(client, kind));
  return PushValue({StringValue(word), std::move(name), IntegerValue(count)});
}

// False: the client has it already.
bool AddTo(Client& client, std::string_view name, Subscription kind) {
  if (kind == Subscription::kChannel) return client.channels.emplace(name).second;
  if (kind == Subscription::kShardChannel) return client.shard_channels.emplace(name).second;
  std::vector<std::string>& patterns = client.patterns;
  if (std::find(patterns.begin(), patterns.end(), name) != patterns.end()) return false;
  patterns.emplace_back(name);
  return true;
}

bool RemoveFrom(Client& client, std::string_view name, Subscription kind) {
  if (kind == Subscription::kPattern) return std::erase(client.patterns, name) > 0;
  auto& own = kind == Subscription::kChannel ? client.channels : client.shard_channels;
  const auto at = own.find(name);
  if (at == own.end()) return false;
  own.erase(at);
  return true;
}

// Patterns are in order of subscription.
std::vector<std::string> AllOf(const Client& client, Subscription kind) {
  if (kind == Subscription::kPattern) return client.patterns;
  const auto& own = kind == Subscription::kChannel ? client.channels : client.shard_channels;
  return {own.begin(), own.end()};
}

}  // namespace

void PubSub::Reset() {
  for (Subscribers& of_kind : subscribers_) of_kind.clear();
}

void PubSub::Subscribe(Client& client, std::string_view name, Subscription kind) {
  NoteChange(kind, name);
  if (AddTo(client, name, kind)) Of(kind)[std::string(name)].push_back(client.id);
  engine_.outbox.Emit(client,
                      Confirmation(WordsOf(kind).subscribe, StringValue(name), client, kind));
}

void PubSub::NoteChange(Subscription kind, std::string_view name) {
  Footprint* footprint = engine_.keyspace.footprint();
  if (footprint == nullptr) return;
  kind == Subscription::kChannel ? footprint->WriteChannel(name) : footprint->TouchAll();
}

void PubSub::Drop(Subscription kind, std::string_view name, ClientId id) {
  NoteChange(kind, name);
  const auto at = Of(kind).find(name);
  if (at == Of(kind).end()) return;
  std::erase(at->second, id);
  if (at->second.empty()) Of(kind).erase(at);
}

void PubSub::Unsubscribe(Client& client, std::string_view name, Subscription kind) {
  if (RemoveFrom(client, name, kind)) Drop(kind, name, client.id);
  engine_.outbox.Emit(client,
                      Confirmation(WordsOf(kind).unsubscribe, StringValue(name), client, kind));
}

void PubSub::UnsubscribeAll(Client& client, Subscription kind) {
  const std::vector<std::string> all = AllOf(client, kind);
  for (const std::string& name : all) Unsubscribe(client, name, kind);
  if (!all.empty()) return;
  engine_.outbox.Emit(client, Confirmation(WordsOf(kind).unsubscribe, NilValue(), client, kind));
}

void PubSub::Forget(Client& client) {
  if (!client.subscribed()) return;
  for (const Subscription kind :
       {Subscription::kChannel, Subscription::kPattern, Subscription::kShardChannel}) {
    for (const std::string& name : AllOf(client, kind)) Drop(kind, name, client.id);
  }
  client.channels.clear();
  client.patterns.clear();
  client.shard_channels.clear();
}

void PubSub::Tell(ClientId id, Value message) {
  if (id == engine_.executing() && engine_.dialect().since_72) {
    for_caller_.push_back(std::move(message));
  } else {
    engine_.outbox.Emit(id, std::move(message));
  }
}

void PubSub::TellCaller(ClientId id) {
  if (for_caller_.empty()) return;
  for (Value& message : std::exchange(for_caller_, {})) engine_.outbox.Emit(id, std::move(message));
}

std::int64_t PubSub::Deliver(Subscription kind, std::string_view channel,
                             std::string_view message) {
  if (Footprint* footprint = engine_.keyspace.footprint()) footprint->ReadChannel(channel);
  const auto at = Of(kind).find(channel);
  if (at == Of(kind).end()) return 0;
  engine_.keyspace.TouchAll();  // Others are told, and their order matters.
  for (const ClientId id : at->second) {
    Tell(id, PushValue(
                 {StringValue(WordsOf(kind).message), StringValue(channel), StringValue(message)}));
  }
  return static_cast<std::int64_t>(at->second.size());
}

std::int64_t PubSub::Publish(std::string_view channel, std::string_view message) {
  std::int64_t deliveries = Deliver(Subscription::kChannel, channel, message);
  for (const auto& [pattern, subscribers] : Of(Subscription::kPattern)) {
    if (!GlobMatch(pattern, channel)) continue;
    engine_.keyspace.TouchAll();
    for (const ClientId id : subscribers) {
      Tell(id, PushValue({StringValue(WordsOf(Subscription::kPattern).message),
                          StringValue(pattern), StringValue(channel), StringValue(message)}));
      ++deliveries;
    }
  }
  return deliveries;
}

std::int64_t PubSub::PublishToShard(std::string_view channel, std::string_view message) {
  return Deliver(Subscription::kShardChannel, channel, message);
}

}  // namespace interlock::sim::redis
