// SPDX-License-Identifier: MIT
//
// The servers of a world as plain data: their number and relation, and what they persist.
#pragma once

#include <cstdint>
#include <string_view>

namespace interlock::sim {

enum class Topology : std::uint8_t {
  kStandalone,   ///< one server
  kReplicated,   ///< a primary, which is node 0, and its replicas
  kIndependent,  ///< masters that know nothing of each other
  kCluster,      ///< the masters of a Redis Cluster, each with its share of the slots
  kShards,       ///< a Redis Cluster, too: the second half are the replicas of the first, in order
  kSentinel,     ///< as kReplicated; the last kSentinelNodes nodes are Sentinels that watch it
};

inline constexpr int kSentinelNodes = 3;

constexpr bool IsReplicated(Topology topology) {
  return topology == Topology::kReplicated || topology == Topology::kSentinel;
}

/// They come last, and have no data.
constexpr int SentinelsOf(Topology topology) {
  return topology == Topology::kSentinel ? kSentinelNodes : 0;
}

constexpr bool IsCluster(Topology topology) {
  return topology == Topology::kCluster || topology == Topology::kShards;
}

enum class Persistence : std::uint8_t { kNone, kRdb, kAofAlways, kAofEverysec };

/// The state of the replica that would replace the primary.
enum class ReplicaState : std::uint8_t {
  kNone,    ///< none has data of the primary, or no primary is running
  kBehind,  ///< some of the primary's writes do not reach it
  kInStep,  ///< it has every write of the primary as soon as somebody looks
};

/// Both clusters are one to whoever uses them.
constexpr std::string_view ToString(Topology topology) {
  switch (topology) {
    case Topology::kStandalone:
      return "standalone";
    case Topology::kReplicated:
      return "replicated";
    case Topology::kIndependent:
      return "independent";
    case Topology::kCluster:
    case Topology::kShards:
      return "cluster";
    case Topology::kSentinel:
      return "sentinel";
  }
  return "?";
}

constexpr std::string_view ToString(Persistence persistence) {
  switch (persistence) {
    case Persistence::kNone:
      return "none";
    case Persistence::kRdb:
      return "rdb";
    case Persistence::kAofAlways:
      return "aof-always";
    case Persistence::kAofEverysec:
      return "aof-everysec";
  }
  return "?";
}

}  // namespace interlock::sim
