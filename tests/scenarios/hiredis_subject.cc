// SPDX-License-Identifier: MIT
#include "tests/scenarios/hiredis_subject.h"

#include <hiredis/hiredis.h>
#include <sys/random.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <ctime>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

namespace interlock::scenarios::testing {
namespace {

constexpr useconds_t kBetweenTriesUs = 50'000;
constexpr const char* kDeleteIfMine =
    "if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end return 0";

MonotonicTime Now() {
  timespec time{};
  ::clock_gettime(CLOCK_MONOTONIC, &time);
  return MonotonicTime(std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec));
}

std::string NewToken() {
  std::array<unsigned char, 8> bytes{};
  if (::getrandom(bytes.data(), bytes.size(), 0) < 0) return {};
  std::string token;
  for (const unsigned char byte : bytes) {
    token += "0123456789abcdef"[byte >> 4U];
    token += "0123456789abcdef"[byte & 15U];
  }
  return token;
}

/// One connection, made anew when it broke.
class Line {
 public:
  explicit Line(const HiredisLockOptions& how) : how_(how) {}
  ~Line() { Close(); }
  Line(const Line&) = delete;
  Line& operator=(const Line&) = delete;

  const HiredisLockOptions& how() const { return how_; }

  Status Open() {
    if (context_ != nullptr) return Status();
    context_ = redisConnectWithTimeout("redis", 6379, {1, 0});
    if (context_ != nullptr && context_->err == 0) {
      redisSetTimeout(context_, {1, 0});
      return Status();
    }
    Close();
    return Status(StatusCode::kUnavailable, "not connected");
  }

  /// Null: the outcome is unknown. REQUIRES: Open has succeeded.
  template <typename... Words>
  redisReply* Ask(const char* command, Words... words) {
    auto* reply = static_cast<redisReply*>(redisCommand(context_, command, words...));
    if (reply != nullptr) return reply;
    if (how_.keeps_late_connections && context_->err == REDIS_ERR_IO && errno == EAGAIN) {
      context_->err = 0;
    } else {
      Close();
    }
    return nullptr;
  }

 private:
  void Close() {
    if (context_ != nullptr) redisFree(std::exchange(context_, nullptr));
  }

  const HiredisLockOptions& how_;
  redisContext* context_ = nullptr;
};

class LineHold final : public harness::Hold {
 public:
  LineHold(std::shared_ptr<Line> line, std::string key, std::string token, MonotonicTime until)
      : line_(std::move(line)), key_(std::move(key)), token_(std::move(token)), until_(until) {}

  std::string owner_token() const override { return token_; }
  MonotonicTime valid_until() const override { return until_; }

  Status Release() override {
    if (Status open = line_->Open(); !open.ok()) return open;
    redisReply* const reply =
        line_->how().deletes_blindly
            ? line_->Ask("DEL %s", key_.c_str())
            : line_->Ask("EVAL %s 1 %s %s", kDeleteIfMine, key_.c_str(), token_.c_str());
    if (reply == nullptr) return Status(StatusCode::kUnknownOutcome);
    const bool deleted = reply->type == REDIS_REPLY_INTEGER && reply->integer == 1;
    const bool answered = reply->type == REDIS_REPLY_INTEGER;
    freeReplyObject(reply);
    if (!answered) return Status(StatusCode::kUnavailable, "the server refused");
    return deleted ? Status() : Status(StatusCode::kNotOwner);
  }

 private:
  std::shared_ptr<Line> line_;
  std::string key_;
  std::string token_;
  MonotonicTime until_;
};

class LineLock final : public harness::Lock {
 public:
  LineLock(const harness::LockOptions& options, const HiredisLockOptions& how)
      : line_(std::make_shared<Line>(how)),
        key_(options.key_prefix + options.resource),
        lease_(options.lease) {}

  Result<std::unique_ptr<harness::Hold>> TryAcquire() override {
    if (Status open = line_->Open(); !open.ok()) return open;
    const std::string token = NewToken();
    const MonotonicTime until = Now() + lease_ - lease_ / 100;
    redisReply* const reply = line_->Ask("SET %s %s NX PX %lld", key_.c_str(), token.c_str(),
                                         static_cast<long long>(lease_.count()));
    if (reply == nullptr) return Status(StatusCode::kUnknownOutcome);
    const int type = reply->type;
    freeReplyObject(reply);
    if (type == REDIS_REPLY_NIL) return Status(StatusCode::kNotAcquired);
    if (type != REDIS_REPLY_STATUS) return Status(StatusCode::kUnavailable, "the server refused");
    if (Now() >= until) return Status(StatusCode::kUnknownOutcome, "too late");
    return std::unique_ptr<harness::Hold>(std::make_unique<LineHold>(line_, key_, token, until));
  }

  Result<std::unique_ptr<harness::Hold>> AcquireUntil(MonotonicTime deadline) override {
    for (;;) {
      auto hold = TryAcquire();
      if (hold.code() != StatusCode::kNotAcquired) return hold;
      const MonotonicTime now = Now();
      if (now >= deadline) return Status(StatusCode::kTimeout);
      const auto left = std::chrono::ceil<std::chrono::microseconds>(deadline - now).count();
      ::usleep(left < kBetweenTriesUs ? static_cast<useconds_t>(left) : kBetweenTriesUs);
    }
  }

 private:
  std::shared_ptr<Line> line_;
  const std::string key_;
  const std::chrono::milliseconds lease_;
};

class OnHiredis final : public harness::Subject {
 public:
  explicit OnHiredis(HiredisLockOptions how) : how_(std::move(how)) {}

  std::string_view name() const override { return how_.name; }
  std::string_view summary() const override { return "a lock on hiredis, as it was compiled"; }
  harness::Traits traits() const override { return {.posix = true}; }

  std::unique_ptr<harness::Lock> NewLock(harness::Environment& /*environment*/,
                                         const harness::LockOptions& options) const override {
    return std::make_unique<LineLock>(options, how_);
  }

  std::optional<std::vector<harness::Owner>> Owners(
      const harness::ServerView& server, const harness::LockOptions& options) const override {
    std::vector<harness::Owner> owners;
    const std::string key = options.key_prefix + options.resource;
    if (auto token = server.String(key)) {
      owners.push_back(
          {std::move(*token), server.ExpiresAtMs(key), false, harness::LastMs::kOwned});
    }
    return owners;
  }

  std::chrono::milliseconds WakeUpBound(const harness::LockOptions& options) const override {
    return options.lease + std::chrono::milliseconds(kBetweenTriesUs / 1000);
  }

 private:
  const HiredisLockOptions how_;
};

}  // namespace

std::shared_ptr<const harness::Subject> HiredisSubject(HiredisLockOptions options) {
  return std::make_shared<const OnHiredis>(std::move(options));
}

}  // namespace interlock::scenarios::testing
