// SPDX-License-Identifier: MIT
#include "scenarios/locks/specimens/recipe.h"

#include <algorithm>
#include <utility>

namespace interlock::scenarios::specimens {
namespace {

using std::chrono::milliseconds;

Status Fold(const Status& status, StatusCode into) {
  if (status.ok() || status.code() == StatusCode::kCancelled) return status;
  return Status(into, status.message());
}

class RecipeHold final : public harness::Hold {
 public:
  RecipeHold(std::shared_ptr<RedisClient> redis, const Recipe& recipe, Attempt attempt)
      : redis_(std::move(redis)), recipe_(recipe), attempt_(std::move(attempt)) {}

  std::string owner_token() const override { return attempt_.token; }
  std::optional<std::uint64_t> fencing_token() const override { return attempt_.fencing_token; }
  std::optional<bool> valid() const override {
    if (!recipe_.valid) return std::nullopt;
    return recipe_.valid(*redis_, attempt_);
  }
  MonotonicTime valid_until() const override { return attempt_.valid_until; }

  Status Extend() override {
    attempt_.asked = redis_->runtime().Now();
    // It keeps its user inside, and so may not outlast what it prolongs.
    if (attempt_.valid_until > attempt_.asked) redis_->WaitNoLongerThan(attempt_.valid_until);
    Status extended = recipe_.extend(*redis_, attempt_);
    redis_->WaitNoLongerThan(kNever);
    return extended;
  }

  Status Release() override {
    const Status released = recipe_.unlock(*redis_, attempt_);
    return recipe_.folds_errors ? Fold(released, StatusCode::kNotOwner) : released;
  }

 private:
  std::shared_ptr<RedisClient> redis_;
  const Recipe& recipe_;  // the subject's, which outlives every run
  Attempt attempt_;
};

class RecipeLock final : public harness::Lock {
 public:
  RecipeLock(harness::Environment& environment, const harness::LockOptions& options,
             const Recipe& recipe)
      : redis_(std::make_shared<RedisClient>(environment, recipe.socket_timeout)), recipe_(recipe) {
    attempt_.key = KeyOf(options);
    attempt_.client = NewToken(environment.runtime);
    attempt_.lease = options.lease;
    attempt_.permits = options.permits;
  }

  Result<std::unique_ptr<harness::Hold>> TryAcquire() override { return Try(false); }
  Result<std::unique_ptr<harness::Hold>> TryAcquireShared() override { return Try(true); }
  Result<std::unique_ptr<harness::Hold>> AcquireUntil(MonotonicTime deadline) override {
    return WaitUntil(deadline, {}, false);
  }
  Result<std::unique_ptr<harness::Hold>> AcquireSharedUntil(MonotonicTime deadline) override {
    return WaitUntil(deadline, {}, true);
  }
  Result<std::unique_ptr<harness::Hold>> AcquireUnlessStopped(
      MonotonicTime deadline, const std::stop_token& stop) override {
    if (stop.stop_requested()) return Status(StatusCode::kStopped, "stopped before");
    return WaitUntil(deadline, stop, false);
  }

  Result<std::vector<harness::SeenHolder>> Inspect() override {
    const Result<Reply> owner = redis_->Call({"GET", attempt_.key});
    if (!owner.ok()) return owner.status();
    if (!owner->IsString()) return std::vector<harness::SeenHolder>();
    return std::vector<harness::SeenHolder>{{owner->text}};
  }
  Status ForceRelease(const harness::SeenHolder& holder) override {
    Attempt seen = attempt_;
    seen.token = holder.token;
    return recipe_.force(*redis_, seen);
  }
  Status SetLimit(int limit) override { return recipe_.set_limit(*redis_, attempt_, limit); }

 private:
  Result<std::unique_ptr<harness::Hold>> Try(bool shared) {
    attempt_.shared = shared;
    attempt_.deadline.reset();
    attempt_.fencing_token.reset();
    return TryOnce();
  }

