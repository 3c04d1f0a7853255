// SPDX-License-Identifier: MIT
//
// Subcommands of CLUSTER that a server answers only as a node of a cluster. Thread safety: none.
#pragma once

#include "sim/redis/engine.h"

namespace interlock::sim::redis {

/// False: it is no node, and has said so.
inline bool IsInCluster(Context& c) {
  if (c.engine.cluster.enabled()) return true;
  c.Error("ERR This instance has cluster support disabled");
  return false;
}

using ClusterHandler = void (*)(Context& c, Cluster& cluster);

template <ClusterHandler handler>
void InCluster(Context& c) {
  if (IsInCluster(c)) handler(c, c.engine.cluster);
}

}  // namespace interlock::sim::redis
