// SPDX-License-Identifier: MIT
#include <interlock/cluster_connector.h>

#include <utility>

#include "src/cluster_connection.h"
#include "src/cluster_slots.h"

namespace interlock {

Result<std::unique_ptr<ClusterConnector>> ClusterConnector::Create(Runtime& runtime,
                                                                   ConnectNode to_nodes,
                                                                   ClusterOptions options) {
  if (Status valid = Validate(options); !valid.ok()) return valid;
  if (!to_nodes) {
    return Status(StatusCode::kInvalidArgument, "no way to connect to a node is given");
  }
  return std::unique_ptr<ClusterConnector>(
      new ClusterConnector(runtime, std::move(to_nodes), std::move(options)));
}

ClusterConnector::ClusterConnector(Runtime& runtime, ConnectNode to_nodes, ClusterOptions options)
    : runtime_(runtime),
      to_nodes_(std::move(to_nodes)),
      options_(std::move(options)),
      slots_(std::make_unique<internal::ClusterSlots>(runtime, to_nodes_, options_)) {}

ClusterConnector::~ClusterConnector() = default;

Result<std::unique_ptr<Connection>> ClusterConnector::Connect(MonotonicTime deadline) {
  constexpr int kAnySlot = -1;
  const Result<NodeAddress> known = slots_->Owner(kAnySlot, deadline);
  if (!known.ok()) return known.status();
  return std::unique_ptr<Connection>(
      std::make_unique<internal::ClusterConnection>(runtime_, to_nodes_, options_, *slots_));
}

std::string ClusterConnector::endpoint() const {
  return "redis+cluster://" + ToString(options_.seeds);
}

}  // namespace interlock
