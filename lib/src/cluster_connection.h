// SPDX-License-Identifier: MIT
//
// ClusterConnection: one connection to a whole cluster, made of one to each node that is needed.
//
// Replies of one node come in the order of what was sent to it, but a command that was redirected
// is sent to another node later than its successors. So each node has a queue of the commands whose
// replies it owes, and each command waits for its own reply.
//
// A redirected blocking pop goes on for the rest of its time only, so that it ends when its sender
// expects it to. Thread safety: belongs to one task at a time.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include <interlock/cluster_connector.h>
#include <interlock/connection.h>
#include <interlock/result.h>
#include <interlock/runtime.h>
#include <interlock/time.h>
#include <interlock/topology.h>

#include "src/cluster_slots.h"

namespace interlock::internal {

class ClusterConnection final : public Connection {
 public:
  /// The references must outlive it.
  ClusterConnection(Runtime& runtime, const ConnectNode& connect, const ClusterOptions& options,
                    ClusterSlots& slots)
      : runtime_(runtime), connect_(connect), options_(options), slots_(slots) {}

  Status Send(std::span<const std::string_view> argv, MonotonicTime deadline) override;
  Result<Reply> Receive(MonotonicTime deadline) override {
    return ReceiveUnlessStopped(deadline, {}, {});
  }
  Result<Reply> ReceiveUnlessStopped(MonotonicTime deadline, const std::stop_token& stop,
                                     Duration patience) override;
  bool broken() const override { return failed_; }

 private:
  static constexpr std::uint64_t kAsking = 0;  ///< the reply to an ASKING, which nobody waits for

  struct Node {
    std::unique_ptr<Connection> connection;
    std::deque<std::uint64_t> owed;  ///< numbers of commands, or kAsking
  };

  struct Command {
    std::vector<std::string> words;
    int slot = -1;
    MonotonicTime sent{};
    NodeAddress node;  ///< the node that owes the reply
    int resends = 0;
    std::optional<Reply> reply;
  };

  struct Redirection;

  /// How long a reply is waited for.
  struct Wait {
    MonotonicTime deadline;
    const std::stop_token& stop;
    Duration patience;
  };

  struct How {
    bool asking = false;  ///< a slot that is on its way to this node
    MonotonicTime deadline;
  };

  static std::optional<Redirection> Parse(const std::string& error, const NodeAddress& from);

  Status Break(StatusCode code, std::string message);
  /// Connected; connects if need be. YIELDS.
  Result<Node*> NodeAt(const NodeAddress& address, MonotonicTime deadline);
  Result<NodeAddress> Route(int slot, MonotonicTime deadline);
  Status TakeReply(const Wait& wait);
  Status Settle(std::uint64_t number, Reply reply, MonotonicTime deadline);
  /// False: it cannot be sent again, so that the error is its reply.
  Result<bool> Resend(std::uint64_t number, const Redirection& to, MonotonicTime deadline);
  bool PauseBefore(const Command& command, const Redirection& to, MonotonicTime deadline);
  Status SendTo(Node& node, std::uint64_t number, How how);
  Command& CommandAt(std::uint64_t number) { return commands_[number - first_]; }

  Runtime& runtime_;
  const ConnectNode& connect_;
  const ClusterOptions& options_;
  ClusterSlots& slots_;
  std::map<NodeAddress, Node> nodes_;
  std::deque<Command> commands_;  ///< whose replies are to be received, in the order of sending
  std::uint64_t first_ = 1;       ///< the number of the first of them
  std::optional<NodeAddress> last_node_;  ///< where a command without a key goes
  bool failed_ = false;
};

}  // namespace interlock::internal
