// SPDX-License-Identifier: MIT
#include "tests/scenarios/hand_over_subject.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

namespace interlock::scenarios::testing {
namespace {

constexpr Duration kHandOverTimeout = std::chrono::seconds(1);
constexpr Duration kLook = std::chrono::milliseconds(20);

// KEYS: lock, queue of waiting tokens. ARGV: token, lease in ms, 1 to queue up. The answer is what
// is left of the own lease, or -1. What has come free because a lease ran out is for the first in
// line, as soon as it looks.
constexpr std::string_view kAcquire =
    "local owner = redis.call('GET', KEYS[1]) "
    "local first = redis.call('LINDEX', KEYS[2], 0) "
    "if not owner and (not first or first == ARGV[1]) then "
    "if first then redis.call('LPOP', KEYS[2]) end "
    "redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2]) owner = ARGV[1] end "
    "if owner == ARGV[1] then return redis.call('PTTL', KEYS[1]) end "
    "if ARGV[3] == '1' then "
    "if not redis.call('LPOS', KEYS[2], ARGV[1]) then redis.call('RPUSH', KEYS[2], ARGV[1]) end "
    "redis.call('PEXPIRE', KEYS[2], ARGV[2]) end return -1";
constexpr std::string_view kRelease =
    "redis.call('LREM', KEYS[2], 0, ARGV[1]) "
    "if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end "
    "local waiter = redis.call('LPOP', KEYS[2]) "
    "if waiter then redis.call('SET', KEYS[1], waiter, 'PX', ARGV[2]) "
    "else redis.call('DEL', KEYS[1]) end return 1";

class HandOverLine {
 public:
  HandOverLine(harness::Environment& environment, const harness::LockOptions& options)
      : runtime_(environment.runtime),
        connector_(environment.connector),
        lock_(options.key_prefix + options.resource),
        queue_(lock_ + ":queue"),
        lease_(std::to_string(options.lease.count())) {}

  Result<Reply> Run(std::string_view script, std::string_view token, std::string_view queue_up) {
    const MonotonicTime deadline = AddSaturating(runtime_.Now(), kHandOverTimeout);
    if (connection_ == nullptr) {
      auto made = connector_.Connect(deadline);
      if (!made.ok()) return made.status();
      connection_ = std::move(made).value();
    }
    const std::array<std::string_view, 8> argv = {"EVAL", script, "2",    lock_,
                                                  queue_, token,  lease_, queue_up};
    return connection_->Call(argv, deadline);
  }
  Runtime& runtime() { return runtime_; }

 private:
  Runtime& runtime_;
  Connector& connector_;
  const std::string lock_;
  const std::string queue_;
  const std::string lease_;
  std::unique_ptr<Connection> connection_;
};

class HandOverHold final : public harness::Hold {
 public:
  HandOverHold(std::shared_ptr<HandOverLine> line, std::string token, MonotonicTime valid_until)
      : line_(std::move(line)), token_(std::move(token)), valid_until_(valid_until) {}

  std::string owner_token() const override { return token_; }
  MonotonicTime valid_until() const override { return valid_until_; }
  Status Release() override {
    const Result<Reply> reply = line_->Run(kRelease, token_, "0");
    if (!reply.ok()) return reply.status();
    return reply->integer == 1 ? Status() : Status(StatusCode::kNotOwner);
  }

 private:
  std::shared_ptr<HandOverLine> line_;
  const std::string token_;
  const MonotonicTime valid_until_;
};

class HandOverLock final : public harness::Lock {
 public:
  HandOverLock(harness::Environment& environment, const harness::LockOptions& options)
      : line_(std::make_shared<HandOverLine>(environment, options)) {}

  Result<std::unique_ptr<harness::Hold>> TryAcquire() override { return Ask(NewToken(), "0"); }

  Result<std::unique_ptr<harness::Hold>> AcquireUntil(MonotonicTime deadline) override {
    const std::string token = NewToken();
    for (;;) {
      auto hold = Ask(token, "1");
      if (hold.code() != StatusCode::kNotAcquired) return hold;
      if (line_->runtime().Now() >= deadline) return GiveUp(token);
      line_->runtime().NewEvent()->WaitUntil(
          std::min(deadline, AddSaturating(line_->runtime().Now(), kLook)));
    }
  }

 private:
  Result<std::unique_ptr<harness::Hold>> Ask(const std::string& token, std::string_view queue_up) {
    const MonotonicTime sent = line_->runtime().Now();
    const Result<Reply> reply = line_->Run(kAcquire, token, queue_up);
    if (!reply.ok()) return reply.status();
    if (!reply->IsInteger() || reply->integer < 0) return Status(StatusCode::kNotAcquired);
    const Duration left = std::chrono::milliseconds(reply->integer);
    return std::unique_ptr<harness::Hold>(
        std::make_unique<HandOverHold>(line_, token, sent + left * 99 / 100));
  }

  /// Leaves the queue; if the lock came in the same moment, gives it on.
  Status GiveUp(const std::string& token) {
    const Result<Reply> reply = line_->Run(kRelease, token, "0");
    return reply.ok() ? Status(StatusCode::kTimeout) : reply.status();
  }

  std::string NewToken() {
    std::array<std::byte, 8> bytes{};
    line_->runtime().FillRandom(bytes);
    std::string token;
    for (const std::byte byte : bytes) token += std::to_string(std::to_integer<int>(byte)) + ".";
    return token;
  }

  std::shared_ptr<HandOverLine> line_;
};

class HandOver final : public harness::Subject {
 public:
  std::string_view name() const override { return "test/hand-over"; }
  std::string_view summary() const override { return "the release grants to the next waiter"; }
  harness::Traits traits() const override { return {.bypass_bound = 0}; }
  std::unique_ptr<harness::Lock> NewLock(harness::Environment& environment,
                                         const harness::LockOptions& options) const override {
    return std::make_unique<HandOverLock>(environment, options);
  }
  std::optional<std::vector<harness::Owner>> Owners(
      const harness::ServerView& server, const harness::LockOptions& options) const override {
    const std::string key = options.key_prefix + options.resource;
    std::vector<harness::Owner> owners;
    if (auto token = server.String(key))
      owners.push_back({*token, server.ExpiresAtMs(key), false, harness::LastMs::kOwned});
    return owners;
  }
  std::vector<harness::AuxiliaryKey> AuxiliaryKeys(
      const harness::LockOptions& options) const override {
    return {{options.key_prefix + options.resource + ":queue", options.lease}};
  }
};

}  // namespace

std::shared_ptr<const harness::Subject> HandOverSubject() { return std::make_shared<HandOver>(); }

}  // namespace interlock::scenarios::testing
