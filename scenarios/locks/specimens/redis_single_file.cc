// SPDX-License-Identifier: MIT
#include <algorithm>
#include <string>
#include <utility>

#include "scenarios/locks/specimens/escapes.h"
#include "scenarios/locks/specimens/families.h"
#include "scenarios/locks/specimens/recipe.h"

namespace interlock::scenarios::specimens {
namespace {

// The protocol of the Ruby gem that the third founding text is about, step by step as version 0.1.3
// behaves. Waiters stand in BLPOP on a list; a leaving holder pushes one token, which Redis hands
// to the waiter that has waited longest. A mutex key says whether the list has been primed with its
// first tokens.
//   1. GETSET Mutex; nil means "I prime": DEL Queue, then LPUSH Queue, once per permit
//   2. BLPOP Queue timeout (0 = for ever); nil means timed out
//   3. PERSIST Mutex, PERSIST Queue: no expiry while somebody is inside
//   4. the block
//   5. always, also when 1 or 2 failed: LLEN Queue, LPUSH Queue if that is below the permits, then
//      EXPIRE of both (here PEXPIRE, so that any lease can be had)
// The client library resends every command once after a connection error, a read that timed out
// included. On a connection that breaks all the same, the gem sleeps 1, 2, 3, 4, 5 s, each time
// going through 1 to 3 again at the tail of the queue with a fresh timeout; refused connections and
// read time-outs it passes on.
//
// What goes wrong:
//   - a waiter that times out, or fails, goes through step 5 and so pushes a token that it never
//   had:
//     the next client enters beside the holder. No fault is needed, only impatience;
//   - a lost reply to BLPOP: the command is resent, and the token that the first one popped is
//   gone.
//     Everybody waits for ever. A lost reply to LPUSH: resent, two tokens, two holders;
//   - a crash inside: step 3 has removed the expiry, the token is gone. Everybody waits for ever;
//   - a token says nothing of its owner, so nobody can tell any of this from the server's data.
// The gem has no try: TryAcquire is a wait of 1 ms, the shortest that Redis knows. It raises where
// this adapter answers kUnknownOutcome, since an exception says nothing about what the server has
// done.
using std::chrono::milliseconds;

constexpr Duration kGemReadTimeout = std::chrono::seconds(1);  // the Ruby client's default
constexpr int kRejoins = 5;
constexpr milliseconds kForEver{0};

std::string GemMutexKey(const harness::LockOptions& options) {
  return options.key_prefix + "RedisSingleFile/Mutex/" + options.resource;
}
std::string GemQueueKey(const harness::LockOptions& options) {
  return options.key_prefix + "RedisSingleFile/Queue/" + options.resource;
}

/// The semaphore class of the gem. Its exceptions are statuses here: kUnavailable is a refused
/// connection, kTimeout a read that timed out, kUnknownOutcome a connection that broke, and
/// kProtocolError an error reply. A BLPOP that timed out is kNotAcquired.
class GemSemaphore {
 public:
  GemSemaphore(harness::Environment& environment, const harness::LockOptions& options)
      : redis_(environment, kGemReadTimeout),
        name_(options.resource),
        mutex_key_(GemMutexKey(options)),
        queue_key_(GemQueueKey(options)),
        expire_in_ms_(std::to_string(options.lease.count())),
        concurrency_(options.permits) {}

  Status Enter(milliseconds timeout) {
    for (int rejoin = 1;; ++rejoin) {
      const Status entered = EnterOnce(timeout);
      if (entered.code() != StatusCode::kUnknownOutcome || rejoin > kRejoins) return entered;
      redis_.Sleep(std::chrono::seconds(rejoin));
    }
  }

  Status Leave() {
    const Result<Reply> queued = Send({"LLEN", queue_key_});
    if (!queued.ok()) return queued.status();
    if (queued->integer < concurrency_) {
      if (Result<Reply> pushed = Send({"LPUSH", queue_key_, "1"}); !pushed.ok()) {
        return pushed.status();
      }
    }
    if (Result<Reply> timed = Send({"PEXPIRE", mutex_key_, expire_in_ms_}); !timed.ok()) {
      return timed.status();
    }
    return Send({"PEXPIRE", queue_key_, expire_in_ms_}).status();
  }

  Runtime& runtime() { return redis_.runtime(); }

 private:
  Status EnterOnce(milliseconds timeout) {
    const Result<Reply> primed = Send({"GETSET", mutex_key_, name_});
    if (!primed.ok()) return primed.status();
    if (primed->IsNil()) {
      if (Status done = Prime(); !done.ok()) return done;
    }
    const std::string seconds = timeout == kForEver ? "0" : InSeconds(timeout);
    const Result<Reply> popped = Send({"BLPOP", queue_key_, seconds}, timeout);
    if (!popped.ok()) return popped.status();
    if (popped->IsNil()) return Status(StatusCode::kNotAcquired, "no token in time");
    if (Result<Reply> kept = Send({"PERSIST", mutex_key_}); !kept.ok()) return kept.status();
    return Send({"PERSIST", queue_key_}).status();
  }

  Status Prime() {
    if (Result<Reply> emptied = Send({"DEL", queue_key_}); !emptied.ok()) return emptied.status();
    for (int permit = 0; permit < concurrency_; ++permit) {
      if (Result<Reply> pushed = Send({"LPUSH", queue_key_, "1"}); !pushed.ok()) {
        return pushed.status();
      }
    }
    return Status();
  }

