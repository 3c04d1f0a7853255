// SPDX-License-Identifier: MIT
//
// Locks that are taken several times, or several at once.
#include <algorithm>
#include <chrono>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <interlock/client.h>
#include <interlock/harness/lock.h>
#include <interlock/mutex.h>

#include "scenarios/locks/specimens/escapes.h"
#include "scenarios/locks/specimens/families.h"
#include "scenarios/locks/specimens/recipe.h"
#include "scenarios/locks/subjects/multi_adapter.h"

namespace interlock::scenarios::specimens {
namespace {

// Several locks at once as programs make them of single ones: each is the library's Mutex, which is
// sound, and what can go wrong is how they are put together.

struct OneByOne {
  std::string_view name;
  std::string_view summary;
  bool in_order = true;    ///< by name; else as its caller names them
  bool gives_back = true;  ///< what it has got, if it cannot have the next
};

class OneByOneLock final : public harness::Lock {
 public:
  OneByOneLock(harness::Environment& environment, const harness::LockOptions& options,
               const OneByOne& habits)
      : parts_(std::make_shared<Parts>(environment)), gives_back_(habits.gives_back) {
    std::vector<std::string> names = options.several;
    if (habits.in_order) std::sort(names.begin(), names.end());
    for (std::string& name : names) {
      parts_->mutexes.push_back(
          Mutex::Create(parts_->client, std::move(name),
                        {.key_prefix = options.key_prefix, .lease = options.lease}));
    }
    reversed_ = parts_->mutexes.front().ok() && parts_->mutexes.front()->name() != options.resource;
  }

  Result<std::unique_ptr<harness::Hold>> TryAcquire() override {
    return TakeEach([](Mutex& mutex) { return mutex.TryAcquire(); });
  }
  Result<std::unique_ptr<harness::Hold>> AcquireUntil(MonotonicTime deadline) override {
    return TakeEach([deadline](Mutex& mutex) { return mutex.AcquireUntil(deadline); });
  }

 private:
  struct Parts {
    explicit Parts(harness::Environment& environment)
        : client(environment.runtime, environment.connector) {}

    Client client;
    std::vector<Result<Mutex>> mutexes;
  };

  template <typename Acquire>
  Result<std::unique_ptr<harness::Hold>> TakeEach(const Acquire& acquire) {
    std::vector<Lease> taken;
    for (Result<Mutex>& mutex : parts_->mutexes) {
      if (!mutex.ok()) return mutex.status();
      Result<Lease> lease = acquire(*mutex);
      if (!lease.ok()) return GiveUp(std::move(taken), lease.status());
      taken.push_back(std::move(lease).value());
    }
    // What was taken first may be over by now.
    for (Lease& lease : taken) {
      if (const Status alive = lease.Extend(); !alive.ok()) return GiveUp(std::move(taken), alive);
    }
    if (reversed_) std::reverse(taken.begin(), taken.end());
    return subjects::ToHold(parts_, MultiLease(std::move(taken)));
  }

  Status GiveUp(std::vector<Lease> taken, const Status& why) const {
    Status released;
    for (Lease& lease : taken) {
      if (!gives_back_) {
        lease.Forget();
      } else if (Status one = lease.Release(); !one.ok() && one.code() != StatusCode::kNotOwner) {
        released = std::move(one);
      }
    }
    if (released.ok() || why.code() == StatusCode::kCancelled) return why;
    if (released.code() == StatusCode::kCancelled) return released;
    return Status(StatusCode::kUnknownOutcome, released.message());
  }

  std::shared_ptr<Parts> parts_;
  const bool gives_back_;
  bool reversed_ = false;
};

class Adapter final : public subjects::MultiAdapter {
 public:
  explicit Adapter(const OneByOne& habits) : habits_(habits) {}

  std::string_view name() const override { return habits_.name; }
  std::string_view summary() const override { return habits_.summary; }
  std::vector<harness::Promise> Promises() const override { return {}; }
  std::unique_ptr<harness::Lock> NewLock(harness::Environment& environment,
                                         const harness::LockOptions& options) const override {
    return std::make_unique<OneByOneLock>(environment, options, habits_);
  }

