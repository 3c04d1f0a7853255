// SPDX-License-Identifier: MIT
#include "tests/support/fake_connection.h"

#include <chrono>
#include <cmath>
#include <span>
#include <string_view>

#include <gtest/gtest.h>

namespace interlock::testing {

Reply Nil() { return Reply(); }

Reply Integer(std::int64_t value) {
  Reply reply;
  reply.type = Reply::Type::kInteger;
  reply.integer = value;
  return reply;
}

Reply Text(std::string value) {
  Reply reply;
  reply.type = Reply::Type::kString;
  reply.text = std::move(value);
  return reply;
}

Reply ErrorReply(std::string value) {
  Reply reply;
  reply.type = Reply::Type::kError;
  reply.text = std::move(value);
  return reply;
}

Reply Array(std::vector<Reply> elements) {
  Reply reply;
  reply.type = Reply::Type::kArray;
  reply.elements = std::move(elements);
  return reply;
}

class FakeConnector::FakeConnection final : public Connection {
 public:
  FakeConnection(FakeConnector& connector, int id) : connector_(connector), id_(id) {
    ++connector_.open_;
  }
  ~FakeConnection() override { --connector_.open_; }

  Status Send(std::span<const std::string_view> argv, MonotonicTime /*deadline*/) override {
    if (broken_) return Status(StatusCode::kUnavailable, "already broken");
    std::vector<std::string> words(argv.begin(), argv.end());
    const std::string last = words.back();
    Answer answer = connector_.Take(std::move(words), id_);
    if (answer.kind == Answer::Kind::kTimesOut) {
      answer.delay = std::chrono::milliseconds(std::llround(std::stod(last) * 1000));
    }
    switch (answer.kind) {
      case Answer::Kind::kNotSent:
        return Break(StatusCode::kUnavailable, "the peer has closed");
      case Answer::Kind::kSentInPart:
        return Break(StatusCode::kUnknownOutcome, "broken pipe");
      case Answer::Kind::kCancelled:
        return Break(StatusCode::kCancelled, "shutting down");
      default:
        answers_.push_back(std::move(answer));
        return Status();
    }
  }

  Result<Reply> Receive(MonotonicTime deadline) override { return Await(deadline, {}); }

  /// A server that is told closes at once.
  Result<Reply> ReceiveUnlessStopped(MonotonicTime deadline, const std::stop_token& stop,
                                     Duration /*patience*/) override {
    return Await(deadline, stop);
  }

  void SendLast(std::span<const std::string_view> argv) override {
    connector_.sent_last_.push_back({{argv.begin(), argv.end()}, id_, connector_.runtime_.Now()});
  }

  bool broken() const override { return broken_; }

 private:
  Result<Reply> Await(MonotonicTime deadline, const std::stop_token& stop) {
    if (broken_ || answers_.empty()) return Break(StatusCode::kUnavailable, "already broken");
    const Answer answer = std::move(answers_.front());
    answers_.pop_front();
    if (answer.kind == Answer::Kind::kReset) {
      return Break(StatusCode::kUnknownOutcome, "connection reset");
    }
    const MonotonicTime arrives = connector_.runtime_.Now() + answer.delay;
    const bool late = answer.kind == Answer::Kind::kLost || arrives > deadline;
    EXPECT_TRUE(!late || stop.stop_possible() || deadline != kNever)
        << "a reply is awaited for ever";
    const auto stopped = [&stop] { return stop.stop_requested(); };
    if (connector_.runtime_.AdvanceTo(late ? deadline : arrives, stopped) &&
        (late || connector_.runtime_.Now() < arrives)) {
      return Break(StatusCode::kUnknownOutcome, "stopped");
    }
    if (late) return Break(StatusCode::kUnknownOutcome, "no reply before the deadline");
    return answer.reply;
  }

  Status Break(StatusCode code, std::string message) {
    broken_ = true;
    return Status(code, std::move(message));
  }

  FakeConnector& connector_;
  const int id_;
  bool broken_ = false;
  std::deque<Answer> answers_;  ///< to what was sent and not received yet
};

FakeConnector::~FakeConnector() {
  EXPECT_TRUE(expected_.empty()) << "never sent: " << expected_.front().first;
  EXPECT_EQ(open_, 0) << "connections outlive their connector";
}

void FakeConnector::Expect(std::string command, Answer answer) {
  expected_.emplace_back(std::move(command), std::move(answer));
}

void FakeConnector::Otherwise(std::function<Answer(const std::vector<std::string>&)> answer) {
  otherwise_ = std::move(answer);
}

Result<std::unique_ptr<Connection>> FakeConnector::Connect(MonotonicTime deadline) {
  if (hangs_) {
    EXPECT_NE(deadline, kNever) << "a connection is awaited for ever";
    if (deadline != kNever && deadline > runtime_.Now()) runtime_.AdvanceTo(deadline);
    return Status(StatusCode::kUnavailable, "not reached before the deadline");
  }
  if (!connect_failures_.empty()) {
    Status failure = std::move(connect_failures_.front());
    connect_failures_.pop_front();
    return failure;
  }
  if (every_connect_) return *every_connect_;
  return std::unique_ptr<Connection>(std::make_unique<FakeConnection>(*this, connects_++));
}

Answer FakeConnector::Take(std::vector<std::string> argv, int connection) {
  const std::string command = argv[0];
  sent_.push_back({std::move(argv), connection, runtime_.Now()});
  if (expected_.empty()) {
    if (otherwise_) return otherwise_(sent_.back().argv);
    ADD_FAILURE() << "unexpected " << command;
    return Answer::Cancelled();
  }
  auto [name, answer] = std::move(expected_.front());
  expected_.pop_front();
  if (name == FakeConnector::kAnyScript) {
    EXPECT_TRUE(command == "EVAL" || command == "EVALSHA") << "as command " << sent_.size();
  } else {
    EXPECT_EQ(command, name) << "as command " << sent_.size();
  }
  return answer;
}

}  // namespace interlock::testing
