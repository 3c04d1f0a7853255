// SPDX-License-Identifier: MIT
//
// A Connector whose server does exactly what a test scripted: one answer per command, in order. A
// command without a scripted answer fails the test. Everything that was sent is recorded.
//
//   ManualRuntime runtime;  FakeConnector connector(runtime);
//   connector.Expect("EVALSHA", Answer::Lost());
//   connector.Expect("EVALSHA", Answer::With(Integer(1)).After(50ms));
//
// Thread safety: none; one thread. Must outlive its connections.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <interlock/connection.h>

#include "tests/support/manual_runtime.h"

namespace interlock::testing {

Reply Nil();
Reply Integer(std::int64_t value);
Reply Text(std::string value);
Reply ErrorReply(std::string value);
Reply Array(std::vector<Reply> elements);

struct Answer {
  enum class Kind : std::uint8_t {
    kReply,       ///< `reply`, `delay` after it was sent; too late if that is past the deadline
    kLost,        ///< never answered: the deadline passes, kUnknownOutcome
    kReset,       ///< the connection breaks at once after sending, kUnknownOutcome
    kNotSent,     ///< it was dead before, kUnavailable
    kSentInPart,  ///< it broke while sending, kUnknownOutcome
    kCancelled,   ///< the runtime is shutting down
    kTimesOut,    ///< for BLPOP: nil, after the time-out that the command itself names
  };

  static Answer With(Reply reply) { return {Kind::kReply, std::move(reply), Duration(0)}; }
  static Answer Lost() { return {Kind::kLost, Reply(), Duration(0)}; }
  static Answer Reset() { return {Kind::kReset, Reply(), Duration(0)}; }
  static Answer NotSent() { return {Kind::kNotSent, Reply(), Duration(0)}; }
  static Answer SentInPart() { return {Kind::kSentInPart, Reply(), Duration(0)}; }
  static Answer Cancelled() { return {Kind::kCancelled, Reply(), Duration(0)}; }
  static Answer TimesOut() { return {Kind::kTimesOut, Reply(), Duration(0)}; }
  Answer After(Duration time) && { return {kind, std::move(reply), time}; }

  Kind kind = Kind::kReply;
  Reply reply;
  Duration delay{};
};

struct SentCommand {
  std::vector<std::string> argv;
  int connection = 0;  ///< 0, 1, 2, ... in the order of connecting
  MonotonicTime sent{};
};

class FakeConnector final : public Connector {
 public:
  explicit FakeConnector(ManualRuntime& runtime, std::string endpoint = "redis://fake:6379/0")
      : runtime_(runtime), endpoint_(std::move(endpoint)) {}
  /// Fails the test if an expected command was never sent.
  ~FakeConnector() override;

  /// For Expect: a script, by its hash or by its text.
  static constexpr const char* kAnyScript = "EVAL or EVALSHA";

  /// The next command must be `command` (its first word).
  void Expect(std::string command, Answer answer);
  /// Answers every command that is not expected one by one.
  void Otherwise(std::function<Answer(const std::vector<std::string>&)> answer);
  /// The next Connect fails with `status`; may be called several times.
  void FailConnect(Status status) { connect_failures_.push_back(std::move(status)); }
  /// From now on every Connect fails, until it is called with nothing.
  void FailEveryConnect(std::optional<Status> status) { every_connect_ = std::move(status); }

  /// From now on every Connect waits in vain until its deadline.
  void HangEveryConnect() { hangs_ = true; }

  Result<std::unique_ptr<Connection>> Connect(MonotonicTime deadline) override;
  std::string endpoint() const override { return endpoint_; }

  const std::vector<SentCommand>& sent() const { return sent_; }
  /// What was sent by SendLast, which nobody answers.
  const std::vector<SentCommand>& sent_last() const { return sent_last_; }
  int connects() const { return connects_; }
  int open_connections() const { return open_; }

 private:
  class FakeConnection;

  Answer Take(std::vector<std::string> argv, int connection);

  ManualRuntime& runtime_;
  const std::string endpoint_;
  std::deque<std::pair<std::string, Answer>> expected_;
  std::function<Answer(const std::vector<std::string>&)> otherwise_;
  std::deque<Status> connect_failures_;
  std::optional<Status> every_connect_;
  std::vector<SentCommand> sent_;
  std::vector<SentCommand> sent_last_;
  bool hangs_ = false;
  int connects_ = 0;
  int open_ = 0;
};

}  // namespace interlock::testing
