// SPDX-License-Identifier: MIT
//
// Who subscribed to what. Deliveries: the channel's subscribers in order of subscription, then
// patterns in byte order.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "sim/redis/server.h"

namespace interlock::sim::redis {

class Engine;
struct Client;

class PubSub {
 public:
  explicit PubSub(Engine& engine) : engine_(engine) {}
  void Reset();
  /// Confirms to the client by itself; also if it was subscribed already.
  void Subscribe(Client& client, std::string_view channel, bool pattern);
  void Unsubscribe(Client& client, std::string_view channel, bool pattern);
  /// From all channels or all patterns, each confirmed; one null confirmation if there are none.
  void UnsubscribeAll(Client& client, bool pattern);
  /// Without confirmations.
  void Forget(Client& client);
  /// The number of deliveries.
  std::int64_t Publish(std::string_view channel, std::string_view message);
  /// Channels and patterns that somebody listens to.
  std::size_t channel_count() const { return channels_.size(); }
  std::size_t pattern_count() const { return patterns_.size(); }

 private:
  using Subscribers = std::map<std::string, std::vector<ClientId>, std::less<>>;
  static void Drop(Subscribers& from, std::string_view channel, ClientId id);

  Engine& engine_;
  Subscribers channels_;
  Subscribers patterns_;
};

}  // namespace interlock::sim::redis
