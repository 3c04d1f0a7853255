// SPDX-License-Identifier: MIT
//
// What connectors to more than one Redis have in common: how a node is named and reached, and what
// such a connector reports of what it does.
//
// Thread safety: plain data. A ConnectNode and a TopologyObserver are called from any task.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <interlock/connection.h>
#include <interlock/result.h>
#include <interlock/time.h>

namespace interlock {

struct NodeAddress {
  std::string host;  ///< name or numeric address; IPv6 without brackets
  int port = 0;

  friend auto operator<=>(const NodeAddress&, const NodeAddress&) = default;

  /// "10.0.0.1:6379", "[::1]:6379"
  std::string ToString() const;
};

/// "10.0.0.1:6379,10.0.0.2:6379"
std::string ToString(const std::vector<NodeAddress>& nodes);

/// Connects to the node at an address, as Connector::Connect does: with the credentials that this
/// kind of node wants. See MakeHiredisNodes.
using ConnectNode =
    std::function<Result<std::unique_ptr<Connection>>(const NodeAddress&, MonotonicTime deadline)>;

struct TopologyEvent {
  enum class Kind : std::uint8_t {
    kMasterFound,   ///< Sentinel: the first answer; `node` is the master
    kSwitched,      ///< Sentinel: the sentinels name another master than before, `node`
    kDropped,       ///< Sentinel: a connection to `node`, which is not the confirmed master
    kMoved,         ///< Cluster: a slot has moved to `node`; the command is sent there
    kAsked,         ///< Cluster: a slot is moving to `node`; this one command is sent there
    kSlotsLearned,  ///< Cluster: the slot table was read from `node`
    kRetried,       ///< after a pause, because `detail`
  };
  static constexpr std::size_t kKinds = 7;

  Kind kind = Kind::kRetried;
  NodeAddress node;
  std::string detail = {};
};

/// "master-found", "switched", ...; for logs and metrics.
std::string_view ToString(TopologyEvent::Kind kind);

/// Must return soon, and must not use the connector. No lock is held during the call. To receive
/// these events in the client's Observer, see ToTopologyObserver in observer.h.
using TopologyObserver = std::function<void(const TopologyEvent&)>;

}  // namespace interlock
