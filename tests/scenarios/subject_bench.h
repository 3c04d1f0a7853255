// SPDX-License-Identifier: MIT
//
// A subject against the fake Redis, called directly: no scheduler, no network, one thread, time
// moved by hand. Tasks run at once, so it is not for what works beside its caller.
//
// Thread safety: none.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <interlock/harness/lock.h>

#include "sim/redis/server.h"

namespace interlock::scenarios {

inline constexpr std::chrono::milliseconds kBenchLease{1000};
inline constexpr int kBenchParties = 2;

/// One Redis, one clock, and the few accidents that such tests need.
class Bench final : public Runtime, public Connector, public sim::redis::Sink {
 public:
  Bench() {
    server_.SetSink(this);
    Advance(Duration::zero());
  }

  // Runtime
  MonotonicTime Now() override { return MonotonicTime(elapsed_); }
  std::unique_ptr<Event> NewEvent() override;
  std::unique_ptr<Task> Spawn(std::string_view /*name*/, std::function<void()> body) override {
    body();
    return nullptr;
  }
  void FillRandom(std::span<std::byte> bytes) override {
    ++random_;
    for (std::size_t i = 0; i < bytes.size(); ++i) {
      bytes[i] = static_cast<std::byte>((random_ >> (8 * (i % 8))) & 0xffU);
    }
  }

  // Connector
  Result<std::unique_ptr<Connection>> Connect(MonotonicTime deadline) override;
  std::string endpoint() const override { return "bench"; }

  // Sink
  void OnReply(sim::redis::ClientId client, sim::redis::Value& value) override;
  void OnClosed(sim::redis::ClientId /*client*/) override {}

  void Advance(Duration by) {
    elapsed_ += by;
    constexpr std::int64_t kEpochUs = 1'700'000'000'000'000;
    const auto us = std::chrono::duration_cast<std::chrono::microseconds>(elapsed_).count();
    server_.SetTime(kEpochUs + us);
    server_.RunTimers();
  }

  /// A latch has kBenchParties.
  std::unique_ptr<harness::Lock> NewLock(const harness::Subject& subject);
  const harness::LockOptions& options() const { return options_; }
  sim::redis::Server& server() { return server_; }
  int sent() const { return sent_; }

  /// From the n-th next command on, every call fails as it does when a run is torn down.
  void CancelAfter(int commands) { cancel_at_ = sent_ + commands; }
  /// The connection breaks after the next command of this name has been executed.
  void LoseReplyTo(std::string_view command) { lose_reply_to_ = command; }
  /// Runs once, before the next command of this name.
  void Before(std::string_view command, std::function<void()> action) {
    before_command_ = command;
    before_ = std::move(action);
  }
  std::optional<std::int64_t> TtlOf(std::string_view key) {
    return server_.PeekExpiresAtMs(0, key);
  }

 private:
  friend class BenchConnection;
  friend class BenchEvent;

  bool cancelled() const { return cancel_at_.has_value() && sent_ >= *cancel_at_; }

  sim::redis::Server server_;
  std::map<sim::redis::ClientId, std::deque<Reply>> replies_;
  Duration elapsed_{};
  std::uint64_t random_ = 0;
  int sent_ = 0;
  std::optional<int> cancel_at_;
  std::string lose_reply_to_;
  std::string before_command_;
  std::function<void()> before_;
  harness::Environment environment_{
      *this, *this, {this}, [this] { return server_.time_us() / 1000; }};
  harness::LockOptions options_{"test:", "job", kBenchLease, 1};
};

/// What a subject reads of the bench's server.
class BenchView final : public harness::ServerView {
 public:
  explicit BenchView(const sim::redis::Server& server) : server_(server) {}
  std::optional<std::string> String(std::string_view key) const override {
    return server_.PeekString(0, key);
  }
  std::vector<std::string> List(std::string_view key) const override {
    return server_.PeekList(0, key);
  }
  std::vector<std::pair<std::string, std::string>> Hash(std::string_view key) const override {
    return server_.PeekHash(0, key);
  }
  std::vector<std::pair<std::string, double>> SortedSet(std::string_view key) const override {
    return server_.PeekSortedSet(0, key);
  }
  std::optional<std::int64_t> ExpiresAtMs(std::string_view key) const override {
    return server_.PeekExpiresAtMs(0, key);
  }
  std::int64_t NowMs() const override { return server_.time_us() / 1000; }

 private:
  const sim::redis::Server& server_;
};

}  // namespace interlock::scenarios
