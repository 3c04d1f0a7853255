// SPDX-License-Identifier: MIT
#include "tests/scenarios/plain_subject.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <initializer_list>
#include <span>
#include <string_view>
#include <utility>

namespace interlock::scenarios::testing {
namespace {

constexpr Duration kCallTimeout = std::chrono::seconds(1);
constexpr Duration kPoll = std::chrono::milliseconds(50);
constexpr std::string_view kDeleteIfMine =
    "if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end return 0";

std::string KeyOf(const harness::LockOptions& options) {
  return options.key_prefix + options.resource;
}

/// One connection, made anew when it broke.
class Line {
 public:
  explicit Line(harness::Environment& environment) : environment_(environment) {}

  MonotonicTime Now() { return environment_.runtime.Now(); }
  Runtime& runtime() { return environment_.runtime; }

  Result<Reply> Call(std::span<const std::string_view> argv) {
    const MonotonicTime deadline = AddSaturating(Now(), kCallTimeout);
    if (connection_ == nullptr || connection_->broken()) {
      auto made = environment_.connector.Connect(deadline);
      if (!made.ok()) return made.status();
      connection_ = std::move(made).value();
    }
    return connection_->Call(argv, deadline);
  }
  Result<Reply> Call(std::initializer_list<std::string_view> argv) {
    return Call(std::span(argv.begin(), argv.size()));
  }

 private:
  harness::Environment environment_;
  std::unique_ptr<Connection> connection_;
};

struct Grant {
  std::string key;
  std::string token;
  MonotonicTime valid_until{};
};

class PlainHold final : public harness::Hold {
 public:
  PlainHold(std::shared_ptr<Line> line, Grant grant, const PlainOptions& plain)
      : line_(std::move(line)), grant_(std::move(grant)), plain_(plain) {}

  std::string owner_token() const override { return grant_.token; }
  MonotonicTime valid_until() const override { return grant_.valid_until; }

  Status Extend() override { return Status(); }

  Status Release() override {
    if (plain_.release_answer.has_value()) return Status(*plain_.release_answer);
    for (;;) {
      const Result<Reply> reply = Ask();
      if (!reply.ok()) return reply.status();
      if (reply->IsInteger() && reply->integer == 1) return Status();
      if (!plain_.release_asks_on) return Status(StatusCode::kNotOwner);
    }
  }

 private:
  Result<Reply> Ask() {
    if (plain_.release_blindly) return line_->Call({"DEL", grant_.key});
    return line_->Call({"EVAL", kDeleteIfMine, "1", grant_.key, grant_.token});
  }

  std::shared_ptr<Line> line_;
  Grant grant_;
  const PlainOptions& plain_;
};

class PlainLock final : public harness::Lock {
 public:
  PlainLock(harness::Environment& environment, const harness::LockOptions& options,
            const PlainOptions& plain)
      : line_(std::make_shared<Line>(environment)), options_(options), plain_(plain) {}

  Result<std::unique_ptr<harness::Hold>> TryAcquire() override {
    if (!plain_.preface.empty()) {
      const std::vector<std::string_view> argv(plain_.preface.begin(), plain_.preface.end());
      if (const auto reply = line_->Call(argv); !reply.ok()) return reply.status();
    }
    const std::int64_t granted_ms = options_.lease.count() * plain_.lease_percent / 100;
    const Duration lease = std::chrono::milliseconds(granted_ms);
    const Duration delay = options_.lease * plain_.delay_percent / 100;
    Grant grant{KeyOf(options_), NewToken(),
                AddSaturating(line_->Now(), lease - lease / 100 - delay)};
    const std::string lease_ms = std::to_string(granted_ms);
    const Result<Reply> reply = line_->Call({"SET", grant.key, grant.token, "NX", "PX", lease_ms});
    if (!reply.ok()) return reply.status();
    if (!reply->IsStatus("OK")) return Status(StatusCode::kNotAcquired);
    if (line_->Now() >= grant.valid_until) return Status(StatusCode::kUnknownOutcome, "too late");
    return std::unique_ptr<harness::Hold>(
        std::make_unique<PlainHold>(line_, std::move(grant), plain_));
  }

  Result<std::unique_ptr<harness::Hold>> AcquireUntil(MonotonicTime deadline) override {
    for (;;) {
      auto hold = TryAcquire();
      if (hold.code() != StatusCode::kNotAcquired) return hold;
      if (line_->Now() >= deadline) return Status(StatusCode::kTimeout);
      line_->runtime().NewEvent()->WaitUntil(
          std::min(deadline, AddSaturating(line_->Now(), kPoll)));
    }
  }

 private:
  std::string NewToken() {
    std::array<std::byte, 8> bytes{};
    line_->runtime().FillRandom(bytes);
    std::string token;
    for (const std::byte byte : bytes) {
      token += "0123456789abcdef"[std::to_integer<unsigned>(byte) >> 4U];
      token += "0123456789abcdef"[std::to_integer<unsigned>(byte) & 15U];
    }
    return token;
  }

  std::shared_ptr<Line> line_;
  const harness::LockOptions options_;
  const PlainOptions& plain_;
};

class Plain final : public harness::Subject {
 public:
  explicit Plain(PlainOptions options) : plain_(std::move(options)) {}

  std::string_view name() const override { return plain_.name; }
  std::string_view summary() const override { return "the smallest honest lock"; }
  harness::Traits traits() const override {
    harness::Traits traits;
    traits.can_extend = plain_.extend_in_words_only;
    traits.lock_delay = plain_.delay_percent > 0;
    traits.os_threads = plain_.os_threads;
    return traits;
  }

  std::unique_ptr<harness::Lock> NewLock(harness::Environment& environment,
                                         const harness::LockOptions& options) const override {
    if (plain_.on_new_lock) plain_.on_new_lock(options);
    return std::make_unique<PlainLock>(environment, options, plain_);
  }

  std::optional<std::vector<harness::Owner>> Owners(
      const harness::ServerView& server, const harness::LockOptions& options) const override {
    if (plain_.hide_owner) return std::nullopt;
    std::vector<harness::Owner> owners;
    const std::string key = KeyOf(options);
    if (auto token = server.String(key)) {
      owners.push_back(
          {std::move(*token), server.ExpiresAtMs(key), false, harness::LastMs::kOwned});
    }
    return owners;
  }

  std::chrono::milliseconds WakeUpBound(const harness::LockOptions& options) const override {
    return options.lease + std::chrono::duration_cast<std::chrono::milliseconds>(kPoll);
  }

 private:
  const PlainOptions plain_;
};

}  // namespace

std::shared_ptr<const harness::Subject> PlainSubject(PlainOptions options) {
  return std::make_shared<const Plain>(std::move(options));
}

}  // namespace interlock::scenarios::testing
