// SPDX-License-Identifier: MIT
//
// The servers of a world as plain data: how many there are in what relation, and what they keep
// when they die.
#pragma once

#include <cstdint>
#include <string_view>

namespace interlock::sim {

enum class Topology : std::uint8_t {
  kStandalone,   ///< one server
  kReplicated,   ///< a primary, which is node 0, and its replicas
  kIndependent,  ///< masters that know nothing of each other
  kCluster,      ///< the masters of a Redis Cluster, each with its share of the slots
};

enum class Persistence : std::uint8_t { kNone, kRdb, kAofAlways, kAofEverysec };

/// The state of the replica that would take the primary's place.
enum class ReplicaState : std::uint8_t {
  kNone,    ///< there is none that has data of the primary, or no primary that runs
  kBehind,  ///< some of the primary's writes do not arrive there
  kInStep,  ///< whatever the primary writes is there as soon as somebody looks
};

constexpr std::string_view ToString(Topology topology) {
  switch (topology) {
    case Topology::kStandalone:
      return "standalone";
    case Topology::kReplicated:
      return "replicated";
    case Topology::kIndependent:
      return "independent";
    case Topology::kCluster:
      return "cluster";
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
