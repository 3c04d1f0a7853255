// SPDX-License-Identifier: MIT
#include <interlock/sentinel_connector.h>

#include <algorithm>
#include <array>
#include <span>
#include <stop_token>
#include <string_view>
#include <utility>

#include "src/retry.h"
#include "src/sentinel_watch.h"
#include "src/token.h"

namespace interlock {
namespace {

using internal::SentinelWatch;

Status Unavailable(std::string message) {
  return Status(StatusCode::kUnavailable, std::move(message));
}

/// Does the server say of itself that it is no master for writes now?
bool IsDemotion(const Reply& reply) {
  constexpr std::array<std::string_view, 4> kCodes = {"READONLY", "LOADING", "MASTERDOWN",
                                                      "UNBLOCKED"};
  return reply.IsError() && std::any_of(kCodes.begin(), kCodes.end(), [&](std::string_view code) {
           return std::string_view(reply.text).starts_with(code);
         });
}

class SentinelConnection final : public Connection {
 public:
  SentinelConnection(std::unique_ptr<Connection> inner, NodeAddress master,
                     std::shared_ptr<SentinelWatch> watch)
      : inner_(std::move(inner)), master_(std::move(master)), watch_(std::move(watch)) {}

  Status Send(std::span<const std::string_view> argv, MonotonicTime deadline) override {
    if (failed_) return Unavailable(master_.ToString() + ": connection is broken");
    if (Status confirmed = watch_->Confirm(master_, deadline); !confirmed.ok()) {
      failed_ = true;
      watch_->Tell(TopologyEvent::Kind::kDropped, master_, confirmed.message());
      return confirmed;
    }
    return inner_->Send(argv, deadline);
  }

  Result<Reply> Receive(MonotonicTime deadline) override {
    if (failed_) return Unavailable(master_.ToString() + ": connection is broken");
    return Heard(inner_->Receive(deadline));
  }

  Result<Reply> ReceiveUnlessStopped(MonotonicTime deadline, const std::stop_token& stop,
                                     Duration patience) override {
    if (failed_) return Unavailable(master_.ToString() + ": connection is broken");
    return Heard(inner_->ReceiveUnlessStopped(deadline, stop, patience));
  }

  void SendLast(std::span<const std::string_view> argv) override { inner_->SendLast(argv); }

  bool broken() const override { return failed_ || inner_->broken(); }

 private:
  Result<Reply> Heard(Result<Reply> reply) {
    if (!reply.ok()) watch_->Doubt();
    if (reply.ok() && IsDemotion(*reply)) {
      failed_ = true;
      watch_->Doubt();
      watch_->Tell(TopologyEvent::Kind::kDropped, master_, reply->text);
    }
    return reply;
  }

  const std::unique_ptr<Connection> inner_;
  const NodeAddress master_;
  const std::shared_ptr<SentinelWatch> watch_;
  bool failed_ = false;
};

Status CheckRole(Connection& connection, const NodeAddress& node, MonotonicTime deadline) {
  const std::array<std::string_view, 1> question = {"ROLE"};
  const Result<Reply> reply = connection.Call(question, deadline);
  if (!reply.ok()) {
    const bool cancelled = reply.code() == StatusCode::kCancelled;
    return cancelled ? reply.status() : Unavailable(reply.status().message());
  }
  if (reply->IsError()) {
    const std::string message = node.ToString() + ": the server refused ROLE: " + reply->text;
    const bool forbidden = reply->text.starts_with("NOPERM");
    return Status(forbidden ? StatusCode::kInvalidArgument : StatusCode::kUnavailable, message);
  }
  const bool master =
      reply->IsArray() && !reply->elements.empty() && reply->elements[0].text == "master";
  return master ? Status() : Unavailable(node.ToString() + " does not call itself master");
}

}  // namespace

Result<std::unique_ptr<SentinelConnector>> SentinelConnector::Create(Runtime& runtime,
                                                                     ConnectNode to_sentinels,
                                                                     ConnectNode to_masters,
                                                                     SentinelOptions options) {
  if (Status valid = Validate(options); !valid.ok()) return valid;
  if (!to_sentinels || !to_masters) {
    return Status(StatusCode::kInvalidArgument, "no way to connect to a node is given");
  }
  return std::unique_ptr<SentinelConnector>(new SentinelConnector(
      runtime, std::move(to_sentinels), std::move(to_masters), std::move(options)));
}

SentinelConnector::SentinelConnector(Runtime& runtime, ConnectNode to_sentinels,
                                     ConnectNode to_masters, SentinelOptions options)
    : runtime_(runtime),
      to_masters_(std::move(to_masters)),
      options_(std::move(options)),
      watch_(std::make_shared<SentinelWatch>(runtime, std::move(to_sentinels), options_)) {}

SentinelConnector::~SentinelConnector() = default;

Result<std::unique_ptr<Connection>> SentinelConnector::Connect(MonotonicTime deadline) {
  const MonotonicTime until =
      std::min(deadline, AddSaturating(runtime_.Now(), options_.connect_timeout));
  for (int failures = 1;; ++failures) {
    Result<std::unique_ptr<Connection>> made = Try(until);
    if (made.ok() || made.code() != StatusCode::kUnavailable) return made;
    const Duration pause =
        internal::PauseAfter(failures, options_.retry, internal::RandomNumber(runtime_));
    const MonotonicTime next = AddSaturating(runtime_.Now(), pause);
    if (next >= until) return made;
    watch_->Tell(TopologyEvent::Kind::kRetried, {}, made.status().message());
    runtime_.NewEvent()->WaitUntil(next);
  }
}

Result<std::unique_ptr<Connection>> SentinelConnector::Try(MonotonicTime deadline) {
  const Result<NodeAddress> master = watch_->Ask(deadline);
  if (!master.ok()) return master.status();
  Result<std::unique_ptr<Connection>> made = to_masters_(master.value(), deadline);
  if (!made.ok()) return made;
  if (Status role = CheckRole(**made, master.value(), deadline); !role.ok()) return role;
  return std::unique_ptr<Connection>(
      std::make_unique<SentinelConnection>(std::move(*made), master.value(), watch_));
}

std::string SentinelConnector::endpoint() const {
  return "redis+sentinel://" + ToString(options_.sentinels) + "/" + options_.master_name;
}

}  // namespace interlock
