// SPDX-License-Identifier: MIT
#include "tests/scenarios/subject_bench.h"

#include <algorithm>

#include <gtest/gtest.h>

namespace interlock::scenarios {
namespace {

/// A command takes its time, so that who asks without rest comes to an end.
constexpr Duration kTravel = std::chrono::microseconds(10);

Reply ToReply(const sim::redis::Value& value) {
  using Type = sim::redis::Value::Type;
  Reply reply;
  switch (value.type) {
    case Type::kNil:
    case Type::kNilArray:
      reply.type = Reply::Type::kNil;
      break;
    case Type::kStatus:
      reply.type = Reply::Type::kStatus;
      break;
    case Type::kError:
      reply.type = Reply::Type::kError;
      break;
    case Type::kInteger:
      reply.type = Reply::Type::kInteger;
      break;
    case Type::kString:
      reply.type = Reply::Type::kString;
      break;
    case Type::kArray:
      reply.type = Reply::Type::kArray;
      break;
    default:
      ADD_FAILURE() << "a RESP3 reply on a RESP2 connection";
  }
  reply.integer = value.integer;
  reply.text = value.text;
  for (const sim::redis::Value& element : value.elements) {
    reply.elements.push_back(ToReply(element));
  }
  return reply;
}

}  // namespace

class BenchEvent final : public Event {
 public:
  explicit BenchEvent(Bench& bench) : bench_(bench) {}
  void Set() override { set_ = true; }
  bool IsSet() const override { return set_; }
  bool WaitUntil(MonotonicTime deadline) override {
    if (!set_ && !bench_.cancelled() && deadline > bench_.Now()) {
      bench_.Advance(deadline - bench_.Now());
    }
    return set_;
  }

 private:
  Bench& bench_;
  bool set_ = false;
};

class BenchConnection final : public Connection {
 public:
  explicit BenchConnection(Bench& bench) : bench_(bench), id_(bench.server_.Connect()) {}
  ~BenchConnection() override { bench_.server_.Disconnect(id_); }
  BenchConnection(const BenchConnection&) = delete;
  BenchConnection& operator=(const BenchConnection&) = delete;

  Status Send(std::span<const std::string_view> argv, MonotonicTime /*deadline*/) override {
    if (bench_.cancelled()) return Status(StatusCode::kCancelled);
    if (broken_) return Status(StatusCode::kUnavailable);
    if (bench_.before_ && argv[0] == bench_.before_command_) {
      std::exchange(bench_.before_, nullptr)();
    }
    ++bench_.sent_;
    bench_.Advance(kTravel);
    bench_.server_.Execute(id_, sim::redis::Argv(argv.begin(), argv.end()));
    EXPECT_EQ(bench_.server_.unmodelled(), std::nullopt);
    if (argv[0] == bench_.lose_reply_to_) {
      bench_.lose_reply_to_.clear();
      broken_ = true;
    }
    return Status();
  }

  Result<Reply> Receive(MonotonicTime deadline) override {
    if (bench_.cancelled()) return Status(StatusCode::kCancelled);
    if (broken_) return Status(StatusCode::kUnknownOutcome, "the connection broke");
    std::deque<Reply>& replies = bench_.replies_[id_];
    while (replies.empty()) {
      const std::optional<std::int64_t> timer = bench_.server_.NextTimerUs();
      const Duration left = deadline - bench_.Now();
      Duration step = left;
      if (timer) {
        step =
            std::min<Duration>(step, std::chrono::microseconds(*timer - bench_.server_.time_us()));
      } else if (deadline == kNever) {
        return Status(StatusCode::kCancelled, "nothing can ever wake this waiter");
      }
      if (left <= Duration::zero()) {
        broken_ = true;
        return Status(StatusCode::kUnknownOutcome, "deadline");
      }
      bench_.Advance(std::max<Duration>(step, std::chrono::microseconds(1)));
    }
    Reply reply = std::move(replies.front());
    replies.pop_front();
    return reply;
  }

  Result<Reply> ReceiveUnlessStopped(MonotonicTime deadline, const std::stop_token& /*stop*/,
                                     Duration /*patience*/) override {
    return Receive(deadline);
  }

  bool broken() const override { return broken_; }

 private:
  Bench& bench_;
  sim::redis::ClientId id_;
  bool broken_ = false;
};

void Bench::OnReply(sim::redis::ClientId client, sim::redis::Value& value) {
  replies_[client].push_back(ToReply(value));
}

std::unique_ptr<harness::Lock> Bench::NewLock(const harness::Subject& subject) {
  harness::LockOptions options = options_;
  if (subject.traits().several) {
    options.several = {options.resource, options.resource + "-beside"};
  }
  if (std::holds_alternative<harness::Latch>(subject.traits().kind))
    options.parties = kBenchParties;
  return subject.NewLock(environment_, options);
}

std::unique_ptr<Event> Bench::NewEvent() { return std::make_unique<BenchEvent>(*this); }

Result<std::unique_ptr<Connection>> Bench::Connect(MonotonicTime /*deadline*/) {
  if (cancelled()) return Status(StatusCode::kCancelled);
  return std::unique_ptr<Connection>(std::make_unique<BenchConnection>(*this));
}

}  // namespace interlock::scenarios
