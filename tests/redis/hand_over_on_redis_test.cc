// SPDX-License-Identifier: MIT
//
// A lease that goes from one process to another, on real servers: what both may do with it, and
// what becomes of a text that is of no use any more.
#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <interlock/interlock.h>

#include "tests/redis/lock_kinds.h"
#include "tests/redis/lock_test.h"
#include "tests/redis/voters_test.h"

namespace interlock::testing {
namespace {

std::vector<std::string> TokensOf(LeaseSource& lock) {
  const Result<Inspection> now = lock.Inspect();
  EXPECT_TRUE(now.ok()) << now.status().ToString();
  std::vector<std::string> tokens;
  if (!now.ok()) return tokens;
  for (const Holder& holder : now->holders) tokens.push_back(holder.token);
  return tokens;
}

/// The text. The giver's lease is gone when this returns, the hold is not.
std::string GivenUp(LeaseSource& lock, std::string& token, std::uint64_t& fencing_token) {
  Result<Lease> lease = lock.TryAcquire();
  EXPECT_TRUE(lease.ok()) << lease.status().ToString();
  if (!lease.ok()) return {};
  token = lease->token();
  fencing_token = lease->fencing_token();
  Result<std::string> text = lease->HandOver();
  EXPECT_TRUE(text.ok()) << text.status().ToString();

  EXPECT_FALSE(lease->valid());
  EXPECT_EQ(lease->remaining(), Duration(0));
  EXPECT_FALSE(lease->lost().IsSet()) << "a hand-over is no loss";
  EXPECT_EQ(lease->Extend().code(), StatusCode::kNotOwner);
  EXPECT_EQ(lease->KeepAlive(Duration::max()).code(), StatusCode::kNotOwner);
  EXPECT_EQ(lease->HandOver().code(), StatusCode::kNotOwner);
  EXPECT_EQ(lease->Release().code(), StatusCode::kNotOwner);
  return text.ok() ? *std::move(text) : std::string();
}

/// One hold in two hands, which the first release ends for both.
void ExpectTakenTwice(const Parties& parties, const std::string& text, Lease first) {
  Result<Lease> second = parties.taker->Adopt(text);
  ASSERT_TRUE(second.ok()) << second.status().ToString();
  EXPECT_TRUE(first.valid());
  EXPECT_EQ(second->token(), first.token());
  EXPECT_EQ(TokensOf(*parties.taker).size(), 1U);

  EXPECT_TRUE(first.Release().ok());
  EXPECT_EQ(second->Extend().code(), StatusCode::kNotOwner);
  EXPECT_FALSE(second->valid());
  EXPECT_EQ(second->Release().code(), StatusCode::kNotOwner);
}

void ExpectHandedOver(const Parties& parties) {
  std::string token;
  std::uint64_t fencing_token = 0;
  const std::string text = GivenUp(*parties.giver, token, fencing_token);
  EXPECT_EQ(TokensOf(*parties.taker), std::vector<std::string>{token}) << "nothing was released";
  EXPECT_EQ(parties.outsider->TryAcquire().code(), StatusCode::kNotAcquired);
  EXPECT_EQ(parties.stranger->Adopt(text).code(), StatusCode::kNotOwner);

  Result<Lease> adopted = parties.taker->Adopt(text);
  ASSERT_TRUE(adopted.ok()) << adopted.status().ToString();
  EXPECT_EQ(adopted->token(), token);
  EXPECT_EQ(adopted->fencing_token(), fencing_token);
  EXPECT_TRUE(adopted->valid());
  EXPECT_TRUE(adopted->Extend().ok());
  EXPECT_EQ(parties.outsider->TryAcquire().code(), StatusCode::kNotAcquired);
  ExpectTakenTwice(parties, text, std::move(*adopted));

  EXPECT_TRUE(TokensOf(*parties.taker).empty());
  EXPECT_EQ(parties.taker->Adopt(text).code(), StatusCode::kNotOwner) << "it is over";
  Result<Lease> next = parties.outsider->TryAcquire();
  ASSERT_TRUE(next.ok()) << next.status().ToString();
  EXPECT_EQ(parties.taker->Adopt(text).code(), StatusCode::kNotOwner) << "it is another's by now";
  EXPECT_TRUE(next->Extend().ok());
}

class HandOverOnRedisTest : public LockTest {
 protected:
  void SetUp() override {
    LockTest::SetUp();
    here_ = NewProcess();
    there_ = NewProcess();
  }

