// SPDX-License-Identifier: MIT
#include <algorithm>
#include <chrono>
#include <utility>
#include <vector>

#include <interlock/harness/compiled_lock.h>

namespace interlock::harness {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kBetweenTries{10};
constexpr int kDriftPart = 100;

class CompiledHold final : public Hold {
 public:
  CompiledHold(std::shared_ptr<CompiledLock> lock, Runtime& runtime, MonotonicTime until)
      : lock_(std::move(lock)),
        runtime_(runtime),
        token_(lock_->token()),
        granted_until_(until),
        until_(lock_->valid_until().value_or(until)) {}

  std::string owner_token() const override { return token_; }
  std::optional<bool> valid() const override {
    // In this order: a lock that asks its own thread may be held up.
    until_ = lock_->valid_until().value_or(granted_until_);
    return runtime_.Now() < until_;
  }
  MonotonicTime valid_until() const override {
    if (runtime_.Now() >= until_) until_ = lock_->valid_until().value_or(granted_until_);
    return until_;
  }

  Status Release() override {
    switch (lock_->Release()) {
      case Answer::kYes:
        return Status();
      case Answer::kNo:
        return Status(StatusCode::kNotOwner);
      case Answer::kUnknown:
        break;
    }
    return Status(StatusCode::kUnknownOutcome);
  }

 private:
  const std::shared_ptr<CompiledLock> lock_;
  Runtime& runtime_;
  const std::string token_;
  const MonotonicTime granted_until_;
  mutable MonotonicTime until_;  // as the lock said last
};

class PollingLock final : public Lock {
 public:
  PollingLock(std::unique_ptr<CompiledLock> lock, Runtime& runtime, milliseconds lease)
      : lock_(std::move(lock)), runtime_(runtime), lease_(lease) {}

  Result<std::unique_ptr<Hold>> TryAcquire() override {
    const MonotonicTime until = AddSaturating(runtime_.Now(), lease_ - lease_ / kDriftPart);
    switch (lock_->Acquire()) {
      case Answer::kYes: {
        auto hold = std::make_unique<CompiledHold>(lock_, runtime_, until);
        if (!*hold->valid()) return Status(StatusCode::kUnknownOutcome, "granted too late");
        return std::unique_ptr<Hold>(std::move(hold));
      }
      case Answer::kNo:
        return Status(StatusCode::kNotAcquired);
      case Answer::kUnknown:
        break;
    }
    return Status(StatusCode::kUnknownOutcome);
  }

  Result<std::unique_ptr<Hold>> AcquireUntil(MonotonicTime deadline) override {
    for (;;) {
      auto hold = TryAcquire();
      if (hold.code() != StatusCode::kNotAcquired) return hold;
      const MonotonicTime now = runtime_.Now();
      if (now >= deadline) return Status(StatusCode::kTimeout);
      runtime_.NewEvent()->WaitUntil(std::min(AddSaturating(now, kBetweenTries), deadline));
    }
  }

 private:
  const std::shared_ptr<CompiledLock> lock_;
  Runtime& runtime_;
  const milliseconds lease_;
};

class OfOneKey final : public Subject {
 public:
  OfOneKey(std::string name, MakeCompiledLock make, Traits traits)
      : name_(std::move(name)), make_(std::move(make)), traits_(std::move(traits)) {
    traits_.posix = true;
  }

  std::string_view name() const override { return name_; }
  std::string_view summary() const override { return "as it was compiled"; }
  Traits traits() const override { return traits_; }

  std::unique_ptr<Lock> NewLock(Environment& environment,
                                const LockOptions& options) const override {
    return std::make_unique<PollingLock>(make_(options), environment.runtime, options.lease);
  }

  std::optional<std::vector<Owner>> Owners(const ServerView& server,
                                           const LockOptions& options) const override {
    const std::string key = options.key_prefix + options.resource;
    std::optional<std::string> token = server.String(key);
    std::vector<Owner> owners;
    if (token.has_value()) {
      owners.push_back({*std::move(token), server.ExpiresAtMs(key), false, LastMs::kOwned});
    }
    return owners;
  }

  milliseconds WakeUpBound(const LockOptions& options) const override {
    return options.lease + kBetweenTries;
  }

 private:
  const std::string name_;
  const MakeCompiledLock make_;
  Traits traits_;
};

}  // namespace

std::shared_ptr<const Subject> CompiledSubject(std::string name, MakeCompiledLock make,
                                               Traits traits) {
  return std::make_shared<const OfOneKey>(std::move(name), std::move(make), std::move(traits));
}

}  // namespace interlock::harness
