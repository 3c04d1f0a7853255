// SPDX-License-Identifier: MIT
//
// "After you": a waiter that has got the lock looks whether others wait as well, and if so gives it
// back for them. Retrofitted fairness is written like this when the queue is only a set: it says
// that somebody waits, and not who came first. A mistake of our own invention; the split votes of
// Redis' own page (three clients, five nodes, one fixed pause) end the same way.
//
// What goes wrong: with one waiter nothing. Two of them hand the lock to each other for ever, some
// times a second, each within all its bounds: the lock is taken whenever somebody looks, commands
// go on, and nobody is ever granted anything. No lease ends it, for no lease is ever held. The fix
// is an order among those who wait, which a release follows. Lock and unlock of this page are
// correct, and so is its deadline.
#include <algorithm>
#include <chrono>
#include <string>
#include <vector>

#include "scenarios/specimens/pages.h"
#include "scenarios/specimens/recipe.h"

namespace interlock::scenarios::specimens {
namespace {

constexpr std::chrono::milliseconds kPause{500};
constexpr std::chrono::milliseconds kWaitingTtl{2 * kPause};

std::string WaitingKey(const std::string& key) { return key + ":waiting"; }

Status Leave(RedisClient& redis, const Attempt& attempt) {
  return redis.Call({"SREM", WaitingKey(attempt.key), attempt.client}).status();
}

Status Lock(RedisClient& redis, Attempt& attempt) {
  const Status locked = LockCorrectly(redis, attempt);
  if (!locked.ok() || !attempt.deadline.has_value()) return locked;
  const Result<Reply> others = redis.Call({"SCARD", WaitingKey(attempt.key)});
  if (!others.ok()) return others.status();
  const Result<Reply> itself = redis.Call({"SISMEMBER", WaitingKey(attempt.key), attempt.client});
  if (!itself.ok()) return itself.status();
  if (others->integer <= itself->integer) return Leave(redis, attempt);
  const Status given_back = UnlockCorrectly(redis, attempt);
  return given_back.ok() ? Status(StatusCode::kNotAcquired, "after you") : given_back;
}

Status Wait(RedisClient& redis, Attempt& attempt) {
  const std::string waiting = WaitingKey(attempt.key);
  const Result<Reply> joined = redis.Call({"SADD", waiting, attempt.client});
  if (!joined.ok()) return joined.status();
  const Result<Reply> lives = redis.Call({"PEXPIRE", waiting, Ms(kWaitingTtl)});
  if (!lives.ok()) return lives.status();
  const Duration left = *attempt.deadline - redis.runtime().Now();
  redis.Sleep(std::min<Duration>(left, kPause));
  if (redis.runtime().Now() < *attempt.deadline) return Status();
  const Status left_alone = Leave(redis, attempt);
  return left_alone.ok() ? Status(StatusCode::kTimeout, "not acquired in time") : left_alone;
}

}  // namespace

Specimen AfterYou() {
  return {MakeLock({.name = "broken/after-you",
                    .summary = "gives the lock back when it sees that others wait",
                    .lock = Lock,
                    .wait = Wait,
                    .auxiliary =
                        [](const harness::LockOptions& options) {
                          return std::vector<harness::AuxiliaryKey>{
                              {WaitingKey(KeyOf(options)), kWaitingTtl}};
                        }}),
          {{"termination", "contention", SynchronyClass::kNone}},
          {.clients = 2, .attempts = 2}};
}

}  // namespace interlock::scenarios::specimens
