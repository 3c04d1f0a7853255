// SPDX-License-Identifier: MIT
//
// Habits of locks as others write them: transactions, several keys in one script, waiters that
// sleep for a whole lease. A sound lock that has them passes; a request that prolongs what another
// one has does not. See foreign_watchdogs_test.cc for watchdogs.
#include <algorithm>
#include <chrono>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <interlock/harness/explore.h>

#include "scenarios/locks/owner_key.h"
#include "scenarios/locks/specimens/recipe.h"
#include "tests/scenarios/search/foreign_habits_fixture.h"

namespace interlock::scenarios {
namespace {

using specimens::Attempt;
using specimens::Ms;
using specimens::RedisClient;
using ::testing::HasSubstr;

// Readers in a hash with one TTL

std::string ReadersOf(const Attempt& attempt) { return attempt.key + ":readers"; }

std::optional<std::vector<harness::Owner>> WriterAndReaders(const harness::ServerView& server,
                                                            const harness::LockOptions& options) {
  const std::string key = specimens::KeyOf(options);
  std::vector<harness::Owner> owners = OwnersAt(server, key);
  for (auto& [token, count] : server.Hash(key + ":readers")) {
    owners.push_back({token, server.ExpiresAtMs(key + ":readers"), true, harness::LastMs::kOwned});
  }
  return owners;
}

Status LeaveReaders(RedisClient& redis, Attempt& attempt) {
  if (!attempt.shared) return UnlockCorrectly(redis, attempt);
  return specimens::ExpectInteger(redis.Call({"HDEL", ReadersOf(attempt), attempt.token}), 1,
                                  StatusCode::kNotOwner);
}

/// What was sent before an answer failed is not executed, as nothing was of a transaction.
Status BeforeExec(RedisClient& redis, std::initializer_list<std::string_view> argv) {
  const Result<Reply> reply = redis.Call(argv);
  return !reply.ok() || reply->IsError() ? Status(StatusCode::kUnknownOutcome) : Status();
}

Status EnterByTransaction(RedisClient& redis, Attempt& attempt) {
  const std::string readers = ReadersOf(attempt);
  if (Status watched = BeforeExec(redis, {"WATCH", attempt.key, readers}); !watched.ok()) {
    return watched;
  }
  const Result<Reply> there = attempt.shared ? redis.Call({"EXISTS", attempt.key})
                                             : redis.Call({"EXISTS", attempt.key, readers});
  if (!there.ok() || there->IsError()) return Status(StatusCode::kUnknownOutcome);
  if (there->integer > 0) {
    const Status left = BeforeExec(redis, {"UNWATCH"});
    return left.ok() ? Status(StatusCode::kNotAcquired) : left;
  }
  const std::string lease = Ms(attempt.lease);
  if (Status begun = BeforeExec(redis, {"MULTI"}); !begun.ok()) return begun;
  Status queued = attempt.shared
                      ? BeforeExec(redis, {"HSET", readers, attempt.token, "1"})
                      : BeforeExec(redis, {"SET", attempt.key, attempt.token, "PX", lease});
  if (queued.ok() && attempt.shared) queued = BeforeExec(redis, {"PEXPIRE", readers, lease});
  if (!queued.ok()) return queued;
  const Result<Reply> done = redis.Call({"EXEC"});
  if (!done.ok() || done->IsError()) return Status(StatusCode::kUnknownOutcome);
  // Somebody came in between: tried again as after a refusal.
  return done->IsNil() ? EnterByTransaction(redis, attempt) : Status();
}

std::shared_ptr<const harness::Subject> ByTransactions() {
  return Habit({.name = "test/transactions",
                .summary = "readers in a hash with one TTL, by WATCH, MULTI, EXEC",
                .traits = {.kind = harness::Readers{}},
                .lock = EnterByTransaction,
                .unlock = LeaveReaders,
                .owners = WriterAndReaders});
}

TEST(ForeignHabitsTest, WhoEntersByATransactionMayProlongTheOnlyTtl) {
  EXPECT_EQ(RowsNotPassed(ByTransactions(), {"contention"}, 300), "");
}

Status EnterByScript(RedisClient& redis, Attempt& attempt) {
  constexpr std::string_view kReader =
      "local readers = KEYS[1] .. ':readers' "
      "if redis.call('exists', KEYS[1]) == 1 then return 0 end "
      "redis.call('hset', readers, ARGV[1], '1') "
      "if redis.call('pttl', readers) < tonumber(ARGV[2]) then "
      "redis.call('pexpire', readers, ARGV[2]) end return 1";
  constexpr std::string_view kWriter =
      "if redis.call('exists', KEYS[1] .. ':readers') == 1 then return 0 end "
      "return redis.call('set', KEYS[1], ARGV[1], 'NX', 'PX', ARGV[2]) and 1 or 0";
  return CallScript(redis, attempt.shared ? kReader : kWriter, attempt.key,
                    {attempt.token, Ms(attempt.lease)}, 1, StatusCode::kNotAcquired);
}

Status ExtendReaders(RedisClient& redis, Attempt& attempt) {
  if (!attempt.shared) return ExtendCorrectly(redis, attempt);
  const MonotonicTime sent = redis.runtime().Now();
  Status extended =
      CallScript(redis,
                 "local readers = KEYS[1] .. ':readers' "
                 "if redis.call('hexists', readers, ARGV[1]) == 0 then return 0 end "
                 "return redis.call('pexpire', readers, ARGV[2])",
                 attempt.key, {attempt.token, Ms(attempt.lease)}, 1, StatusCode::kNotOwner);
  if (extended.ok()) attempt.valid_until = specimens::ValidFrom(sent, attempt.lease);
  return extended;
}

// Its release was lost, and its next lease, which it extends, has the same end.
TEST(ForeignHabitsTest, WhatAReleaseHasLeftBehindLivesAsLongAsTheNextLease) {
  const auto lock = Habit({.name = "test/extended-readers",
                           .summary = "readers in a hash with one TTL, which they extend",
                           .traits = {.kind = harness::Readers{}, .can_extend = true},
                           .lock = EnterByScript,
                           .unlock = LeaveReaders,
                           .extend = ExtendReaders,
                           .owners = WriterAndReaders});
  EXPECT_EQ(RowsNotPassed(lock, {"partition"}, 600).find("LK011"), std::string::npos);
}

// The server's clock is stepped back, and what is prolonged then ends earlier than before.
TEST(ForeignHabitsTest, WhoeverGivesAWholeLeaseShortensNothing) {
  EXPECT_EQ(RowsNotPassed(ByTransactions(), {"server-clock"}, 600), "");
}

// Several keys in one script

class AllOrNone final : public harness::Lock {
 public:
  AllOrNone(harness::Environment& environment, harness::LockOptions options)
      : redis_(std::make_shared<RedisClient>(environment, std::chrono::seconds(1))),
        options_(std::move(options)) {}