  Process here_;
  Process there_;
};

class HandOverOfAnyKindOnRedisTest : public HandOverOnRedisTest,
                                     public ::testing::WithParamInterface<LockKind> {};

TEST_P(HandOverOfAnyKindOnRedisTest, TheTakerHoldsWhatTheGiverHeld) {
  ExpectHandedOver(GetParam().meet(*here_.client, *there_.client, {}));
}

INSTANTIATE_TEST_SUITE_P(Kinds, HandOverOfAnyKindOnRedisTest, ::testing::ValuesIn(LockKinds()),
                         NameOfKind);

TEST_F(HandOverOnRedisTest, OfAMutexWithALockDelay) {
  const auto mutex = [](const Process& process, const char* name) {
    return std::make_shared<Mutex>(
        Make<Mutex>(*process.client, name, MutexOptions{.lock_delay = seconds(30)}));
  };
  const auto taker = mutex(there_, "res");
  ExpectHandedOver({mutex(here_, "res"), taker, taker, mutex(there_, "another")});
}

TEST_F(HandOverOnRedisTest, AHoldThatAnotherOwnerAdoptsStaysItsFirstOwners) {
  ReentrantMutex here = Make<ReentrantMutex>(*here_.client, "res");
  ReentrantMutex there = Make<ReentrantMutex>(*there_.client, "res");
  ReentrantMutex::Owner giver = here.NewOwner();
  ReentrantMutex::Owner other = there.NewOwner();
  Result<Lease> adopted = other.Adopt(giver.TryAcquire()->HandOver().value());
  ASSERT_TRUE(adopted.ok()) << adopted.status().ToString();
  EXPECT_EQ(other.TryAcquire().code(), StatusCode::kNotAcquired);
  EXPECT_TRUE(giver.TryAcquire().ok());
  EXPECT_TRUE(adopted->Release().ok());
  EXPECT_TRUE(other.TryAcquire().ok());
}

TEST_F(HandOverOnRedisTest, OnePermitGoesAndTheOthersStay) {
  const SemaphoreOptions options = {.limit = 2};
  Semaphore here = Make<Semaphore>(*here_.client, "res", options);
  Semaphore there = Make<Semaphore>(*there_.client, "res", options);
  Result<Lease> stays = here.TryAcquire();
  ASSERT_TRUE(stays.ok()) << stays.status().ToString();
  Result<Lease> adopted = there.Adopt(here.TryAcquire()->HandOver().value());
  ASSERT_TRUE(adopted.ok()) << adopted.status().ToString();
  EXPECT_EQ(there.TryAcquire().code(), StatusCode::kNotAcquired);
  EXPECT_TRUE(adopted->Release().ok());
  EXPECT_EQ(TokensOf(there), std::vector<std::string>{stays->token()});
}

TEST_F(HandOverOnRedisTest, ALeaseThatEndsOnTheWayIsNotAdopted) {
  Mutex giver = Make<Mutex>(*here_.client, "res", MutexOptions{.lease = seconds(1)});
  Mutex taker = Make<Mutex>(*there_.client, "res");
  Result<Lease> lease = giver.TryAcquire();
  ASSERT_TRUE(lease.ok()) << lease.status().ToString();
  ASSERT_TRUE(lease->KeepAlive(Duration::max()).ok());
  const Result<std::string> text = lease->HandOver();
  ASSERT_TRUE(text.ok()) << text.status().ToString();
  const MonotonicTime limit = In(seconds(10));
  while (!TokensOf(taker).empty() && runtime_.Now() < limit) SleepFor(milliseconds(5));
  EXPECT_TRUE(TokensOf(taker).empty()) << "nobody renews what was handed over";
  EXPECT_EQ(taker.Adopt(*text).code(), StatusCode::kNotOwner);
}

TEST_F(HandOverOnRedisTest, ADamagedTextIsRefusedAndTheServerIsNotAsked) {
  Mutex giver = Make<Mutex>(*here_.client, "res");
  Mutex taker = Make<Mutex>(*there_.client, "res");
  std::string token;
  std::uint64_t fencing_token = 0;
  const std::string text = GivenUp(giver, token, fencing_token);
  ASSERT_FALSE(text.empty());
  const std::int64_t asked = server_->Calls("evalsha") + server_->Calls("eval");
  std::string changed = text;
  changed[text.find(token)] = changed[text.find(token)] == '0' ? '1' : '0';
  for (const std::string& damaged :
       {changed, text.substr(1), text.substr(0, text.size() - 1), text + "\n", std::string()}) {
    EXPECT_EQ(taker.Adopt(damaged).code(), StatusCode::kInvalidArgument) << damaged;
  }
  EXPECT_EQ(server_->Calls("evalsha") + server_->Calls("eval"), asked);
  Result<Lease> adopted = taker.Adopt(text);
  EXPECT_TRUE(adopted.ok()) << adopted.status().ToString();
}

// An adopted lease is one like any other: kept alive, and given back by its destructor.
TEST_F(HandOverOnRedisTest, TheTakerKeepsItAliveAndItsDestructorReleases) {
  const MutexOptions options = {.lease = seconds(2)};
  Mutex giver = Make<Mutex>(*here_.client, "res", options);
  Mutex taker = Make<Mutex>(*there_.client, "res", options);
  std::string token;
  std::uint64_t fencing_token = 0;
  const std::string text = GivenUp(giver, token, fencing_token);
  {
    Result<Lease> adopted = taker.Adopt(text);
    ASSERT_TRUE(adopted.ok()) << adopted.status().ToString();
    const MonotonicTime first_end = adopted->valid_until();
    ASSERT_TRUE(adopted->KeepAlive(Duration::max()).ok());
    const MonotonicTime limit = In(seconds(10));
    while (adopted->valid_until() == first_end && runtime_.Now() < limit) {
      SleepFor(milliseconds(5));
    }
    EXPECT_GT(adopted->valid_until(), first_end);
  }
  EXPECT_TRUE(TokensOf(taker).empty());
}

class RedlockHandOverOnRedisTest : public VotersTest {
 protected:
  void SetUp() override {
    StartServers(3);
    here_ = NewVoters();
    there_ = NewVoters();
  }

  static std::shared_ptr<Redlock> NewRedlock(const Voters& process, const std::string& name) {
    return std::make_shared<Redlock>(
        Make<Redlock>(process.nodes, name, RedlockOptions{.node_timeout = seconds(5)}));
  }

  Voters here_;
  Voters there_;
};

TEST_F(RedlockHandOverOnRedisTest, OfARedlock) {
  const auto taker = NewRedlock(there_, "res");
  ExpectHandedOver({NewRedlock(here_, "res"), taker, taker, NewRedlock(there_, "another")});
}

TEST_F(RedlockHandOverOnRedisTest, ThroughAMajorityIfANodeIsGone) {
  const auto giver = NewRedlock(here_, "res");
  const auto taker = NewRedlock(there_, "res");
  std::string token;
  std::uint64_t fencing_token = 0;
  const std::string text = GivenUp(*giver, token, fencing_token);
  servers_[1]->Kill();
  Result<Lease> adopted = taker->Adopt(text);
  ASSERT_TRUE(adopted.ok()) << adopted.status().ToString();
  EXPECT_TRUE(adopted->Release().ok());
  servers_[2]->Kill();
  EXPECT_FALSE(taker->Adopt(text).ok());
}

}  // namespace
}  // namespace interlock::testing
