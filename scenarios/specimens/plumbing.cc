// SPDX-License-Identifier: MIT
#include "scenarios/specimens/plumbing.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

namespace interlock::scenarios::specimens {
namespace {

constexpr Duration kSocketTimeout = std::chrono::seconds(2);  // the Java client's default
constexpr std::chrono::milliseconds kRetrySleep{100};

std::string KeyOf(const harness::LockOptions& options) {
  return options.key_prefix + options.resource;
}

/// "Every exception is printed and becomes false": only the end of the world is passed on.
Status Fold(const Status& status, StatusCode into) {
  if (status.ok() || status.code() == StatusCode::kCancelled) return status;
  return Status(into, status.message());
}

class StringHold final : public harness::Hold {
 public:
  StringHold(std::shared_ptr<RedisClient> redis, const StringLockRecipe& recipe, Attempt attempt,
             MonotonicTime valid_until)
      : redis_(std::move(redis)),
        recipe_(recipe),
        attempt_(std::move(attempt)),
        valid_until_(valid_until) {}

  std::string owner_token() const override { return attempt_.token; }
  MonotonicTime valid_until() const override { return valid_until_; }
  Status Release() override {
    return Fold(recipe_.unlock(*redis_, attempt_), StatusCode::kNotOwner);
  }

 private:
  std::shared_ptr<RedisClient> redis_;
  StringLockRecipe recipe_;
  Attempt attempt_;
  MonotonicTime valid_until_;
};

class StringLock final : public harness::Lock {
 public:
  StringLock(harness::Environment& environment, const harness::LockOptions& options,
             const StringLockRecipe& recipe)
      : redis_(std::make_shared<RedisClient>(environment, kSocketTimeout)),
        recipe_(recipe),
        key_(KeyOf(options)),
        lease_(options.lease) {}

  Result<std::unique_ptr<harness::Hold>> TryAcquire() override {
    Runtime& runtime = redis_->runtime();
    Attempt attempt{key_, NewToken(runtime), lease_};
    const Duration lease = lease_;
    const MonotonicTime valid_until = AddSaturating(runtime.Now(), lease - lease / 100);
    const Status locked = recipe_.lock(*redis_, attempt);
    if (!locked.ok()) return Fold(locked, StatusCode::kNotAcquired);
    if (runtime.Now() >= valid_until) {
      return Status(StatusCode::kUnknownOutcome, "the grant arrived when its lease was over");
    }
    return std::unique_ptr<harness::Hold>(
        std::make_unique<StringHold>(redis_, recipe_, std::move(attempt), valid_until));
  }

  Result<std::unique_ptr<harness::Hold>> AcquireUntil(MonotonicTime deadline) override {
    for (;;) {
      Result<std::unique_ptr<harness::Hold>> hold = TryAcquire();
      if (hold.code() != StatusCode::kNotAcquired) return hold;
      const Duration left = deadline - redis_->runtime().Now();
      if (left <= Duration::zero()) return Status(StatusCode::kTimeout, "not acquired in time");
      redis_->Sleep(std::min<Duration>(left, kRetrySleep));
    }
  }

 private:
  std::shared_ptr<RedisClient> redis_;
  StringLockRecipe recipe_;
  std::string key_;
  std::chrono::milliseconds lease_;
};

class StringSubject final : public harness::Subject {
 public:
  explicit StringSubject(const StringLockRecipe& recipe) : recipe_(recipe) {}

  std::string_view name() const override { return recipe_.name; }
  std::string_view summary() const override { return recipe_.summary; }

  std::unique_ptr<harness::Lock> NewLock(harness::Environment& environment,
                                         const harness::LockOptions& options) const override {
    return std::make_unique<StringLock>(environment, options, recipe_);
  }

  std::optional<std::vector<harness::Owner>> Owners(
      const harness::ServerView& server, const harness::LockOptions& options) const override {
    const std::string key = KeyOf(options);
    std::vector<harness::Owner> owners;
    if (std::optional<std::string> token = server.String(key)) {
      owners.push_back({std::move(*token), server.ExpiresAtMs(key)});
    }
    return owners;
  }

  std::chrono::milliseconds WakeUpBound(const harness::LockOptions& options) const override {
    return options.lease + kRetrySleep;
  }

 private:
  StringLockRecipe recipe_;
};

}  // namespace

Status RedisClient::Open() {
  if (connection_ != nullptr && !connection_->broken()) return Status();
  connection_.reset();
  Result<std::unique_ptr<Connection>> opened =
      environment_.connector.Connect(AddSaturating(runtime().Now(), socket_timeout_));
  if (!opened.ok()) return opened.status();
  connection_ = std::move(opened).value();
  return Status();
}

Result<Reply> RedisClient::Call(std::initializer_list<std::string_view> argv) {
  if (Status opened = Open(); !opened.ok()) return opened;
  return CallUntil(argv, AddSaturating(runtime().Now(), socket_timeout_));
}

Result<Reply> RedisClient::CallUntil(std::initializer_list<std::string_view> argv,
                                     MonotonicTime deadline) {
  if (Status opened = Open(); !opened.ok()) return opened;
  return connection_->Call(std::span<const std::string_view>(argv.begin(), argv.size()), deadline);
}

void RedisClient::Sleep(Duration length) {
  runtime().NewEvent()->WaitUntil(AddSaturating(runtime().Now(), length));
}

std::string NewToken(Runtime& runtime) {
  std::array<std::byte, 16> bytes{};
  runtime.FillRandom(bytes);
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string token;
  token.reserve(2 * bytes.size());
  for (const std::byte byte : bytes) {
    const auto value = std::to_integer<unsigned>(byte);
    token += kDigits[value >> 4U];
    token += kDigits[value & 15U];
  }
  return token;
}

Status CompareAndDelete(RedisClient& redis, const std::string& key, const std::string& token) {
  constexpr std::string_view kScript =
      "if redis.call('get', KEYS[1]) == ARGV[1] then return redis.call('del', KEYS[1]) "
      "else return 0 end";
  return ExpectInteger(redis.Call({"EVAL", kScript, "1", key, token}), 1, StatusCode::kNotOwner);
}

Status SetIfAbsent(RedisClient& redis, const std::string& key, const std::string& token,
                   std::chrono::milliseconds lease) {
  const Result<Reply> reply =
      redis.Call({"SET", key, token, "NX", "PX", std::to_string(lease.count())});
  if (!reply.ok()) return reply.status();
  return reply->IsStatus("OK") ? Status() : Status(StatusCode::kNotAcquired, "taken");
}

Status ExpectInteger(const Result<Reply>& reply, std::int64_t expected, StatusCode otherwise) {
  if (!reply.ok()) return reply.status();
  if (reply->IsInteger() && reply->integer == expected) return Status();
  return Status(otherwise, reply->IsError() ? reply->text : std::string());
}

std::shared_ptr<const harness::Subject> MakeStringLock(const StringLockRecipe& recipe) {
  return std::make_shared<const StringSubject>(recipe);
}

}  // namespace interlock::scenarios::specimens