  Result<std::unique_ptr<harness::Hold>> TryAcquire() override {
    const std::string token = specimens::NewToken(redis_->runtime());
    const MonotonicTime sent = redis_->runtime().Now();
    const Status taken = Call(
        "for i = 1, 2 do if redis.call('exists', KEYS[i]) == 1 then return 0 end end "
        "for i = 1, 2 do redis.call('set', KEYS[i], ARGV[1], 'PX', ARGV[2]) end return 2",
        token, StatusCode::kNotAcquired);
    if (!taken.ok()) return taken;
    return std::unique_ptr<harness::Hold>(
        std::make_unique<Both>(*this, token, specimens::ValidFrom(sent, options_.lease)));
  }
  Result<std::unique_ptr<harness::Hold>> AcquireUntil(MonotonicTime deadline) override {
    for (;;) {
      Result<std::unique_ptr<harness::Hold>> hold = TryAcquire();
      if (hold.code() != StatusCode::kNotAcquired) return hold;
      if (redis_->runtime().Now() >= deadline) return Status(StatusCode::kTimeout);
      redis_->Sleep(std::chrono::milliseconds(10));
    }
  }

 private:
  class Both final : public harness::Hold {
   public:
    Both(AllOrNone& lock, std::string token, MonotonicTime until)
        : lock_(lock), token_(std::move(token)), until_(until) {}
    std::string owner_token() const override { return token_; }
    MonotonicTime valid_until() const override { return until_; }
    Status Release() override {
      return lock_.Call(
          "local n = 0 for i = 1, 2 do if redis.call('get', KEYS[i]) == ARGV[1] then "
          "n = n + redis.call('del', KEYS[i]) end end return n",
          token_, StatusCode::kLeaseLost);
    }

   private:
    AllOrNone& lock_;
    const std::string token_;
    const MonotonicTime until_;
  };

  Status Call(std::string_view script, const std::string& token, StatusCode otherwise) {
    const std::string first = options_.key_prefix + options_.several[0];
    const std::string second = options_.key_prefix + options_.several[1];
    return specimens::ExpectInteger(
        redis_->Call({"EVAL", script, "2", first, second, token, Ms(options_.lease)}), 2,
        otherwise);
  }