  Result<std::unique_ptr<harness::Hold>> WaitUntil(MonotonicTime deadline,
                                                   const std::stop_token& stop, bool shared) {
    Result<std::unique_ptr<harness::Hold>> hold = AskUntil(deadline, stop, shared);
    if (!hold.ok() && hold.code() != StatusCode::kCancelled && recipe_.leave) {
      if (Status left = recipe_.leave(*redis_, attempt_); !left.ok()) return left;
    }
    return hold;
  }

  Result<std::unique_ptr<harness::Hold>> AskUntil(MonotonicTime deadline,
                                                  const std::stop_token& stop, bool shared) {
    attempt_.stop = stop;
    attempt_.shared = shared;
    attempt_.deadline = deadline;
    attempt_.fencing_token.reset();
    attempt_.budget = deadline - redis_->runtime().Now();
    for (;;) {
      Result<std::unique_ptr<harness::Hold>> hold = TryOnce();
      if (hold.code() != StatusCode::kNotAcquired) return hold;
      const Duration left = *attempt_.deadline - redis_->runtime().Now();
      if (left <= Duration::zero()) return Status(StatusCode::kTimeout, "not acquired in time");
      if (stop.stop_requested()) return Status(StatusCode::kStopped, "stopped while it waited");
      if (recipe_.wait) {
        const Status waited = recipe_.wait(*redis_, attempt_);
        if (!waited.ok() && waited.code() != StatusCode::kNotAcquired) return waited;
      } else {
        redis_->SleepUnlessStopped(std::min<Duration>(left, recipe_.retry_sleep), stop);
      }
    }
  }

  Result<std::unique_ptr<harness::Hold>> TryOnce() {
    if (recipe_.start && !started_) {
      if (Status begun = recipe_.start(*redis_, attempt_); !begun.ok()) return begun;
      started_ = true;
    }
    const auto lock = [this](RedisClient& redis, Attempt& attempt) {
      const Status locked = recipe_.lock(redis, attempt);
      return recipe_.folds_errors ? Fold(locked, StatusCode::kNotAcquired) : locked;
    };
    const Status locked = specimens::TryOnce(*redis_, attempt_, lock);
    if (!locked.ok()) return locked;
    return std::unique_ptr<harness::Hold>(std::make_unique<RecipeHold>(redis_, recipe_, attempt_));
  }

  std::shared_ptr<RedisClient> redis_;
  const Recipe& recipe_;  // the subject's, which outlives every run
  Attempt attempt_;
  bool started_ = false;
};

class StepsSubject final : public RecipeSubject<Recipe, RecipeLock> {
 public:
  using RecipeSubject::RecipeSubject;

  harness::Traits traits() const override { return recipe_.traits; }

  std::optional<std::vector<harness::Owner>> Owners(
      const harness::ServerView& server, const harness::LockOptions& options) const override {
    return recipe_.owners ? recipe_.owners(server, options)
                          : RecipeSubject::Owners(server, options);
  }

  std::vector<harness::AuxiliaryKey> AuxiliaryKeys(
      const harness::LockOptions& options) const override {
    std::vector<harness::AuxiliaryKey> keys;
    for (const auto& [ending, leases, ttl] : recipe_.auxiliary) {
      keys.push_back(
          {KeyOf(options).append(ending), ttl.count() > 0 ? ttl : leases * options.lease});
    }
    return keys;
  }

  milliseconds WakeUpBound(const harness::LockOptions& options) const override {
    return recipe_.wake_up_bound ? recipe_.wake_up_bound(options)
                                 : options.lease + recipe_.retry_sleep;
  }

  std::optional<milliseconds> HandOverBound(const harness::LockOptions& options) const override {
    if (!recipe_.hand_over_bound) return std::nullopt;
    return recipe_.hand_over_bound(options);
  }

  std::optional<milliseconds> PassedOverBound(const harness::LockOptions& options) const override {
    if (!recipe_.passed_over_bound) return std::nullopt;
    return recipe_.passed_over_bound(options);
  }

