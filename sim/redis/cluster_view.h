// SPDX-License-Identifier: MIT
//
// One node's view of a Redis Cluster: the nodes, and which of them serves which slot. Plain data;
// nodes exchange nothing by themselves: the owner of the servers gives each its view.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "sim/redis/slot_owners.h"

namespace interlock::sim::redis {

/// CRC16 (XMODEM) of the key, or of the part between its first { and the next }, modulo 16384.
std::size_t KeySlot(std::string_view key);

struct ClusterNode {
  std::string id;  ///< 40 hexadecimal digits
  std::string host;
  int port = 0;
  std::string master_id = {};  ///< For a replica; empty for a master.
  bool failed = false;         ///< As the majority sees it.
  std::int64_t config_epoch = 0;
  bool operator==(const ClusterNode&) const = default;
};

struct ClusterView {
  std::vector<ClusterNode> nodes;
  std::size_t myself = 0;  ///< Index into nodes.
  SlotOwners owner;        ///< Indices into nodes.
  std::int64_t current_epoch = 0;
};

}  // namespace interlock::sim::redis