  std::shared_ptr<RedisClient> redis_;
  const harness::LockOptions options_;
};

class AllOrNoneSubject final : public harness::Subject {
 public:
  std::string_view name() const override { return "test/all-or-none"; }
  std::string_view summary() const override { return "takes two keys in one script, or none"; }
  harness::Traits traits() const override { return {.several = true}; }
  std::unique_ptr<harness::Lock> NewLock(harness::Environment& environment,
                                         const harness::LockOptions& options) const override {
    return std::make_unique<AllOrNone>(environment, options);
  }
  std::optional<std::vector<harness::Owner>> Owners(
      const harness::ServerView& server, const harness::LockOptions& options) const override {
    return OwnersAt(server, specimens::KeyOf(options));
  }
};

// The first of the two is free all the time.
TEST(ForeignHabitsTest, SeveralAtOnceMayBeRefusedForTheSecondOfThem) {
  EXPECT_EQ(RowsNotPassed(std::make_shared<const AllOrNoneSubject>(), {"nested"}, 300), "");
}

// Waiters that look once in a lease

Status SleepForALease(RedisClient& redis, Attempt& attempt) {
  const MonotonicTime now = redis.runtime().Now();
  const MonotonicTime until = AddSaturating(now, attempt.lease);
  redis.Sleep(std::min(attempt.deadline.value_or(until), until) - now);
  return Status(StatusCode::kNotAcquired);
}

TEST(ForeignHabitsTest, AWaiterMaySleepForAWholeLease) {
  const auto lock = Habit({.name = "test/sleeps",
                           .summary = "looks again when a lease is over",
                           .wait = SleepForALease,
                           .wake_up_bound = [](const harness::LockOptions& options) {
                             return options.lease + std::chrono::milliseconds(100);
                           }});
  EXPECT_EQ(RowsNotPassed(lock, {"redis.d2"}, 16), "");
}

// What the search does not see in a server's state

/// Subscribes to the key's events, looks again, and waits for one.
Status WaitForAnEvent(RedisClient& redis, Attempt& attempt) {
  const MonotonicTime until = std::min(attempt.deadline.value_or(kNever),
                                       AddSaturating(redis.runtime().Now(), attempt.lease));
  auto ear = redis.environment().connector.Connect(until);
  const std::string channel = "__keyspace@0__:" + attempt.key;
  const std::string_view subscribe[] = {"SUBSCRIBE", channel};
  if (!ear.ok() || !(*ear)->Send(subscribe, until).ok()) return Status(StatusCode::kUnavailable);
  if (!(*ear)->Receive(until).ok()) return Status(StatusCode::kUnavailable);
  const Result<Reply> there = redis.Call({"EXISTS", attempt.key});
  if (!there.ok()) return there.status();
  if (there->integer == 1) (void)(*ear)->Receive(until);
  return Status(StatusCode::kNotAcquired);
}

// How many connections there were before is forgotten, and must not come back with what CONFIG did.
TEST(ForeignHabitsTest, WaitersForKeyspaceEventsAreExploredToTheEnd) {
  const auto ask = [](RedisClient& redis, Attempt& attempt) {
    const auto set = redis.Call({"CONFIG", "SET", "notify-keyspace-events", "Kgx"});
    return set.ok() ? LockCorrectly(redis, attempt) : set.status();
  };
  const auto lock = Habit({.name = "test/events",
                           .summary = "waits for the events of its key",
                           .lock = ask,
                           .wait = WaitForAnEvent});
  const harness::ExploreVerdict verdict = harness::Explore(
      lock, {.waits = true, .expiries = 0, .crashes = 1, .lost_replies = 1, .jobs = 2});
  EXPECT_THAT(verdict.text, HasSubstr("states (complete"));
}

// Whoever is refused

TEST(ForeignHabitsTest, ARequestMustNotProlongTheLeaseOfAnotherOne) {
  const auto lock =
      Habit({.name = "test/contenders-prolong",
             .summary = "prolongs what is there when it is refused",
             .lock = [](RedisClient& redis, Attempt& attempt) {
               Status locked = LockCorrectly(redis, attempt);
               if (locked.code() != StatusCode::kNotAcquired) return locked;
               const auto prolonged = redis.Call({"PEXPIRE", attempt.key, Ms(attempt.lease)});
               return prolonged.ok() ? locked : prolonged.status();
             }});
  const std::string convictions = RowsNotPassed(lock, {"overstay"}, 100);
  EXPECT_NE(convictions.find("LK006 overstay violated"), std::string::npos) << convictions;
  // It blames nobody who has given it back.
  EXPECT_EQ(convictions.find("LK011"), std::string::npos) << convictions;
}

}  // namespace
}  // namespace interlock::scenarios
