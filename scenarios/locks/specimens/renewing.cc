// SPDX-License-Identifier: MIT
//
// Locks whose leases renew themselves: a watchdog beside each hold.
#include <algorithm>
#include <chrono>
#include <functional>
#include <memory>
#include <string_view>
#include <utility>

#include <interlock/harness/lock.h>

#include "scenarios/locks/owner_key.h"
#include "scenarios/locks/specimens/escapes.h"
#include "scenarios/locks/specimens/families.h"
#include "scenarios/locks/specimens/recipe.h"

namespace interlock::scenarios::specimens {
namespace {

// What specimens about renewal share: a lock in one string, as careful as a recipe's, and a
// watchdog beside each hold that is the specimen's own. Release calls it off before anything is
// sent.

/// A grant, shared by its holder and its watchdog.
struct Kept {
  Attempt attempt;
  std::shared_ptr<Event> stop;  ///< set when it is given back
  std::shared_ptr<Event> lost;  ///< the specimen sets it to tell of a loss
  /// The specimen calls it to tell of a loss, if the user has asked for that.
  std::function<void()> on_lost = {};
};

struct RenewedRecipe {
  std::string_view name;
  std::string_view summary;
  /// Runs beside the hold, with a client of its own, until `stop` is set.
  std::function<void(RedisClient& redis, Kept& kept)> watchdog;
  bool tells = false;  ///< shows `lost` to its user
  bool calls = false;  ///< takes `on_lost` from its user
};

constexpr std::chrono::milliseconds kSocketTimeout{2000};
constexpr std::chrono::milliseconds kRetrySleep{5};

class RenewedHold final : public harness::Hold {
 public:
  RenewedHold(std::shared_ptr<RedisClient> redis, std::shared_ptr<Kept> kept,
              const RenewedRecipe& recipe)
      : redis_(std::move(redis)), kept_(std::move(kept)), recipe_(recipe) {}
  ~RenewedHold() override { kept_->stop->Set(); }
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
  }

  Result<std::unique_ptr<harness::Hold>> TryAcquire() override {
    Runtime& runtime = redis_->runtime();
    attempt_.token = NewToken(runtime);
    attempt_.asked = runtime.Now();
    attempt_.valid_until = ValidFrom(attempt_.asked, attempt_.lease);
    if (Status locked = LockCorrectly(*redis_, attempt_); !locked.ok()) return locked;
    if (runtime.Now() >= attempt_.valid_until) {
      return Status(StatusCode::kUnknownOutcome, "the grant arrived when its lease was over");
    }
    const std::shared_ptr<Kept> kept(new Kept{attempt_, runtime.NewEvent(), runtime.NewEvent()});
    redis_->RunBeside("watchdog", [environment = redis_->environment(), kept,
                                   watchdog = recipe_.watchdog]() mutable {
      RedisClient redis(environment, kSocketTimeout);
      watchdog(redis, *kept);
    });
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
  std::shared_ptr<RedisClient> redis_;
  const RenewedRecipe& recipe_;  // the subject's, which outlives every run
  Attempt attempt_;
};

class RenewedSubject final : public harness::Subject {
 public:
  explicit RenewedSubject(RenewedRecipe recipe) : recipe_(std::move(recipe)) {}

  std::string_view name() const override { return recipe_.name; }
  std::string_view summary() const override { return recipe_.summary; }
  harness::Traits traits() const override { return {.renews = true}; }

  std::unique_ptr<harness::Lock> NewLock(harness::Environment& environment,
                                         const harness::LockOptions& options) const override {
    return std::make_unique<RenewedLock>(environment, options, recipe_);
  }

  std::optional<std::vector<harness::Owner>> Owners(
      const harness::ServerView& server, const harness::LockOptions& options) const override {
    return OwnersAt(server, KeyOf(options));
  }

  std::chrono::milliseconds WakeUpBound(const harness::LockOptions& options) const override {
    return options.lease + kRetrySleep;
  }

