// SPDX-License-Identifier: MIT
#include <interlock/topology.h>

namespace interlock {

std::string NodeAddress::ToString() const {
  const bool ipv6 = host.find(':') != std::string::npos;
  return (ipv6 ? "[" + host + "]" : host) + ":" + std::to_string(port);
}

std::string ToString(const std::vector<NodeAddress>& nodes) {
  std::string text;
  for (const NodeAddress& node : nodes) {
    if (&node != &nodes.front()) text += ",";
    text += node.ToString();
  }
  return text;
}

std::string_view ToString(TopologyEvent::Kind kind) {
  switch (kind) {
    case TopologyEvent::Kind::kMasterFound:
      return "master-found";
    case TopologyEvent::Kind::kSwitched:
      return "switched";
    case TopologyEvent::Kind::kDropped:
      return "dropped";
    case TopologyEvent::Kind::kMoved:
      return "moved";
    case TopologyEvent::Kind::kAsked:
      return "asked";
    case TopologyEvent::Kind::kSlotsLearned:
      return "slots-learned";
    case TopologyEvent::Kind::kRetried:
      return "retried";
  }
  return "undefined";
}

}  // namespace interlock
