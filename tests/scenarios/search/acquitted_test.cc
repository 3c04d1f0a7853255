// SPDX-License-Identifier: MIT
//
// Locks as others write them, sound ones: what they do differently from ours convicts nobody.
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "scenarios/locks/owner_key.h"
#include "scenarios/locks/specimens/permit_set.h"
#include "scenarios/locks/specimens/readers.h"
#include "scenarios/locks/specimens/recipe.h"
#include "scenarios/locks/specimens/signal.h"
#include "scenarios/run/run.h"
#include "scenarios/search/campaign.h"

namespace interlock::scenarios {
namespace {

using specimens::Attempt;
using specimens::RedisClient;

using SubjectPtr = std::shared_ptr<const harness::Subject>;

Entry Sound(specimens::Recipe recipe) { return {MakeLock(std::move(recipe)), false, {}}; }

/// What the lock is convicted of, and should not be, each with its smallest case; empty: nothing.
std::string Convictions(Entry entry, const std::vector<std::string_view>& scenarios,
                        std::uint64_t runs) {
  CampaignOptions options;
  options.entries = {std::move(entry)};
  for (const std::string_view name : scenarios) options.scenarios.push_back(FindScenario(name));
  options.runs = runs;
  options.jobs = 2;
  const CampaignResult result = RunCampaign(options);
  std::string text;
  sim::Universe universe;
  for (const Found& found : result.found) {
    const reports::ResultRow& row = result.report.results[found.row];
    if (row.pass) continue;
    sim::Choices choices = sim::Choices::FromTape(found.tape);
    const RunCase run_case{found.unit.entry->subject.get(), found.unit.scenario,
                           found.unit.synchrony};
    for (const Violation& one : RunOnce(universe, run_case, found.workload, choices).violations) {
      if (one.property == found.property) text += one.what + "; ";
    }
    text += row.code + " in " + row.scenario + ": " + row.replay.value_or("") + "\n";
  }
  return text;
}

// Readers in a hash with one TTL, which each newcomer prolongs for all

Status EnterOneTtl(RedisClient& redis, Attempt& attempt) {
  constexpr std::string_view kReader =
      "if redis.call('exists', KEYS[1]) == 1 then return 0 end "
      "redis.call('hset', readers, ARGV[1], '1') "
      "if redis.call('pttl', readers) < tonumber(ARGV[2]) then "
      "redis.call('pexpire', readers, ARGV[2]) end return 1";
  constexpr std::string_view kWriter =
      "if redis.call('exists', readers) == 1 then return 0 end "
      "return redis.call('set', KEYS[1], ARGV[1], 'NX', 'PX', ARGV[2]) and 1 or 0";
  return CallReaders(redis, attempt.shared ? kReader : kWriter, attempt,
                     {attempt.token, specimens::Ms(attempt.lease)}, StatusCode::kNotAcquired);
}

Status LeaveOneTtl(RedisClient& redis, Attempt& attempt) {
  if (!attempt.shared) return UnlockCorrectly(redis, attempt);
  return CallReaders(redis, "return redis.call('hdel', readers, ARGV[1])", attempt, {attempt.token},
                     StatusCode::kNotOwner);
}

std::optional<std::vector<harness::Owner>> OwnersOfOneTtl(const harness::ServerView& server,
                                                          const harness::LockOptions& options) {
  const std::string key = specimens::KeyOf(options);
  std::vector<harness::Owner> owners = OwnersAt(server, key);
  for (auto& [token, count] : server.Hash(key + ":readers")) {
    owners.push_back({token, server.ExpiresAtMs(key + ":readers"), true});
  }
  return owners;
}

TEST(AcquittedTest, ReadersMayShareOneTtlThatEachNewcomerProlongs) {
  const Entry lock = Sound({.name = "test/readers-of-one-ttl",
                            .summary = "a hash of readers; its TTL is that of the last to come",
                            .traits = {.kind = harness::Readers{}},
                            .lock = EnterOneTtl,
                            .unlock = LeaveOneTtl,
                            .owners = OwnersOfOneTtl});
  EXPECT_EQ(Convictions(lock, {"contention", "overstay", "lossy"}, 300), "");
}

// Permits in a sorted set that are over when the time has reached their score

constexpr std::string_view kNow =
    "local t = redis.call('time') local now = t[1] * 1000 + math.floor(t[2] / 1000) ";
constexpr std::string_view kSweep = "redis.call('zremrangebyscore', KEYS[1], '-inf', now) ";

Status CallPermits(RedisClient& redis, std::string_view script, const Attempt& attempt,
                   StatusCode otherwise) {
  return CallScript(redis, std::string(kNow).append(script), attempt.key,
                    {attempt.token, specimens::Ms(attempt.lease), std::to_string(attempt.permits)},
                    1, otherwise);
}

Status TakePermit(RedisClient& redis, Attempt& attempt) {
  return CallPermits(redis,
                     std::string(kSweep) +
                         "if redis.call('zcard', KEYS[1]) >= tonumber(ARGV[3]) then return 0 end "
                         "redis.call('zadd', KEYS[1], string.format('%.0f', now + ARGV[2]), "
                         "ARGV[1]) redis.call('pexpire', KEYS[1], ARGV[2]) return 1",
                     attempt, StatusCode::kNotAcquired);
}

Status GivePermit(RedisClient& redis, Attempt& attempt) {
  return CallPermits(redis, std::string(kSweep) + "return redis.call('zrem', KEYS[1], ARGV[1])",
                     attempt, StatusCode::kNotOwner);
}

Status ProlongPermit(RedisClient& redis, Attempt& attempt) {
  const MonotonicTime sent = redis.runtime().Now();
  Status prolonged =
      CallPermits(redis,
                  "local s = redis.call('zscore', KEYS[1], ARGV[1]) "
                  "if s == false or tonumber(s) <= now then return 0 end "
                  "redis.call('zadd', KEYS[1], string.format('%.0f', now + ARGV[2]), ARGV[1]) "
                  "redis.call('pexpire', KEYS[1], ARGV[2]) return 1",
                  attempt, StatusCode::kNotOwner);
  if (prolonged.ok()) attempt.valid_until = specimens::ValidFrom(sent, attempt.lease);
  return prolonged;
}

/// A permit's end is shown so many ms before its score.
specimens::Recipe Permits(std::int64_t before, harness::LastMs last_ms) {
  return {.name = "test/permits",
          .summary = "permits that are over when the time has reached their score",
          .traits = {.kind = harness::Permits{}, .can_extend = true},
          .lock = TakePermit,
          .unlock = GivePermit,
          .extend = ProlongPermit,
          .owners = [before, last_ms](const harness::ServerView& server,
                                      const harness::LockOptions& options) {
            std::vector<harness::Owner> owners;
            for (const auto& [token, score] : server.SortedSet(specimens::KeyOf(options))) {
              const auto end = static_cast<std::int64_t>(score);
              if (end > server.NowMs()) owners.push_back({token, end - before, false, last_ms});
            }
            return std::optional(std::move(owners));
          }};
}

Entry PermitsShown(std::int64_t before, harness::LastMs last_ms) {
  return Sound(Permits(before, last_ms));
}

TEST(AcquittedTest, ALockMayCountItsLastMillisecondInOrOutAndNeedNotSayWhich) {
  using enum harness::LastMs;
  const std::vector<std::string_view> scenarios = {"contention", "overstay"};
  EXPECT_EQ(Convictions(PermitsShown(0, kOver), scenarios, 300), "");
  EXPECT_EQ(Convictions(PermitsShown(1, kOwned), scenarios, 300), "");
  EXPECT_EQ(Convictions(PermitsShown(0, kUnsaid), scenarios, 300), "");
  EXPECT_EQ(Convictions(PermitsShown(1, kUnsaid), scenarios, 300), "");
}

TEST(AcquittedTest, WhoSaysTheWrongOneIsHeldToIt) {
  // Another one is granted in the millisecond that it calls its own.
  EXPECT_NE(Convictions(PermitsShown(0, harness::LastMs::kOwned), {"overstay"}, 300), "");
}

specimens::Recipe PermitsForOneLease() {
  specimens::Recipe recipe = Permits(0, harness::LastMs::kOver);
  recipe.traits.can_extend = false;
  recipe.extend = {};
  return recipe;
}

TEST(AcquittedTest, APermitThatCannotBeExtendedNeedsNoPlacingInWhichOneWasLost) {
  CampaignOptions options;
  options.entries = {Sound(PermitsForOneLease())};
  options.scenarios = {FindScenario("held-up-permits")};
  options.jobs = 2;
  int excused = 0;
  for (const reports::ResultRow& row : RunCampaign(options).report.results) {
    EXPECT_TRUE(row.pass) << row.code << ": " << row.reason;
    if (row.code == "LK005" && row.exercised == 0) ++excused;
  }
  EXPECT_EQ(excused, 2) << "one in each class";
}

// The key of all lives for half a lease, as when a user with a short one has set its TTL.
TEST(AcquittedTest, NoCommandIsBlamedForAKeyThatHasExpired) {
  specimens::Recipe recipe = PermitsForOneLease();
  recipe.lock = [](RedisClient& redis, Attempt& attempt) {
    Status taken = TakePermit(redis, attempt);
    if (taken.ok()) (void)redis.Call({"PEXPIRE", attempt.key, specimens::Ms(attempt.lease / 2)});
    return taken;
  };
  const std::string found = Convictions(Sound(std::move(recipe)), {"permits", "overstay"}, 300);
  EXPECT_NE(found.find("LK013"), std::string::npos);
  EXPECT_EQ(found.find("LK005"), std::string::npos) << found;
  EXPECT_EQ(found.find("LK010"), std::string::npos) << found;
}

// Operators of a lock that keeps no trace of what was released before

Entry Operated(specimens::Step force) {
  return Sound({.name = "test/operated",
                .summary = "an operator reads the holder, compares and deletes",
                .traits = {.operators = true},
                .force = std::move(force)});
}

// A signal for each permit given back, however many are blocked.
TEST(AcquittedTest, WaitersMayBlockOnAListThatGetsASignalForEachPermit) {
  specimens::Recipe recipe = PermitsForOneLease();
  recipe.unlock = [](RedisClient& redis, Attempt& attempt) {
    return CallPermits(redis,
                       std::string(kSweep) +
                           "if redis.call('zrem', KEYS[1], ARGV[1]) == 0 then return 0 end "
                           "redis.call('lpush', KEYS[1] .. ':signal', '1') "
                           "return redis.call('pexpire', KEYS[1] .. ':signal', ARGV[2])",
                       attempt, StatusCode::kNotOwner);
  };
  recipe.wait = specimens::AwaitPermitSignal;
  recipe.auxiliary = {specimens::kSignalBeside};
  recipe.hand_over_bound = [](const harness::LockOptions& options) { return options.lease / 8; };
  const Entry lock = Sound(std::move(recipe));
  EXPECT_EQ(Convictions(lock, {"crowd", "crowd-permits", "leave-together"}, 300), "");
}

// A minimum, as ShedLock's lockAtLeastFor: a release before that leaves the key until then.
specimens::Recipe HeldAtLeast() {
  return {.name = "test/held-at-least",
          .summary = "stays taken for a quarter of a lease, however soon it is released",
          .unlock =
              [](RedisClient& redis, Attempt& attempt) {
                constexpr std::string_view kScript =
                    "if redis.call('get', KEYS[1]) ~= ARGV[1] then return 0 end "
                    "local left = redis.call('pttl', KEYS[1]) - ARGV[2] "
                    "if left > 0 then return redis.call('pexpire', KEYS[1], left) end "
                    "return redis.call('del', KEYS[1])";
                return CallScript(redis, kScript, attempt.key,
                                  {attempt.token, specimens::Ms(attempt.lease - attempt.lease / 4)},
                                  1, StatusCode::kNotOwner);
              },
          .stays_taken_for = [](const harness::LockOptions& options) { return options.lease / 4; }};
}

TEST(AcquittedTest, ALockMayStayTakenForAMinimum) {
  const std::vector<std::string_view> scenarios = {
      "contention", "overstay", "crash", "lossy", "crowd", "nested", "chaos", "server-clock"};
  EXPECT_EQ(Convictions(Sound(HeldAtLeast()), scenarios, 300), "");
}

// A release that is held up leaves the rest as it is, if that is short enough when it arrives.
TEST(AcquittedTest, AMinimumCountsFromWhenTheReleaseIsExecuted) {
  specimens::Recipe recipe = HeldAtLeast();
  recipe.unlock = [](RedisClient& redis, Attempt& attempt) {
    constexpr std::string_view kScript =
        "if redis.call('get', KEYS[1]) ~= ARGV[1] then return 0 end "
        "if redis.call('pttl', KEYS[1]) > tonumber(ARGV[2]) then "
        "  redis.call('pexpire', KEYS[1], ARGV[2]) end return 1";
    return CallScript(redis, kScript, attempt.key,
                      {attempt.token, specimens::Ms(attempt.lease / 4)}, 1, StatusCode::kNotOwner);
  };
  const Entry lock = Sound(std::move(recipe));
  const std::vector<std::string_view> scenarios = {"pause", "partition", "server-restart",
                                                   "data-loss", "chaos"};
  EXPECT_EQ(Convictions(lock, scenarios, 600), "");
}

TEST(AcquittedTest, AReleaseThatShortensAnothersLeaseIsAForeignRelease) {
  specimens::Recipe recipe = HeldAtLeast();
  recipe.unlock = [](RedisClient& redis, Attempt& attempt) {
    return redis.Call({"PEXPIRE", attempt.key, specimens::Ms(attempt.lease / 4)}).status();
  };
  const std::string found = Convictions(Sound(std::move(recipe)), {"overstay"}, 300);
  EXPECT_NE(found.find("LK005"), std::string::npos) << found;
  EXPECT_EQ(found.find("LK006"), std::string::npos) << found;
}

TEST(AcquittedTest, AMinimumCountsForLocksThatShowNoOwnersToo) {
  specimens::Recipe recipe = HeldAtLeast();
  recipe.owners = [](const harness::ServerView&, const harness::LockOptions&) {
    return std::optional<std::vector<harness::Owner>>();
  };
  recipe.retry_sleep = std::chrono::milliseconds(5);
  recipe.hand_over_bound = [](const harness::LockOptions&) { return std::chrono::milliseconds(6); };
  const std::vector<std::string_view> scenarios = {"contention", "crowd"};
  EXPECT_EQ(Convictions(Sound(recipe), scenarios, 300), "");
  recipe.stays_taken_for = {};
  EXPECT_NE(Convictions(Sound(recipe), scenarios, 300).find("LK009"), std::string::npos);
}

TEST(AcquittedTest, WhoDeclaresNoMinimumIsConvictedOfIt) {
  specimens::Recipe recipe = HeldAtLeast();
  recipe.stays_taken_for = {};
  const std::string found = Convictions(Sound(std::move(recipe)), {"overstay"}, 300);
  EXPECT_NE(found.find("LK005"), std::string::npos) << found;
  EXPECT_NE(found.find("LK011"), std::string::npos) << found;
}

TEST(AcquittedTest, AMinimumExcusesNoReleaseThatDoesNothing) {
  specimens::Recipe recipe = HeldAtLeast();
  recipe.unlock = [](RedisClient&, Attempt&) { return Status(); };
  const std::string found = Convictions(Sound(std::move(recipe)), {"overstay"}, 300);
  EXPECT_NE(found.find("LK005"), std::string::npos) << found;
  EXPECT_NE(found.find("LK011"), std::string::npos) << found;
}

TEST(AcquittedTest, AnOperatorIsToldEitherOfAHolderThatIsOneNoMore) {
  const auto says_released = [](RedisClient& redis, Attempt& seen) {
    Status status = UnlockCorrectly(redis, seen);
    return status.code() == StatusCode::kNotOwner ? Status() : status;
  };
  EXPECT_EQ(Convictions(Operated(says_released), {"contention", "overstay"}, 600), "");
  EXPECT_EQ(Convictions(Operated(specimens::UnlockCorrectly), {"contention", "overstay"}, 600), "");
  // Without a fencing token nothing can refuse what the victim writes.
  EXPECT_EQ(Convictions(Operated(specimens::UnlockCorrectly), {"guarded"}, 300), "");
}

TEST(AcquittedTest, AnOperatorIsNotToldReleasedOfAHolderThatStillIsOne) {
  const auto does_nothing = [](RedisClient&, Attempt&) { return Status(); };
  EXPECT_NE(Convictions(Operated(does_nothing), {"overstay"}, 600), "");
}

// What most people write, where servers lose data

Entry MostPeoples() {
  return Sound({.name = "test/most-peoples",
                .summary = "SET NX PX, compare-and-delete, compare-and-prolong, polling",
                .traits = {.can_extend = true},
                .extend = specimens::ExtendCorrectly});
}

// Not server-errors: what these recipes make of an error reply is "no", which is not always true.
const std::vector<std::string_view> kLosing = {"split-brain", "failover", "data-loss",
                                               "server-restart", "server-clock"};

// A client's refused SET comes right behind what replication has removed.
TEST(AcquittedTest, WhatReplicationRemovesIsBlamedOnNoClient) {
  const Entry lock = MostPeoples();
  EXPECT_EQ(Convictions(lock, kLosing, 500), "");
}

// Three locks, five ways for servers to lose what they had: 60,000 runs.
TEST(ManyRunsOfPlainLocksTest, NoneIsConvictedOfWhatItsServersLose) {
  for (const Entry& lock : {MostPeoples(), PermitsShown(0, harness::LastMs::kOver),
                            Operated(specimens::UnlockCorrectly)}) {
    EXPECT_EQ(Convictions(lock, kLosing, 4'000), "");
  }
}

}  // namespace
}  // namespace interlock::scenarios