 private:
  const OneByOne habits_;
};

std::shared_ptr<const harness::Subject> MakeOneByOne(const OneByOne& habits) {
  return std::make_shared<const Adapter>(habits);
}

// Re-entrant on the way in alone: "if the value is mine, I have it already" lets the owner in again
// without counting how often, and its unlock is that of a plain lock.
//
// What goes wrong: code that holds the lock calls a function that takes it too, and gives it back
// when it returns. That frees the resource, in the middle of the caller's section. Here each holder
// makes such a call when its section begins. The fix is to give back one hold at a time, and to
// free the resource with the last of them.
Specimen ReentrantFreesAll() {
  const auto lock = [](RedisClient& redis, Attempt& attempt) {
    constexpr std::string_view kEnterAgain =
        "if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end "
        "return redis.call('PEXPIRE', KEYS[1], ARGV[2])";
    const Status outer = LockCorrectly(redis, attempt);
    if (!outer.ok()) return outer;
    const Status inner = CallScript(redis, attempt, kEnterAgain, StatusCode::kNotAcquired);
    if (inner.outcome() == Outcome::kUnknown) return inner;
    const Status left = UnlockCorrectly(redis, attempt);
    return left.outcome() == Outcome::kUnknown ? left : inner;
  };
  return {MakeLock({.name = "broken/reentrant-frees-all",
                    .summary = "lets its owner in again, and is free when it leaves once",
                    .lock = lock}),
          {{"belief-exclusion", "contention", SynchronyClass::kNone},
           {"section-exclusion", "contention", SynchronyClass::kNone}},
          {.clients = 2}};
}

// One hold, counted twice: a re-entrant lock keeps a count for its owner, HINCRBY on the way in and
// out, as Redisson's does, and the client library sends a command again whose reply did not come.
//
// What goes wrong: the first sending was executed, and the second finds the owner inside, lets it
// in again, and counts two. The owner knows of one hold and gives one back; the count never comes
// down to zero, and the resource is taken by nobody until the lease ends, for ever if something
// renews it. The fix is to name each hold, so that the same one is counted once.
Specimen ReentrantCountsResends() {
  const auto lock = [](RedisClient& redis, Attempt& attempt) {
    constexpr std::string_view kEnter =
        "if redis.call('EXISTS', KEYS[1]) == 1 and redis.call('HEXISTS', KEYS[1], ARGV[1]) == 0 "
        "then return 0 end "
        "redis.call('HINCRBY', KEYS[1], ARGV[1], 1) "
        "return redis.call('PEXPIRE', KEYS[1], ARGV[2])";
    const auto enter = [&] { return CallScript(redis, attempt, kEnter, StatusCode::kNotAcquired); };
    const Status once = enter();
    return Failed(once, StatusCode::kNotAcquired) ? enter() : once;
  };
  const auto unlock = [](RedisClient& redis, Attempt& attempt) {
    constexpr std::string_view kLeave =
        "if redis.call('HEXISTS', KEYS[1], ARGV[1]) == 0 then return 0 end "
        "if redis.call('HINCRBY', KEYS[1], ARGV[1], -1) <= 0 then redis.call('DEL', KEYS[1]) end "
        "return 1";
    return CallScript(redis, kLeave, attempt.key, {attempt.token}, 1, StatusCode::kNotOwner);
  };
  const auto owners = [](const harness::ServerView& server, const harness::LockOptions& options) {
    const std::string key = KeyOf(options);
    std::vector<harness::Owner> all;
    for (auto& [owner, count] : server.Hash(key)) {
      all.push_back({std::move(owner), server.ExpiresAtMs(key), false, harness::LastMs::kOwned});
    }
    return std::optional(all);
  };
  return {MakeLock({.name = "broken/reentrant-counts-resends",
                    .summary = "counts a hold twice if it was asked for again after a lost reply",
                    .lock = lock,
                    .unlock = unlock,
                    .socket_timeout = std::chrono::milliseconds(200),
                    .owners = owners}),
          {{"keys", "lossy", SynchronyClass::kNone, kNoTrace}},
          {.clients = 1, .lost_replies = 1}};
}

// "Lock from, then lock to": the transfer between two accounts that takes its locks in the order in
// which its caller names them, the example of every text about deadlocks.
//
// What goes wrong: one client moves money from A to B and another from B to A. Each gets its first
// lock and waits for the other's. Where locks have leases the circle is not for ever: somebody's
// lease ends, or somebody's patience, and until then neither they nor anybody else gets on. The fix
// is one order for everybody, such as that of the names.
Specimen MultiUnordered() {
  return {MakeOneByOne({.name = "broken/multi-unordered",
                        .summary = "takes several locks in the order in which they are named",
                        .in_order = false}),
          {{"deadlock", "nested", SynchronyClass::kNone}},
          {.clients = 2}};
}

// "All or nothing, most of the time": a loop that takes one lock after the other and returns false
// at the first that it cannot have. Redisson's multi-lock and others have had to learn to undo.
//
// What goes wrong: what the loop had by then stays taken. The caller was told that it holds
// nothing, so nobody gives it back, and everybody is refused what nobody uses until the lease ends,
// the caller's own next try included. The fix is to give back, on every way out, what was taken.
Specimen MultiKeepsPart() {
  return {MakeOneByOne({.name = "broken/multi-keeps-part",
                        .summary = "keeps what it has got of several locks that it cannot all have",
                        .gives_back = false}),
          {{"keys", "nested", SynchronyClass::kNone}},
          {.clients = 2}};
}

}  // namespace

std::vector<Specimen> NestingSpecimens() {
  return {ReentrantFreesAll(), ReentrantCountsResends(), MultiUnordered(), MultiKeepsPart()};
}

}  // namespace interlock::scenarios::specimens