  /// The client library: resends once. `blocking` is added to the read time-out.
  Result<Reply> Send(std::initializer_list<std::string_view> argv,
                     std::optional<milliseconds> blocking = std::nullopt) {
    Result<Reply> reply = SendOnce(argv, blocking);
    const bool resend = !reply.ok() && reply.code() != StatusCode::kCancelled &&
                        reply.code() != StatusCode::kProtocolError;
    return resend ? SendOnce(argv, blocking) : reply;
  }

  Result<Reply> SendOnce(std::initializer_list<std::string_view> argv,
                         std::optional<milliseconds> blocking) {
    if (Status opened = redis_.Open(); !opened.ok()) return opened;
    MonotonicTime deadline = kNever;
    if (blocking != kForEver) {
      deadline =
          AddSaturating(runtime().Now(), kGemReadTimeout + blocking.value_or(milliseconds{0}));
    }
    Result<Reply> reply = redis_.CallUntil(argv, deadline);
    if (reply.ok()) {
      if (reply->IsError()) return Status(StatusCode::kProtocolError, reply->text);
      return reply;
    }
    if (reply.code() == StatusCode::kCancelled) return reply;
    const bool late = runtime().Now() >= deadline;
    return Status(late ? StatusCode::kTimeout : StatusCode::kUnknownOutcome,
                  reply.status().message());
  }

  RedisClient redis_;
  std::string name_;
  std::string mutex_key_;
  std::string queue_key_;
  std::string expire_in_ms_;
  int concurrency_;
};

Status Raised(const Status& status) {
  if (status.code() == StatusCode::kCancelled) return status;
  return Status(StatusCode::kUnknownOutcome, status.ToString());
}

class GemHold final : public harness::Hold {
 public:
  explicit GemHold(std::shared_ptr<GemSemaphore> semaphore) : semaphore_(std::move(semaphore)) {}

  std::string owner_token() const override { return {}; }
  MonotonicTime valid_until() const override { return kNever; }

  /// The end of the block, which comes once: a second call finds nothing left to do.
  Status Release() override {
    if (left_) return Status(StatusCode::kNotOwner, "the block has ended already");
    left_ = true;
    const Status left = semaphore_->Leave();
    return left.ok() ? left : Raised(left);
  }

 private:
  std::shared_ptr<GemSemaphore> semaphore_;
  bool left_ = false;
};

class GemLock final : public harness::Lock {
 public:
  GemLock(harness::Environment& environment, const harness::LockOptions& options)
      : semaphore_(std::make_shared<GemSemaphore>(environment, options)) {}

  Result<std::unique_ptr<harness::Hold>> TryAcquire() override {
    return Synchronize(milliseconds(1), StatusCode::kNotAcquired);
  }

  Result<std::unique_ptr<harness::Hold>> AcquireUntil(MonotonicTime deadline) override {
    if (deadline == kNever) return Synchronize(kForEver, StatusCode::kTimeout);
    const Duration left = deadline - semaphore_->runtime().Now();
    const auto timeout = std::max(std::chrono::ceil<milliseconds>(left), milliseconds(1));
    return Synchronize(timeout, StatusCode::kTimeout);
  }

 private:
  Result<std::unique_ptr<harness::Hold>> Synchronize(milliseconds timeout, StatusCode timed_out) {
    const Status entered = semaphore_->Enter(timeout);
    if (entered.ok()) {
      return std::unique_ptr<harness::Hold>(std::make_unique<GemHold>(semaphore_));
    }
    if (entered.code() == StatusCode::kCancelled) return entered;
    // The fault of this specimen: a client that never got a token gives one back. If this step
    // raises too,
    // its exception takes the place of the first one.
    if (const Status left = semaphore_->Leave(); !left.ok()) return Raised(left);
    if (entered.code() == StatusCode::kNotAcquired) return Status(timed_out, entered.message());
    return Raised(entered);
  }

  std::shared_ptr<GemSemaphore> semaphore_;
};

class GemSubject final : public harness::Subject {
 public:
  std::string_view name() const override { return "broken/redis-single-file"; }
  std::string_view summary() const override {
    return "queue semaphore whose waiters give back a token also when they never got one";
  }
  harness::Traits traits() const override { return {.kind = harness::Permits{}}; }

  std::unique_ptr<harness::Lock> NewLock(harness::Environment& environment,
                                         const harness::LockOptions& options) const override {
    return std::make_unique<GemLock>(environment, options);
  }

  std::optional<std::vector<harness::Owner>> Owners(
      const harness::ServerView& server, const harness::LockOptions& options) const override {
    return NoOwners(server, options);
  }

  std::vector<harness::AuxiliaryKey> AuxiliaryKeys(
      const harness::LockOptions& options) const override {
    return {{GemMutexKey(options), options.lease}, {GemQueueKey(options), options.lease}};
  }
};

}  // namespace

std::vector<Specimen> RedisSingleFileSpecimens() {
  return {{std::make_shared<const GemSubject>(),
           {{"permits-section", "contention", SynchronyClass::kNone, kChance},
            {"deadlock", "lossy", SynchronyClass::kNone, kChance}},
           {.clients = 2, .attempts = 2}}};
}

}  // namespace interlock::scenarios::specimens
