// SPDX-License-Identifier: MIT
//
// A group of real redis-servers started together: a primary with replicas, the same under
// Sentinels, masters that know nothing of each other, or a Cluster.
//
// Guarantee: once started, all servers know each other: replicas are in step, Sentinels have found
// each other, the Cluster serves all slots. Otherwise, and for thread safety, see RedisServer.
#pragma once

#include <cstddef>
#include <memory>
#include <string_view>
#include <vector>

#include <interlock/result.h>

#include "sim/machine/redis_server.h"

namespace interlock::sim::machine {

struct RedisTopologyOptions {
  int masters = 1;
  int replicas = 0;            ///< of each master
  int sentinels = 0;           ///< a majority of which must agree; only with one master
  bool cluster = false;        ///< the masters share the slots
  RedisServerOptions of = {};  ///< options of masters and replicas
};

inline RedisTopologyOptions Standalone() { return {}; }
inline RedisTopologyOptions UnderSentinels() { return {.replicas = 2, .sentinels = 3}; }
inline RedisTopologyOptions IndependentMasters() { return {.masters = 5}; }
inline RedisTopologyOptions ClusterOfThree() {
  return {.masters = 3, .replicas = 1, .cluster = true};
}

/// The Sentinels' name of the master.
inline constexpr std::string_view kMasterName = "main";
/// The silence after which a Sentinel considers a server down.
inline constexpr std::chrono::milliseconds kSentinelPatience(1000);

class RedisTopology {
 public:
  /// kUnavailable: as RedisServer::Start, or they did not connect to each other in time.
  static Result<std::unique_ptr<RedisTopology>> Start(const RedisTopologyOptions& options);

  RedisServer& master(std::size_t index = 0) { return *masters_[index]; }
  /// Numbers the replicas of all masters together, the first master's first.
  RedisServer& replica(std::size_t index = 0) { return *replicas_[index]; }
  RedisServer& sentinel(std::size_t index = 0) { return *sentinels_[index]; }
  std::size_t masters() const { return masters_.size(); }
  std::size_t replicas() const { return replicas_.size(); }
  std::size_t sentinels() const { return sentinels_.size(); }
  /// The index of the Cluster's master that initially had the slot.
  std::size_t owner(int slot) const;

 private:
  RedisTopology() = default;

  Status Launch(const RedisTopologyOptions& options);
  Status Replicate(const RedisTopologyOptions& options);
  Status Watch(const RedisTopologyOptions& options);
  Status Cluster(const RedisTopologyOptions& options);
  Status ShareSlots();
  Status Introduce(RedisServer& node);

  std::vector<std::unique_ptr<RedisServer>> masters_;
  std::vector<std::unique_ptr<RedisServer>> replicas_;
  std::vector<std::unique_ptr<RedisServer>> sentinels_;
};

}  // namespace interlock::sim::machine
