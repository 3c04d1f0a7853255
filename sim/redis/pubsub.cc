// SPDX-License-Identifier: MIT
#include "sim/redis/pubsub.h"

#include <algorithm>

#include "sim/redis/engine.h"
#include "sim/redis/text.h"

namespace interlock::sim::redis {

namespace {

Value Confirmation(std::string_view kind, Value channel, const Client& client) {
  const auto count = static_cast<std::int64_t>(client.channels.size() + client.patterns.size());
  return PushValue({StringValue(kind), std::move(channel), IntegerValue(count)});
}

}  // namespace

void PubSub::Reset() {
  channels_.clear();
  patterns_.clear();
}

void PubSub::Subscribe(Client& client, std::string_view channel, bool pattern) {
  if ((pattern ? client.patterns : client.channels).emplace(channel).second) {
    (pattern ? patterns_ : channels_)[std::string(channel)].push_back(client.id);
  }
  engine_.Emit(client,
               Confirmation(pattern ? "psubscribe" : "subscribe", StringValue(channel), client));
}

void PubSub::Drop(Subscribers& from, std::string_view channel, ClientId id) {
  const auto at = from.find(channel);
  if (at == from.end()) return;
  std::erase(at->second, id);
  if (at->second.empty()) from.erase(at);
}

void PubSub::Unsubscribe(Client& client, std::string_view channel, bool pattern) {
  auto& own = pattern ? client.patterns : client.channels;
  if (const auto at = own.find(channel); at != own.end()) {
    own.erase(at);
    Drop(pattern ? patterns_ : channels_, channel, client.id);
  }
  engine_.Emit(
      client, Confirmation(pattern ? "punsubscribe" : "unsubscribe", StringValue(channel), client));
}

void PubSub::UnsubscribeAll(Client& client, bool pattern) {
  auto& own = pattern ? client.patterns : client.channels;
  if (own.empty()) {
    engine_.Emit(client,
                 Confirmation(pattern ? "punsubscribe" : "unsubscribe", NilValue(), client));
    return;
  }
  while (!own.empty()) {
    const std::string channel = *own.begin();
    Unsubscribe(client, channel, pattern);
  }
}

void PubSub::Forget(Client& client) {
  for (const std::string& channel : client.channels) Drop(channels_, channel, client.id);
  for (const std::string& pattern : client.patterns) Drop(patterns_, pattern, client.id);
  client.channels.clear();
  client.patterns.clear();
}

std::int64_t PubSub::Publish(std::string_view channel, std::string_view message) {
  std::int64_t deliveries = 0;
  if (const auto at = channels_.find(channel); at != channels_.end()) {
    for (const ClientId id : at->second) {
      engine_.Emit(id,
                   PushValue({StringValue("message"), StringValue(channel), StringValue(message)}));
      ++deliveries;
    }
  }
  for (const auto& [pattern, subscribers] : patterns_) {
    if (!GlobMatch(pattern, channel)) continue;
    for (const ClientId id : subscribers) {
      engine_.Emit(id, PushValue({StringValue("pmessage"), StringValue(pattern),
                                  StringValue(channel), StringValue(message)}));
      ++deliveries;
    }
  }
  return deliveries;
}

}  // namespace interlock::sim::redis
