// SPDX-License-Identifier: MIT
#include <interlock/redlock.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <utility>

#include "src/quorum_protocol.h"
#include "src/retry.h"
#include "src/scripts/quorum_scripts.h"

namespace interlock {
namespace {

Status Wrong(std::string message) {
  return Status(StatusCode::kInvalidArgument, std::move(message));
}

std::string Node(std::size_t index) { return "node " + std::to_string(index); }

Status CheckNodes(const std::vector<Client*>& nodes) {
  constexpr std::size_t kFewest = 3;
  if (nodes.size() < kFewest) {
    return Wrong("nodes are " + std::to_string(nodes.size()) +
                 "; allowed is 3 or more: fewer cannot outvote one that is away");
  }
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    if (nodes[i] == nullptr) return Wrong(Node(i) + " is null");
    if (Status valid = nodes[i]->status(); !valid.ok()) {
      return Wrong(Node(i) + ": " + valid.message());
    }
    if (&nodes[i]->runtime() != &nodes[0]->runtime()) {
      return Wrong(Node(i) + " has another Runtime than node 0, and so another clock");
    }
    for (std::size_t j = 0; j < i; ++j) {
      if (nodes[i] == nodes[j] || nodes[i]->endpoint() == nodes[j]->endpoint()) {
        return Wrong(Node(i) + " is the same as " + Node(j) + ", " + nodes[i]->endpoint() +
                     "; one server has one vote");
      }
    }
  }
  return Status();
}

Duration OverrunBound(const std::vector<Client*>& nodes, const RedlockOptions& options) {
  int attempts = 1;
  for (Client* node : nodes) attempts = std::max(attempts, node->options().cleanup_attempts);
  return (3 + attempts) * options.node_timeout + internal::ShortPauses(attempts);
}

}  // namespace

Result<Redlock> Redlock::Create(const std::vector<Client*>& nodes, std::string name,
                                RedlockOptions options) {
  for (const Status& valid : {CheckNodes(nodes), ValidateName(name), Validate(options)}) {
    if (!valid.ok()) return valid;
  }
  std::vector<internal::ClientCore*> cores;
  cores.reserve(nodes.size());
  for (Client* node : nodes) cores.push_back(&node->core());
  auto scripts = std::make_unique<internal::QuorumScripts>(
      options.key_prefix, name, std::chrono::floor<std::chrono::milliseconds>(options.lease));
  const internal::QuorumTiming timing{options.node_timeout, options.drift_per_mille,
                                      options.drift_extra, options.first_pause, options.max_pause};
  auto protocol = std::make_shared<internal::QuorumProtocol>(std::move(cores), std::move(scripts),
                                                             timing, options.fencing);
  return Redlock(std::move(name), std::move(protocol), OverrunBound(nodes, options));
}

}  // namespace interlock
