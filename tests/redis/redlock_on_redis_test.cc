// SPDX-License-Identifier: MIT
//
// Redlock over real servers of its own, some of which die, stand still or forget.
#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include <interlock/redlock.h>

#include "src/scripts/quorum_scripts.h"
#include "tests/redis/lock_test.h"
#include "tests/redis/voters_test.h"
#include "tests/support/script_words.h"

namespace interlock::testing {
namespace {

constexpr char kKey[] = "interlock:redlock:{job}";

class RedlockOnRedisTest : public VotersTest {
 protected:
  static Redlock NewRedlock(const Voters& voters, Duration lease = seconds(30)) {
    return Make<Redlock>(voters.nodes, "job", RedlockOptions{.lease = lease});
  }
  std::string Ask(std::size_t server, const std::vector<std::string>& words) {
    const Result<std::string> answer = servers_[server]->Command(words);
    return answer.ok() ? answer.value() : answer.status().ToString();
  }
  void ExpectExtensionWhileTheFirstHangs(Redlock& lock) {
    Result<Lease> held = lock.TryAcquire();
    ASSERT_TRUE(held.ok()) << held.status().ToString();
    servers_[0]->Pause();
    const Status extended = held->Extend();
    EXPECT_TRUE(extended.ok()) << extended.ToString();
    servers_[0]->Resume();
  }
  int Owned() {
    int owned = 0;
    for (std::size_t i = 0; i < servers_.size(); ++i) owned += Ask(i, {"EXISTS", kKey}) == "1";
    return owned;
  }
};

TEST_F(RedlockOnRedisTest, OneHolderAtATimeOnAllNodes) {
  StartServers(3);
  const Voters a = NewVoters();
  const Voters b = NewVoters();
  Redlock mine = NewRedlock(a);
  Redlock theirs = NewRedlock(b);
  Result<Lease> held = mine.TryAcquire();
  ASSERT_TRUE(held.ok()) << held.status().ToString();
  for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(Ask(i, {"GET", kKey}), held->token());
  EXPECT_EQ(theirs.TryAcquire().code(), StatusCode::kNotAcquired);
  EXPECT_TRUE(held->Extend().ok());
  EXPECT_TRUE(held->Release().ok());
  EXPECT_EQ(Owned(), 0);
  Result<Lease> next = theirs.TryAcquire();
  ASSERT_TRUE(next.ok());
  EXPECT_GT(next->fencing_token(), held->fencing_token());
}

TEST_F(RedlockOnRedisTest, NoUpdateIsLostBetweenThreadsAndFencesGrow) {
  StartServers(5);
  ExpectNoUpdateIsLost(4, 8, [this](const auto& work) {
    const Voters voters = NewVoters();
    Redlock lock = NewRedlock(voters);
    work(lock);
  });
  EXPECT_EQ(Owned(), 0);
}

TEST_F(RedlockOnRedisTest, GoesOnWithoutAMinority) {
  StartServers(5);
  const Voters voters = NewVoters();
  // Those that are dead refuse at once, and no slow machine is to make a silent one of the others.
  Redlock lock = Make<Redlock>(voters.nodes, "job",
                               RedlockOptions{.lease = seconds(30), .node_timeout = seconds(5)});
  Result<Lease> held = lock.TryAcquire();
  ASSERT_TRUE(held.ok());
  servers_[0]->Kill();
  servers_[3]->Kill();
  EXPECT_TRUE(held->Extend().ok());
  EXPECT_TRUE(held->Release().ok());
  EXPECT_TRUE(lock.TryAcquire().ok());
  servers_[4]->Kill();
  EXPECT_EQ(lock.TryAcquire().code(), StatusCode::kUnavailable);
  EXPECT_EQ(Ask(1, {"EXISTS", kKey}), "0");
  EXPECT_EQ(Ask(2, {"EXISTS", kKey}), "0");
}

// The kernel accepts connections for a stopped server, so only the time-out tells. What it was sent
// it executes when it goes on: by then the try is barred there.
TEST_F(RedlockOnRedisTest, ANodeThatHangsCostsATimeOutAndKeepsNothing) {
  StartServers(3);
  const Voters voters = NewVoters();
  Redlock lock = NewRedlock(voters);
  servers_[1]->Pause();
  const MonotonicTime before = runtime_.Now();
  Result<Lease> held = lock.TryAcquire();
  ASSERT_TRUE(held.ok()) << held.status().ToString();
  EXPECT_LT(runtime_.Now() - before, seconds(2));
  EXPECT_TRUE(held->Extend().ok());
  EXPECT_TRUE(held->Release().ok());
  servers_[1]->Resume();
  EXPECT_EQ(Owned(), 0);
  Result<Lease> next = lock.TryAcquire();
  ASSERT_TRUE(next.ok());
  EXPECT_EQ(Owned(), 3);
}

// Two nodes ask for the text of a script, which they have never seen, while the first one hangs.
TEST_F(RedlockOnRedisTest, NodesAreToldTheScriptWhileAnotherHangs) {
  StartServers(3);
  const Voters voters = NewVoters();
  Redlock lock = NewRedlock(voters);
  ExpectExtensionWhileTheFirstHangs(lock);
}

// A server that begins anew knows no script any more.
TEST_F(RedlockOnRedisTest, ANodeThatBeganAnewIsToldTheScriptWhileAnotherHangs) {
  StartServers(3);
  const Voters voters = NewVoters();
  Redlock lock = NewRedlock(voters);
  Result<Lease> before = lock.TryAcquire();
  ASSERT_TRUE(before.ok()) << before.status().ToString();
  ASSERT_TRUE(before->Extend().ok() && before->Release().ok());
  ASSERT_TRUE(servers_[1]->Restart().ok());
  ExpectExtensionWhileTheFirstHangs(lock);
}

// It had been sent the request before it hung, so it grants it when it goes on, after the release.
TEST_F(RedlockOnRedisTest, AVoteThatCameTooLateIsGivenUp) {
  StartServers(3);
  const Voters voters = NewVoters();
  Redlock lock = NewRedlock(voters);
  EXPECT_TRUE(lock.TryAcquire()->Release().ok());  // connections are made
  servers_[1]->Pause();
  Result<Lease> held = lock.TryAcquire();
  ASSERT_TRUE(held.ok()) << held.status().ToString();
  const std::string mark = std::string(kKey) + ":cancelled:" + held->token();
  EXPECT_TRUE(held->Release().ok());
  servers_[1]->Resume();
  while (Ask(1, {"EXISTS", mark}) == "0") SleepFor(milliseconds(2));
  EXPECT_EQ(Owned(), 0);
}

// Connections to both hanging nodes are made at the same time.
TEST_F(RedlockOnRedisTest, HangingNodesCostOneTimeOutTogether) {
  StartServers(5);
  const Voters voters = NewVoters();
  Redlock lock = Make<Redlock>(voters.nodes, "job", RedlockOptions{.node_timeout = seconds(1)});
  ASSERT_TRUE(lock.TryAcquire().ok());
  servers_[0]->Pause();
  servers_[2]->Pause();
  const MonotonicTime before = runtime_.Now();
  Result<Lease> held = lock.TryAcquire();
  const Duration took = runtime_.Now() - before;
  EXPECT_TRUE(held.ok()) << held.status().ToString();
  EXPECT_GE(took, seconds(1));
  EXPECT_LT(took, seconds(2));
  servers_[0]->Resume();
  servers_[2]->Resume();
}

// What a crash costs that forgets votes: a stated non-guarantee, and what notices it.
TEST_F(RedlockOnRedisTest, NodesThatRestartEmptyHaveForgottenTheirVotes) {
  StartServers(3);
  const Voters a = NewVoters();
  const Voters b = NewVoters();
  Redlock mine = NewRedlock(a);
  Redlock theirs = NewRedlock(b);
  Result<Lease> held = mine.TryAcquire();
  ASSERT_TRUE(held.ok());
  ASSERT_TRUE(servers_[0]->Restart().ok());
  EXPECT_TRUE(held->Extend().ok());
  EXPECT_EQ(theirs.TryAcquire().code(), StatusCode::kNotAcquired);
  ASSERT_TRUE(servers_[1]->Restart().ok());
  Result<Lease> second = theirs.TryAcquire();
  ASSERT_TRUE(second.ok()) << second.status().ToString();
  EXPECT_TRUE(held->valid());
  EXPECT_EQ(held->Extend().code(), StatusCode::kNotOwner);
  EXPECT_FALSE(held->valid());
  EXPECT_EQ(held->Release().code(), StatusCode::kNotOwner);
  EXPECT_GT(second->fencing_token(), held->fencing_token());
  EXPECT_EQ(Ask(2, {"EXISTS", kKey}), "0");
}

TEST_F(RedlockOnRedisTest, ACrashedHolderKeepsOthersOutForOneLease) {
  StartServers(3);
  const Voters a = NewVoters();
  const Voters b = NewVoters();
  Result<Lease> crashed = NewRedlock(a, milliseconds(500)).TryAcquire();
  ASSERT_TRUE(crashed.ok());
  crashed->Forget();
  Redlock theirs = NewRedlock(b, milliseconds(500));
  EXPECT_EQ(theirs.TryAcquire().code(), StatusCode::kNotAcquired);
  EXPECT_TRUE(theirs.AcquireFor(seconds(5)).ok());
}

TEST_F(RedlockOnRedisTest, TheFenceIsRaisedOnlyByTheOwnerAndNeverLowered) {
  StartServers(1);
  const internal::QuorumScripts scripts("", "r", std::chrono::seconds(60));
  const auto run = [&](const internal::ScriptCall& call) { return Ask(0, Eval(call)); };
  constexpr std::uint64_t kHigh = 9'000'000'000'000'000;
  run(scripts.node().Acquire("mine"));
  EXPECT_EQ(run(scripts.RaiseFence("theirs", kHigh)), "0");
  EXPECT_EQ(run(scripts.RaiseFence("mine", kHigh)), "1");
  EXPECT_EQ(Ask(0, {"GET", "{r}:fence"}), std::to_string(kHigh));
  EXPECT_EQ(run(scripts.RaiseFence("mine", kHigh - 1)), "1");
  EXPECT_EQ(Ask(0, {"GET", "{r}:fence"}), std::to_string(kHigh));
  EXPECT_NE(Ask(0, {"PTTL", "{r}:fence"}), "-1");
}

}  // namespace
}  // namespace interlock::testing