  milliseconds BarredFor(const harness::LockOptions& options) const override {
    return recipe_.barred_for ? recipe_.barred_for(options) : Subject::BarredFor(options);
  }

  milliseconds StaysTakenFor(const harness::LockOptions& options) const override {
    return recipe_.stays_taken_for ? recipe_.stays_taken_for(options)
                                   : Subject::StaysTakenFor(options);
  }

  milliseconds OverrunBound(const harness::LockOptions& options) const override {
    return recipe_.overrun_bound.value_or(Subject::OverrunBound(options));
  }
};

/// nullopt: for ever. Never 0, which Redis takes for "for ever".
std::optional<milliseconds> Remaining(RedisClient& redis, const Attempt& attempt) {
  if (!attempt.deadline.has_value()) return milliseconds(1);
  if (*attempt.deadline == kNever) return std::nullopt;
  const Duration left = *attempt.deadline - redis.runtime().Now();
  return std::max(std::chrono::ceil<milliseconds>(left), milliseconds(1));
}

}  // namespace

MonotonicTime ValidFrom(MonotonicTime since, milliseconds lease) {
  const Duration whole = lease;
  return AddSaturating(since, whole - whole / 100);
}

Result<Reply> BlockingPop(RedisClient& redis, const Attempt& attempt, const std::string& list,
                          std::optional<milliseconds> most, std::string_view command) {
  std::optional<milliseconds> length = Remaining(redis, attempt);
  if (most.has_value()) length = std::min(length.value_or(*most), *most);
  if (!length.has_value()) return redis.CallUntil({command, list, "0"}, kNever);
  return redis.CallUntil({command, list, InSeconds(*length)},
                         AddSaturating(redis.runtime().Now(), *length + redis.socket_timeout()));
}

Status CallScript(RedisClient& redis, const Attempt& attempt, std::string_view script,
                  StatusCode otherwise) {
  return CallScript(redis, script, attempt.key, {attempt.token, Ms(attempt.lease)}, 1, otherwise);
}

Status LockCorrectly(RedisClient& redis, Attempt& attempt) {
  return SetIfAbsent(redis, attempt.key, attempt.token, attempt.lease);
}

Status UnlockCorrectly(RedisClient& redis, Attempt& attempt) {
  return CompareAndDelete(redis, attempt.key, attempt.token);
}

Status ExtendCorrectly(RedisClient& redis, Attempt& attempt) {
  constexpr std::string_view kScript =
      "if redis.call('get', KEYS[1]) == ARGV[1] then return redis.call('pexpire', KEYS[1], "
      "ARGV[2]) "
      "else return 0 end";
  return ExtendBy(redis, attempt, kScript);
}

Status ExtendBy(RedisClient& redis, Attempt& attempt, std::string_view script) {
  const Status extended = CallScript(redis, attempt, script, StatusCode::kNotOwner);
  if (extended.ok()) attempt.valid_until = ValidFrom(attempt.asked, attempt.lease);
  return extended;
}

Status TryOnce(RedisClient& redis, Attempt& attempt, const Step& lock) {
  Runtime& runtime = redis.runtime();
  attempt.token = NewToken(runtime);
  attempt.asked = runtime.Now();
  attempt.valid_until = ValidFrom(attempt.asked, attempt.lease);
  if (Status locked = lock(redis, attempt); !locked.ok()) return locked;
  if (runtime.Now() < attempt.valid_until) return Status();
  return Status(StatusCode::kUnknownOutcome, "the grant arrived when its lease was over");
}

std::optional<std::vector<harness::Owner>> NoOwners(const harness::ServerView& /*server*/,
                                                    const harness::LockOptions& /*options*/) {
  return std::nullopt;
}

std::shared_ptr<const harness::Subject> MakeLock(Recipe recipe) {
  return std::make_shared<const StepsSubject>(std::move(recipe));
}

}  // namespace interlock::scenarios::specimens
