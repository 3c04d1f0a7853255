// SPDX-License-Identifier: MIT
//
// The subscribers of each channel and pattern. Deliveries: the channel's subscribers in order of
// subscription, then patterns in byte order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "sim/redis/server.h"

namespace interlock::sim::redis {

class Engine;
struct Client;

enum class Subscription : std::uint8_t { kChannel, kPattern, kShardChannel };

class PubSub {
 public:
  using Subscribers = std::map<std::string, std::vector<ClientId>, std::less<>>;

  explicit PubSub(Engine& engine) : engine_(engine) {}
  void Reset();
  /// Sends the confirmation itself, even if the client was already subscribed.
  void Subscribe(Client& client, std::string_view name, Subscription kind);
  void Unsubscribe(Client& client, std::string_view name, Subscription kind);
  /// Unsubscribes from all of the kind, confirming each; one null confirmation if there are none.
  void UnsubscribeAll(Client& client, Subscription kind);
  /// Without confirmations.
  void Forget(Client& client);
  /// Returns the number of deliveries.
  std::int64_t Publish(std::string_view channel, std::string_view message);
  /// Delivers to subscribers of the shard channel only: patterns do not match there.
  std::int64_t PublishToShard(std::string_view channel, std::string_view message);
  /// Sends a message: to the client whose command is running, since Redis 7.2, by TellCaller.
  void Tell(ClientId id, Value message);
  /// Sends what its own command has caused for it: since Redis 7.2, after the command's reply.
  void TellCaller(ClientId id);

  /// In byte order; without names that have no subscribers.
  const Subscribers& subscribers(Subscription kind) const {
    return subscribers_[static_cast<std::size_t>(kind)];
  }
  std::size_t channel_count() const { return subscribers(Subscription::kChannel).size(); }
  std::size_t pattern_count() const { return subscribers(Subscription::kPattern).size(); }

 private:
  Subscribers& Of(Subscription kind) { return subscribers_[static_cast<std::size_t>(kind)]; }
  /// Records that the set of its listeners changes.
  void NoteChange(Subscription kind, std::string_view name);
  void Drop(Subscription kind, std::string_view name, ClientId id);
  std::int64_t Deliver(Subscription kind, std::string_view channel, std::string_view message);

  Engine& engine_;
  Subscribers subscribers_[3];
  std::vector<Value> for_caller_;
};

}  // namespace interlock::sim::redis
