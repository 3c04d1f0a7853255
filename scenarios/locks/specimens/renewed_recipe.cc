// SPDX-License-Identifier: MIT
#include "scenarios/locks/specimens/renewed_recipe.h"

#include <algorithm>
#include <chrono>
#include <map>
#include <mutex>
#include <optional>
#include <utility>

namespace interlock::scenarios::specimens {
namespace {

constexpr std::chrono::milliseconds kSocketTimeout{2000};
constexpr std::chrono::milliseconds kRetrySleep{5};

/// What all holds of one client have in common, whatever lock object they come from.
struct Renewals {
  std::shared_ptr<Event> stop;
};

/// The renewals of the client that has this runtime, as long as any of its lock objects lives: a
/// global, as in the libraries that this stands for. It tells clients apart, and nothing else of it
/// is seen.
std::shared_ptr<Renewals> RenewalsOf(Runtime& runtime) {
  static std::mutex mutex;
  static std::map<Runtime*, std::weak_ptr<Renewals>> of_clients;
  const std::lock_guard guard(mutex);
  std::erase_if(of_clients, [](const auto& one) { return one.second.expired(); });
  std::weak_ptr<Renewals>& known = of_clients[&runtime];
  std::shared_ptr<Renewals> renewals = known.lock();
  if (renewals == nullptr) known = renewals = std::make_shared<Renewals>();
  return renewals;
}

class RenewedHold final : public harness::Hold {
 public:
  RenewedHold(std::shared_ptr<RedisClient> redis, std::shared_ptr<Kept> kept,
              const RenewedRecipe& recipe)
      : redis_(std::move(redis)), kept_(std::move(kept)), recipe_(recipe) {}
  ~RenewedHold() override { (recipe_.timer ? kept_->gone : kept_->stop)->Set(); }
  RenewedHold(const RenewedHold&) = delete;
  RenewedHold& operator=(const RenewedHold&) = delete;

  std::string owner_token() const override { return kept_->attempt.token; }
  std::optional<bool> valid() const override {
    return redis_->runtime().Now() < kept_->attempt.valid_until;
  }
  MonotonicTime valid_until() const override { return kept_->attempt.valid_until; }
  Event* lost() override { return recipe_.tells ? kept_->lost.get() : nullptr; }
  bool OnLost(std::function<void()> callback) override {
    if (recipe_.calls) kept_->on_lost = std::move(callback);
    return recipe_.calls;
  }
  Status Release() override {
    kept_->stop->Set();
    return UnlockCorrectly(*redis_, kept_->attempt);
  }

 private:
  std::shared_ptr<RedisClient> redis_;
  std::shared_ptr<Kept> kept_;
  const RenewedRecipe& recipe_;  // the subject's, which outlives every run
};

class RenewedLock final : public harness::Lock {
 public:
  RenewedLock(harness::Environment& environment, const harness::LockOptions& options,
              const RenewedRecipe& recipe)
      : redis_(std::make_shared<RedisClient>(environment, kSocketTimeout)), recipe_(recipe) {
    attempt_.key = KeyOf(options);
    attempt_.lease = options.lease;
    if (recipe_.one_stop) renewals_ = RenewalsOf(environment.runtime);
  }

  Result<std::unique_ptr<harness::Hold>> TryAcquire() override {
    if (Status locked = TryOnce(*redis_, attempt_, LockCorrectly); !locked.ok()) return locked;
    Runtime& runtime = redis_->runtime();
    const std::shared_ptr<Kept> kept(
        new Kept{attempt_, NewStop(), runtime.NewEvent(), runtime.NewEvent()});
    RunBeside("watchdog", recipe_.watchdog, kept);
    if (recipe_.timer) RunBeside("timer", recipe_.timer, kept);
    return std::unique_ptr<harness::Hold>(std::make_unique<RenewedHold>(redis_, kept, recipe_));
  }

  Result<std::unique_ptr<harness::Hold>> AcquireUntil(MonotonicTime deadline) override {
    for (;;) {
      Result<std::unique_ptr<harness::Hold>> hold = TryAcquire();
      if (hold.code() != StatusCode::kNotAcquired) return hold;
      const MonotonicTime now = redis_->runtime().Now();
      if (now >= deadline) return Status(StatusCode::kTimeout, "not acquired in time");
      redis_->Sleep(std::min<Duration>(deadline - now, kRetrySleep));
    }
  }

 private:
  void RunBeside(std::string_view name, const std::function<void(RedisClient&, Kept&)>& body,
                 const std::shared_ptr<Kept>& kept) {
    redis_->RunBeside(name, [body, kept](RedisClient& its_own) { body(its_own, *kept); });
  }

  std::shared_ptr<Event> NewStop() {
    Runtime& runtime = redis_->runtime();
    if (renewals_ == nullptr) return runtime.NewEvent();
    const bool called_off = renewals_->stop == nullptr || renewals_->stop->WaitUntil(runtime.Now());
    if (called_off) renewals_->stop = runtime.NewEvent();
    return renewals_->stop;
  }

  std::shared_ptr<RedisClient> redis_;
  const RenewedRecipe& recipe_;         // the subject's, which outlives every run
  std::shared_ptr<Renewals> renewals_;  // if one release ends all
  Attempt attempt_;
};

class RenewedSubject final : public RecipeSubject<RenewedRecipe, RenewedLock> {
 public:
  using RecipeSubject::RecipeSubject;

  harness::Traits traits() const override { return {.renews = true}; }

  std::optional<std::chrono::milliseconds> KeptAliveAtMost(
      const harness::LockOptions& options) const override {
    if (recipe_.most_leases == 0) return std::nullopt;
    return recipe_.most_leases * options.lease;
  }

  std::chrono::milliseconds WakeUpBound(const harness::LockOptions& options) const override {
    return options.lease + kRetrySleep;
  }
};

}  // namespace

bool IsGivenBackInAThird(RedisClient& redis, const Kept& kept) {
  const Duration third = kept.attempt.lease / 3;
  return kept.stop->WaitUntil(AddSaturating(redis.runtime().Now(), third));
}

StatusCode RenewEachThird(RedisClient& redis, Kept& kept) {
  Attempt& attempt = kept.attempt;
  while (!IsGivenBackInAThird(redis, kept)) {
    attempt.asked = redis.runtime().Now();
    const StatusCode renewed = ExtendCorrectly(redis, attempt).code();
    if (renewed == StatusCode::kCancelled || renewed == StatusCode::kNotOwner) return renewed;
  }
  return StatusCode::kOk;
}

std::shared_ptr<const harness::Subject> MakeRenewedLock(RenewedRecipe recipe) {
  return std::make_shared<const RenewedSubject>(std::move(recipe));
}

}  // namespace interlock::scenarios::specimens
