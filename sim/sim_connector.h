// SPDX-License-Identifier: MIT
//
// The Connector of one simulated process: connects to the primary, or to one server. The contract
// is that of interlock/connection.h. Connecting takes one round trip. Connections must not outlive
// the World. Thread safety: none; one world, one OS thread.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>

#include <interlock/connection.h>

#include "sim/engine.h"
#include "sim/pooled.h"

namespace interlock::sim {

class SimConnection final : public Connection, public Pooled {
 public:
  SimConnection(Engine& engine, Process& process, Link& link)
      : engine_(engine), process_(process), link_(link) {}
  /// Closes: commands in flight still arrive and execute; then the server sees the close.
  ~SimConnection() override;

  Status Send(std::span<const std::string_view> argv, MonotonicTime deadline) override;
  Result<Reply> Receive(MonotonicTime deadline) override { return Await(deadline, {}, {}); }
  Result<Reply> ReceiveUnlessStopped(MonotonicTime deadline, const std::stop_token& stop,
                                     Duration patience) override {
    return Await(deadline, stop, patience);
  }
  void SendLast(std::span<const std::string_view> argv) override;
  bool broken() const override { return broken_; }

 private:
  Result<Reply> Await(MonotonicTime deadline, const std::stop_token& stop, Duration patience);
  Result<Reply> TakeReply();
  /// Of the oldest delivered message, which is a reply or a push.
  Result<Reply> Read();
  Status Break(const char* why, StatusCode idle);

  Engine& engine_;
  Process& process_;
  Link& link_;
  std::size_t outstanding_ = 0;  // commands whose reply has not been received
  bool broken_ = false;
  bool overdue_ = false;  // broken only because a reply is missing
};

class SimConnector final : public Connector, public Pooled {
 public:
  /// Without a node: connects to the current primary.
  SimConnector(Engine& engine, Process& process, std::optional<int> node = std::nullopt)
      : engine_(engine), process_(process), node_(node) {}
  Result<std::unique_ptr<Connection>> Connect(MonotonicTime deadline) override;
  std::string endpoint() const override;

 private:
  Engine& engine_;
  Process& process_;
  const std::optional<int> node_;
};

}  // namespace interlock::sim