 private:
  const RenewedRecipe recipe_;
};

/// A watchdog's loop: renews each third of a lease, until the hold is given back (kOk), its client
/// is no more (kCancelled), or the server says that it is not the owner's (kNotOwner).
StatusCode RenewEachThird(RedisClient& redis, Kept& kept) {
  Attempt& attempt = kept.attempt;
  const Duration third = attempt.lease / 3;
  while (!kept.stop->WaitUntil(AddSaturating(redis.runtime().Now(), third))) {
    attempt.asked = redis.runtime().Now();
    const StatusCode renewed = ExtendCorrectly(redis, attempt).code();
    if (renewed == StatusCode::kCancelled || renewed == StatusCode::kNotOwner) return renewed;
  }
  return StatusCode::kOk;
}

std::shared_ptr<const harness::Subject> MakeRenewedLock(RenewedRecipe recipe) {
  return std::make_shared<const RenewedSubject>(std::move(recipe));
}

// The watchdog that nobody calls off: Redisson's renewal went on after an unlock that had failed
// (several reports, 2018 to 2023), and after a tryLock that was interrupted before its reply came.
//
// What goes wrong: the unlock is lost on its way. The caller hears of an error and goes on to other
// things; the renewal was to be cancelled when the unlock had succeeded, so it is not. As long as
// the process lives, the lock is renewed, and nobody else ever gets it: the TTL that should have
// ended this is what the watchdog is there to prevent. The fix is to call off the renewal before
// the unlock is sent, whatever becomes of it. Lock, unlock and the renewal's own script are
// correct.
namespace renewal_outlives_release {

/// Renews at each third of the lease, over a connection of its own, until it is
/// called off or finds that the lock is no longer its own.
void Renew(harness::Environment environment, Attempt attempt, Duration socket_timeout) {
  RedisClient redis(environment, socket_timeout);
  const Duration third = attempt.lease / 3;
  while (!attempt.renewal->WaitUntil(AddSaturating(redis.runtime().Now(), third))) {
    attempt.asked = redis.runtime().Now();
    const StatusCode renewed = ExtendCorrectly(redis, attempt).code();
    if (renewed == StatusCode::kNotOwner || renewed == StatusCode::kCancelled) return;
  }
}

Status Lock(RedisClient& redis, Attempt& attempt) {
  const Status locked = LockCorrectly(redis, attempt);
  if (!locked.ok()) return locked;
  attempt.renewal = redis.runtime().NewEvent();
  redis.RunBeside("watchdog", [environment = redis.environment(), attempt,
                               socket_timeout = redis.socket_timeout()] {
    Renew(environment, attempt, socket_timeout);
  });
  return locked;
}

Status Unlock(RedisClient& redis, Attempt& attempt) {
  const Status unlocked = UnlockCorrectly(redis, attempt);
  if (unlocked.ok()) attempt.renewal->Set();
  return unlocked;
}

Specimen Make() {
  return {MakeLock({.name = "broken/renewal-outlives-release",
                    .summary = "renews its lease until it has been released, also when that failed",
                    .lock = Lock,
                    .unlock = Unlock,
                    .socket_timeout = std::chrono::milliseconds(500)}),
          {{"keys", "lossy", SynchronyClass::kNone, kNoTrace}},
          {.clients = 1, .lost_replies = 1}};
}

}  // namespace renewal_outlives_release

// The loss that is told when the renewal comes back: in node-redlock's using(), swarthy's semaphore
// and RedLock.net the watchdog is also the one who tells of a loss, so while its own call hangs
// nobody does (1000 ms of lease, not aborted after 2900 ms).
//
// What goes wrong: the reply to a renewal is lost or held up. The watchdog waits for it, the lease
// ends meanwhile, another client enters, and the holder, who was promised to be told, works on. The
// fix is a timer of its own, armed with the validity's end, which waits for no server. Lock, unlock
// and the renewal itself are correct.
namespace loss_told_late {

void Watch(RedisClient& redis, Kept& kept) {
  if (RenewEachThird(redis, kept) == StatusCode::kNotOwner) kept.lost->Set();
}

Specimen Make() {
  return {MakeRenewedLock({.name = "broken/loss-told-late",
                           .summary = "tells of a loss when its renewal has come back, not before",
                           .watchdog = Watch,
                           .tells = true}),
          {{"false-validity", "pause", SynchronyClass::kBounded, kLateness}},
          {.clients = 1, .expiries = 1, .pauses = 1},
          "no explored section is as long as a lease, so nothing has to be renewed"};
}

}  // namespace loss_told_late

// The watchdog that believes its timer and not the answer: RedLock.net's status stays "acquired"
// when a renewal throws, and its users go by the next one's time.
//
// What goes wrong: a renewal is lost on its way. The server's lease ends when it was to end, while
// the holder has already put off its own end by a whole lease, and the next one enters beside it.
// The fix: only an answer that says so makes the validity longer, counted from when its command was
// sent; whatever else happens, it ends when it was to end. Lock, unlock and the renewal's script
// are correct.
namespace renewed_by_timer {

void Watch(RedisClient& redis, Kept& kept) {
  Attempt& attempt = kept.attempt;
  const Duration third = attempt.lease / 3;
  while (!kept.stop->WaitUntil(AddSaturating(redis.runtime().Now(), third))) {
    attempt.asked = redis.runtime().Now();
    attempt.valid_until = ValidFrom(attempt.asked, attempt.lease);
    const StatusCode answer = ExtendCorrectly(redis, attempt).code();
    if (answer == StatusCode::kCancelled || answer == StatusCode::kNotOwner) return;
  }
}

Specimen Make() {
  return {MakeRenewedLock({.name = "broken/renewed-by-timer",
                           .summary = "believes in each renewal as soon as it is sent",
                           .watchdog = Watch}),
          {{"belief-exclusion", "lossy", SynchronyClass::kNone,
            "from outside nobody sees how long a renewed lease is believed in"}},
          {.clients = 2, .expiries = 1, .lost_replies = 1},
          "no explored section is as long as a lease, so nothing has to be renewed"};
}

}  // namespace renewed_by_timer

// A loss that is none: the timer that tells of the lease's end is not called off when the lock is
// given back, as with every setTimeout whose handle nobody kept.
//
// What goes wrong: the user has released in time, and is called all the same when the lease would
// have been over: it stops its next piece of work, or throws away what it has done. The fix is to
// call the timer off in the release, and to wait for a callback that runs. Lock, unlock and renewal
// are correct.
namespace called_after_release {

void Watch(RedisClient& redis, Kept& kept) {
  if (RenewEachThird(redis, kept) == StatusCode::kCancelled) return;
  redis.runtime().NewEvent()->WaitUntil(kept.attempt.valid_until);
  if (kept.on_lost) kept.on_lost();
}

Specimen Make() {
  return {MakeRenewedLock({.name = "broken/called-after-release",
                           .summary = "calls its user of a loss also when it has given it back",
                           .watchdog = Watch,
                           .calls = true}),
          {{"false-validity", "pause", SynchronyClass::kBounded, kNotAsked}},
          {.clients = 1}};
}

}  // namespace called_after_release

}  // namespace

std::vector<Specimen> RenewingSpecimens() {
  return {renewal_outlives_release::Make(), loss_told_late::Make(), renewed_by_timer::Make(),
          called_after_release::Make()};
}

}  // namespace interlock::scenarios::specimens
