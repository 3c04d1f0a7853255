// SPDX-License-Identifier: MIT
//
// Lock objects which say that several tasks may use them at once, and which keep in themselves what
// belongs to one grant.
#include <algorithm>
#include <chrono>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <interlock/harness/lock.h>

#include "scenarios/locks/specimens/families.h"
#include "scenarios/locks/specimens/recipe.h"
#include "scenarios/locks/specimens/renewed_recipe.h"

namespace interlock::scenarios::specimens {
namespace {

constexpr std::string_view kProcessEach =
    "each client of an explored world is a process of its own";
constexpr std::chrono::milliseconds kReplyTimeout{2000};
constexpr std::chrono::milliseconds kBetweenTries{20};

/// What is wrong with it. All else is as it should be: a token for each grant, compared in the
/// script that deletes or prolongs, and a connection for each caller.
struct ObjectRecipe {
  std::string_view name;
  std::string_view summary;
  bool one_token = false;    ///< release and extend go by the token of the object's latest grant
  bool one_renewal = false;  ///< a release calls off the renewal of the last to ask
};

/// The members of the object.
struct Members {
  std::string token;
  std::shared_ptr<Event> renewal;  ///< set to end it
};

class ObjectHold final : public harness::Hold {
 public:
  ObjectHold(std::shared_ptr<RedisClient> redis, std::shared_ptr<Kept> kept,
             std::shared_ptr<Members> members, const ObjectRecipe& recipe)
      : redis_(std::move(redis)),
        kept_(std::move(kept)),
        members_(std::move(members)),
        recipe_(recipe) {}
  ~ObjectHold() override { kept_->stop->Set(); }
  ObjectHold(const ObjectHold&) = delete;
  ObjectHold& operator=(const ObjectHold&) = delete;

  std::string owner_token() const override { return kept_->attempt.token; }
  MonotonicTime valid_until() const override { return kept_->attempt.valid_until; }

  Status Extend() override {
    Attempt attempt = kept_->attempt;
    if (recipe_.one_token) attempt.token = members_->token;
    if (attempt.token.empty()) return Status(StatusCode::kNotOwner, "it is not locked");
    attempt.asked = redis_->runtime().Now();
    const Status extended = ExtendCorrectly(*redis_, attempt);
    kept_->attempt.valid_until = attempt.valid_until;
    return extended;
  }

  Status Release() override {
    (recipe_.one_renewal ? members_->renewal : kept_->stop)->Set();
    if (!recipe_.one_token) return UnlockCorrectly(*redis_, kept_->attempt);
    const std::string token = std::exchange(members_->token, {});
    if (token.empty()) return Status(StatusCode::kNotOwner, "it is not locked");
    return CompareAndDelete(*redis_, kept_->attempt.key, token);
  }

 private:
  std::shared_ptr<RedisClient> redis_;
  std::shared_ptr<Kept> kept_;
  std::shared_ptr<Members> members_;
  const ObjectRecipe& recipe_;  // the subject's, which outlives every run
};

class ObjectLock final : public harness::Lock {
 public:
  ObjectLock(harness::Environment& environment, const harness::LockOptions& options,
             const ObjectRecipe& recipe)
      : environment_(environment), options_(options), recipe_(recipe) {}

  Result<std::unique_ptr<harness::Hold>> TryAcquire() override { return AcquireUntil({}); }

  Result<std::unique_ptr<harness::Hold>> AcquireUntil(MonotonicTime deadline) override {
    const auto redis = std::make_shared<RedisClient>(environment_, kReplyTimeout);
    const std::shared_ptr<Event> renewal = environment_.runtime.NewEvent();
    members_->renewal = renewal;
    for (;;) {
      Result<std::unique_ptr<harness::Hold>> hold = Try(redis, renewal);
      if (hold.code() != StatusCode::kNotAcquired) return hold;
      const MonotonicTime now = environment_.runtime.Now();
      if (deadline == MonotonicTime{}) return hold;
      if (now >= deadline) return Status(StatusCode::kTimeout, "not acquired in time");
      redis->Sleep(std::min<Duration>(deadline - now, kBetweenTries));
    }
  }

 private:
  Result<std::unique_ptr<harness::Hold>> Try(const std::shared_ptr<RedisClient>& redis,
                                             const std::shared_ptr<Event>& renewal) {
    Attempt attempt;
    attempt.key = KeyOf(options_);
    attempt.lease = options_.lease;
    if (Status locked = TryOnce(*redis, attempt, LockCorrectly); !locked.ok()) return locked;
    members_->token = attempt.token;
    const std::shared_ptr<Kept> kept(new Kept{attempt, renewal, nullptr, nullptr});
    if (recipe_.one_renewal) {
      redis->RunBeside("watchdog",
                       [kept](RedisClient& its_own) { RenewEachThird(its_own, *kept); });
    }
    return std::unique_ptr<harness::Hold>(
        std::make_unique<ObjectHold>(redis, kept, members_, recipe_));
  }

  harness::Environment environment_;
  const harness::LockOptions options_;
  const ObjectRecipe& recipe_;  // the subject's, which outlives every run
  const std::shared_ptr<Members> members_ = std::make_shared<Members>();
};

class ObjectSubject final : public RecipeSubject<ObjectRecipe, ObjectLock> {
 public:
  using RecipeSubject::RecipeSubject;

  harness::Traits traits() const override {
    return {.can_extend = !recipe_.one_renewal, .renews = recipe_.one_renewal, .concurrent = true};
  }

  std::chrono::milliseconds WakeUpBound(const harness::LockOptions& options) const override {
    return options.lease + kBetweenTries;
  }
};

// The token that is a member of the lock: in redis-py it is one if the lock is made with
// thread_local=False, and many a class of a few lines has `self.token`.
//
// What goes wrong: a thread outlives its lease, and another one acquires with the same object,
// which now keeps that one's token. The first thread comes back and releases what it finds there:
// the comparison in the script is right, and the lock that it deletes is the second thread's. The
// fix is to give the token to the caller, in a handle of its own.
Specimen TokenInObject() {
  return {std::make_shared<const ObjectSubject>(
              ObjectRecipe{.name = "broken/token-in-object",
                           .summary = "keeps its token in the object, which several tasks use",
                           .one_token = true}),
          {{"foreign-release", "one-object", SynchronyClass::kBounded},
           {"foreign-extend", "one-object", SynchronyClass::kBounded}},
          {.clients = 2, .expiries = 1},
          kProcessEach};
}

// The renewal that is a member of the lock: a timer's handle, overwritten whenever somebody begins
// to acquire, and cancelled by any release.
//
// What goes wrong: while one task holds the lock another one begins to wait for it, and the handle
// is that one's now. The first task releases, cancels a renewal that has not begun, and the second
// one's lease runs out under it. The first task's own timer goes on until it finds that its lock is
// gone, so nobody sees it. The fix is one handle for each hold.
Specimen RenewalInObject() {
  return {std::make_shared<const ObjectSubject>(
              ObjectRecipe{.name = "broken/renewal-in-object",
                           .summary = "a release calls off the renewal of whoever has asked last",
                           .one_renewal = true}),
          {{"false-validity", "one-object", SynchronyClass::kBounded}},
          {.clients = 2},
          kProcessEach};
}

}  // namespace

std::vector<Specimen> OneObjectSpecimens() { return {TokenInObject(), RenewalInObject()}; }

}  // namespace interlock::scenarios::specimens
