// SPDX-License-Identifier: MIT
#include "src/sentinel_watch.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <numeric>
#include <string>
#include <string_view>
#include <utility>

namespace interlock::internal {
namespace {

Status Unavailable(std::string message) {
  return Status(StatusCode::kUnavailable, std::move(message));
}

/// What a question that could not be asked says about the world: nothing was changed, so nothing is
/// unknown.
Status NotAnswered(const Status& failure) {
  const bool kept =
      failure.code() == StatusCode::kCancelled || failure.code() == StatusCode::kInvalidArgument;
  return kept ? failure : Unavailable(failure.message());
}

SentinelOptions WithMajority(SentinelOptions options) {
  if (options.agreeing == 0) options.agreeing = static_cast<int>(options.sentinels.size() / 2) + 1;
  return options;
}

}  // namespace

SentinelWatch::SentinelWatch(Runtime& runtime, ConnectNode connect, SentinelOptions options)
    : runtime_(runtime),
      connect_(std::move(connect)),
      options_(WithMajority(std::move(options))),
      order_(options_.sentinels.size()),
      idle_(options_.sentinels.size()) {
  std::iota(order_.begin(), order_.end(), std::size_t{0});
}

Result<NodeAddress> SentinelWatch::Ask(MonotonicTime deadline) {
  const MonotonicTime asked = runtime_.Now();
  std::map<NodeAddress, int> votes;
  int strangers = 0;
  bool all_refuse = true;
  Status failure;
  for (const std::size_t sentinel : Order()) {
    const MonotonicTime by = AddSaturating(runtime_.Now(), options_.sentinel_timeout);
    const Answer answer = AskOne(sentinel, std::min(by, deadline));
    if (answer.code() == StatusCode::kCancelled) return answer.status();
    all_refuse = all_refuse && answer.code() == StatusCode::kInvalidArgument;
    if (!answer.ok()) {
      failure = answer.status();
      MoveToTheEnd(sentinel);
    } else if (!answer.value().has_value()) {
      ++strangers;
    } else if (++votes[*answer.value()] >= options_.agreeing) {
      Note(*answer.value(), asked);
      return *answer.value();
    }
  }
  if (all_refuse) return failure;
  if (strangers > 0 && votes.empty()) {
    return Status(StatusCode::kInvalidArgument,
                  "the sentinels know no master named " + options_.master_name);
  }
  std::string message = "fewer than " + std::to_string(options_.agreeing) +
                        " sentinels name the same master of " + options_.master_name;
  if (!failure.ok()) message += "; last: " + failure.message();
  return Unavailable(std::move(message));
}

SentinelWatch::Answer SentinelWatch::AskOne(std::size_t sentinel, MonotonicTime deadline) {
  std::unique_ptr<Connection> connection = TakeIdle(sentinel);
  if (connection != nullptr && !connection->broken()) {
    Answer answer = AskOn(*connection, deadline);
    if (answer.ok()) {
      GiveBack(sentinel, std::move(connection));
      return answer;
    }
    if (answer.code() != StatusCode::kUnavailable) return answer;
  }
  Result<std::unique_ptr<Connection>> made = connect_(options_.sentinels[sentinel], deadline);
  if (!made.ok()) return NotAnswered(made.status());
  Answer answer = AskOn(**made, deadline);
  if (answer.ok()) GiveBack(sentinel, std::move(*made));
  return answer;
}

SentinelWatch::Answer SentinelWatch::AskOn(Connection& connection, MonotonicTime deadline) const {
  const std::array<std::string_view, 3> question = {"SENTINEL", "get-master-addr-by-name",
                                                    options_.master_name};
  const Result<Reply> reply = connection.Call(question, deadline);
  if (!reply.ok()) return NotAnswered(reply.status());
  if (reply->IsNil()) return std::optional<NodeAddress>();
  NodeAddress master;
  if (reply->IsArray() && reply->elements.size() == 2) {
    master.host = reply->elements[0].text;
    const std::string& port = reply->elements[1].text;
    (void)std::from_chars(port.data(), port.data() + port.size(), master.port);
  }
  if (!master.host.empty() && master.port > 0) return std::optional<NodeAddress>(master);
  return Unavailable("a sentinel answered in an unknown form: " + reply->text);
}

Status SentinelWatch::Confirm(const NodeAddress& master, MonotonicTime deadline) {
  bool early = false;
  {
    // The clock is read first: in a simulated world others may run meanwhile.
    const MonotonicTime now = runtime_.Now();
    MutexGuard guard(mutex_);
    const std::optional<Status> known = Known(master, now);
    const bool fresh = known && now - confirmed_ <= options_.recheck / 2;
    if (known && (!known->ok() || fresh || asking_early_)) return *known;
    early = known.has_value();
    if (early) asking_early_ = true;
  }
  const Duration longest =
      options_.sentinel_timeout * static_cast<Duration::rep>(options_.sentinels.size());
  const Result<NodeAddress> answer =
      Ask(std::min(deadline, AddSaturating(runtime_.Now(), longest)));
  const MonotonicTime now = runtime_.Now();
  MutexGuard guard(mutex_);
  if (early) asking_early_ = false;
  const std::optional<Status> known = Known(master, now);
  if (known) return *known;
  return answer.ok() ? Unavailable("the sentinels are no longer sure of a master")
                     : NotAnswered(answer.status());
}

std::optional<Status> SentinelWatch::Known(const NodeAddress& master, MonotonicTime now) {
  if (!master_ || doubted_ || now - confirmed_ > options_.recheck) return std::nullopt;
  if (*master_ == master) return Status();
  return Unavailable(master.ToString() + " is not the master; the sentinels name " +
                     master_->ToString());
}

void SentinelWatch::Doubt() {
  MutexGuard guard(mutex_);
  doubted_ = true;
}

void SentinelWatch::Tell(TopologyEvent::Kind kind, const NodeAddress& node,
                         std::string detail) const {
  if (options_.observer) options_.observer({kind, node, std::move(detail)});
}

std::vector<std::size_t> SentinelWatch::Order() {
  MutexGuard guard(mutex_);
  return order_;
}

std::unique_ptr<Connection> SentinelWatch::TakeIdle(std::size_t sentinel) {
  MutexGuard guard(mutex_);
  return std::move(idle_[sentinel]);
}

void SentinelWatch::GiveBack(std::size_t sentinel, std::unique_ptr<Connection> connection) {
  MutexGuard guard(mutex_);
  idle_[sentinel].swap(connection);  // an older one is closed after the lock is given up
}

void SentinelWatch::MoveToTheEnd(std::size_t sentinel) {
  MutexGuard guard(mutex_);
  const auto found = std::find(order_.begin(), order_.end(), sentinel);
  std::rotate(found, found + 1, order_.end());
}

void SentinelWatch::Note(const NodeAddress& master, MonotonicTime asked) {
  std::optional<NodeAddress> before;
  {
    MutexGuard guard(mutex_);
    if (asked < confirmed_) return;
    confirmed_ = asked;
    doubted_ = false;
    before = std::exchange(master_, master);
  }
  if (!before) Tell(TopologyEvent::Kind::kMasterFound, master);
  if (before && *before != master) {
    Tell(TopologyEvent::Kind::kSwitched, master, "before: " + before->ToString());
  }
}

}  // namespace interlock::internal
