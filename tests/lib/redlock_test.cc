// SPDX-License-Identifier: MIT
//
// Redlock over scripted nodes: what is sent to which node, and what becomes of the answers. Time
// stands still but for replies that never come and pauses.
#include <interlock/redlock.h>

#include <array>
#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "src/scripts/mutex_scripts.h"
#include "src/scripts/quorum_scripts.h"
#include "tests/lib/lib_test.h"

namespace interlock {
namespace {

using namespace std::chrono_literals;
using internal::MutexScripts;
using internal::QuorumScripts;
using testing::Answer;
using testing::FakeConnector;
using ::testing::HasSubstr;

const internal::Script& Acquire() { return *MutexScripts::All()[0]; }
const internal::Script& Extend() { return *MutexScripts::All()[1]; }
const internal::Script& Release() { return *MutexScripts::All()[2]; }
const internal::Script& Abandon() { return *MutexScripts::All()[3]; }
const internal::Script& Raise() { return *QuorumScripts::All()[0]; }

class RedlockTest : public LockTest {
 protected:
  struct Node {
    explicit Node(testing::ManualRuntime& runtime, int index)
        : connector(runtime, "redis://node-" + std::to_string(index)), client(runtime, connector) {}
    FakeConnector connector;
    Client client;
  };

  RedlockTest() {
    for (int i = 0; i < 3; ++i) nodes_.push_back(std::make_unique<Node>(runtime_, i));
  }

  std::vector<Client*> Clients() const {
    std::vector<Client*> clients;
    for (const auto& node : nodes_) clients.push_back(&node->client);
    return clients;
  }
  Redlock NewRedlock(bool fencing = false) {
    return Redlock::Create(Clients(), "res", {.key_prefix = "t:", .lease = 10s, .fencing = fencing})
        .value();
  }
  void On(int node, Answer answer) {
    nodes_[static_cast<std::size_t>(node)]->connector.Expect(FakeConnector::kAnyScript,
                                                             std::move(answer));
  }
  void OnEach(std::array<Answer, 3> answers) {
    for (int i = 0; i < 3; ++i) On(i, std::move(answers[static_cast<std::size_t>(i)]));
  }
  /// The scripts that were sent to a node, by name.
  std::vector<std::string> Scripts(int node) const {
    std::vector<std::string> names;
    for (const auto& sent : nodes_[static_cast<std::size_t>(node)]->connector.sent()) {
      for (const auto& all : {MutexScripts::All(), QuorumScripts::All()}) {
        for (const internal::Script* script : all) {
          if (sent.argv[1] == script->sha() || sent.argv[1] == script->source)
            names.emplace_back(script->name);
        }
      }
    }
    return names;
  }
  static std::vector<std::string> Names(std::initializer_list<internal::Script> scripts) {
    std::vector<std::string> names;
    for (const internal::Script& script : scripts) names.emplace_back(script.name);
    return names;
  }
  /// What the scripts were sent with.
  std::vector<std::string> Commands(int node) const {
    std::vector<std::string> commands;
    for (const auto& sent : nodes_[static_cast<std::size_t>(node)]->connector.sent()) {
      commands.push_back(sent.argv[0]);
    }
    return commands;
  }
  const std::vector<std::string>& LastSent(int node) const {
    return nodes_[static_cast<std::size_t>(node)]->connector.sent().back().argv;
  }

  std::vector<std::unique_ptr<Node>> nodes_;
};

TEST_F(RedlockTest, RefusesNodesThatCannotVote) {
  const auto why = [](const std::vector<Client*>& nodes) {
    const auto lock = Redlock::Create(nodes, "res");
    EXPECT_EQ(lock.code(), StatusCode::kInvalidArgument);
    return lock.status().message();
  };
  std::vector<Client*> nodes = Clients();
  EXPECT_THAT(why({nodes[0], nodes[1]}), HasSubstr("nodes are 2; allowed is 3 or more"));
  EXPECT_THAT(why({nodes[0], nodes[1], nullptr}), HasSubstr("node 2 is null"));
  EXPECT_THAT(why({nodes[0], nodes[1], nodes[0]}), HasSubstr("node 2 is the same as node 0"));
  FakeConnector twin(runtime_, "redis://node-1");
  Client same(runtime_, twin);
  EXPECT_THAT(why({nodes[0], nodes[1], &same}), HasSubstr("node 2 is the same as node 1"));
  testing::ManualRuntime elsewhere;
  FakeConnector connector(elsewhere, "redis://elsewhere");
  Client other(elsewhere, connector);
  EXPECT_THAT(why({nodes[0], nodes[1], &other}), HasSubstr("another Runtime"));
  FakeConnector last(runtime_, "redis://last");
  Client wrong(runtime_, last, {.release_attempts = 0});
  EXPECT_THAT(why({nodes[0], nodes[1], &wrong}), HasSubstr("node 2: release_attempts is 0"));
}

TEST_F(RedlockTest, RefusesATimeOutThatIsNotWellBelowTheLease) {
  const auto lock = Redlock::Create(Clients(), "res", {.lease = 399ms, .node_timeout = 100ms});
  EXPECT_THAT(lock.status().message(), HasSubstr("node_timeout is 100 ms"));
  EXPECT_TRUE(Redlock::Create(Clients(), "res", {.lease = 400ms, .node_timeout = 100ms}).ok());
}

TEST_F(RedlockTest, IsGrantedByAQuorumWithTheHighestFenceAndReleasesEverywhere) {
  OnEach({Grant(7), Grant(9), Refuse(100ms)});
  On(0, Number(1));
  On(1, Number(1));
  Result<Lease> lease = NewRedlock(true).TryAcquire();
  ASSERT_TRUE(lease.ok()) << lease.status().ToString();
  EXPECT_EQ(lease->fencing_token(), 9U);
  EXPECT_EQ(Scripts(0), Names({Acquire(), Raise()}));
  EXPECT_EQ(LastSent(0).back(), internal::Argument(kFenceTtl).view());
  // One per cent and 2 ms off.
  EXPECT_EQ(lease->remaining(), 10s - 100ms - 2ms);
  OnEach({Number(1), Number(1), Number(0)});
  EXPECT_TRUE(lease->Release().ok());
  EXPECT_EQ(Scripts(2), Names({Acquire(), Release()}));
}

TEST_F(RedlockTest, WithoutFencingAGrantIsOneRound) {
  OnEach({Grant(7), Grant(9), Grant(8)});
  Result<Lease> lease = NewRedlock().TryAcquire();
  ASSERT_TRUE(lease.ok());
  EXPECT_EQ(lease->fencing_token(), 0U);
  EXPECT_EQ(Scripts(0), Names({Acquire()}));
  lease->Forget();
}

// Or else a node might ask for the text behind one that hangs, and not be heard in time.
TEST_F(RedlockTest, BringsTheTextOfAScriptUntilTheNodeHasExecutedIt) {
  Redlock lock = NewRedlock();
  for (int round = 0; round < 2; ++round) {
    OnEach({Grant(7), Grant(9), Grant(8)});
    OnEach({Number(1), Number(1), Number(1)});
    Result<Lease> lease = lock.TryAcquire();
    ASSERT_TRUE(lease.ok()) << lease.status().ToString();
    EXPECT_TRUE(lease->Release().ok());
  }
  EXPECT_EQ(Commands(0), (std::vector<std::string>{"EVAL", "EVAL", "EVALSHA", "EVALSHA"}));
}

// A counter that stayed behind would give out the same token again by way of another quorum.
TEST_F(RedlockTest, IsUndoneIfNoQuorumTakesOverTheFence) {
  OnEach({Grant(7), Grant(9), Refuse(100ms)});
  On(0, Number(1));
  On(1, Number(0));
  On(0, Number(1));
  On(1, Number(0));
  EXPECT_EQ(NewRedlock(true).TryAcquire().code(), StatusCode::kUnavailable);
  EXPECT_EQ(Scripts(0), Names({Acquire(), Raise(), Release()}));
  EXPECT_EQ(Scripts(1), Names({Acquire(), Raise(), Release()}));
}

TEST_F(RedlockTest, ATryWithoutAQuorumGivesBackWhatItGot) {
  OnEach({Grant(7), Refuse(50ms), Refuse(60ms)});
  On(0, Number(1));
  EXPECT_EQ(NewRedlock().TryAcquire().code(), StatusCode::kNotAcquired);
  EXPECT_EQ(Scripts(0), Names({Acquire(), Release()}));
  EXPECT_EQ(Scripts(1), Names({Acquire()}));
}

// Unanswered on one node: undone and barred there, on another connection, before it is reported.
TEST_F(RedlockTest, ANodeThatDidNotAnswerIsSettledFirst) {
  OnEach({Answer::Lost(), Refuse(50ms), Refuse(60ms)});
  On(0, Number(1));
  EXPECT_EQ(NewRedlock().TryAcquire().code(), StatusCode::kNotAcquired);
  EXPECT_EQ(Scripts(0), Names({Acquire(), Abandon()}));
  EXPECT_EQ(runtime_.elapsed(), 100ms);
}

TEST_F(RedlockTest, AMinorityThatCannotBeSettledIsNoUnknownOutcome) {
  OnEach({Answer::Lost(), Refuse(50ms), Refuse(60ms)});
  for (int i = 0; i < 3; ++i) On(0, Answer::Lost());
  EXPECT_EQ(NewRedlock().TryAcquire().code(), StatusCode::kNotAcquired);
}

TEST_F(RedlockTest, AQuorumThatCannotBeSettledIs) {
  OnEach({Answer::Lost(), Answer::Lost(), Refuse(60ms)});
  for (int i = 0; i < 3; ++i) On(0, Answer::Lost());
  for (int i = 0; i < 3; ++i) On(1, Answer::Lost());
  EXPECT_EQ(NewRedlock().TryAcquire().code(), StatusCode::kUnknownOutcome);
}

// Validity counts from the first sending, not from the last reply.
TEST_F(RedlockTest, WhatASlowNodeCostsIsTakenOffTheValidity) {
  OnEach({Grant(5), std::move(Grant(5)).After(80ms), Answer::Lost()});
  Result<Lease> lease = NewRedlock().TryAcquire();
  ASSERT_TRUE(lease.ok());
  EXPECT_EQ(runtime_.elapsed(), 100ms);
  EXPECT_EQ(lease->remaining(), 10s - 100ms - 2ms - 100ms);
  // What was not answered is barred when the lease is released.
  OnEach({Number(1), Number(1), Number(0)});
  EXPECT_TRUE(lease->Release().ok());
  EXPECT_EQ(Scripts(2), Names({Acquire(), Abandon()}));
}

// The node hears of that after the vote, however late it comes to both.
TEST_F(RedlockTest, AVoteThatIsOverdueIsGivenUpOnItsConnection) {
  OnEach({Grant(5), Grant(5), Answer::Lost()});
  Result<Lease> lease = NewRedlock().TryAcquire();
  ASSERT_TRUE(lease.ok());
  const auto& last = nodes_[2]->connector.sent_last();
  ASSERT_EQ(last.size(), 1U);
  EXPECT_EQ(last[0].argv[0], "EVAL");
  EXPECT_EQ(last[0].argv[1], Abandon().source);
  EXPECT_EQ(last[0].argv[6], lease->token());
  EXPECT_TRUE(nodes_[0]->connector.sent_last().empty());
  lease->Forget();
}

TEST_F(RedlockTest, ALeaseThatIsHandedOverTakesAlongWhereToBarIt) {
  OnEach({Grant(5), Grant(5), Answer::Lost()});
  Redlock redlock = NewRedlock();
  Result<Lease> lease = redlock.TryAcquire();
  ASSERT_TRUE(lease.ok());
  const Result<std::string> text = lease->HandOver();
  ASSERT_TRUE(text.ok());
  OnEach({Number(1), Number(1), Number(0)});
  Result<Lease> adopted = redlock.Adopt(*text);
  ASSERT_TRUE(adopted.ok()) << adopted.status().ToString();
  OnEach({Number(1), Number(1), Number(0)});
  EXPECT_TRUE(adopted->Release().ok());
  EXPECT_EQ(Scripts(2), Names({Acquire(), Extend(), Abandon()}));
}

TEST_F(RedlockTest, ANodeThatIsAwayHasNoVoteAndNoSay) {
  nodes_[1]->connector.FailEveryConnect(Status(StatusCode::kUnavailable, "refused"));
  On(0, Grant(5));
  On(2, Grant(5));
  Result<Lease> lease = NewRedlock().TryAcquire();
  ASSERT_TRUE(lease.ok());
  On(0, Number(1));
  On(2, Number(1));
  EXPECT_TRUE(lease->Release().ok());
}

TEST_F(RedlockTest, ExtendsByAQuorumAndBelievesNoLongerWithoutOne) {
  OnEach({Grant(5), Grant(5), Grant(5)});
  Result<Lease> lease = NewRedlock().TryAcquire();
  ASSERT_TRUE(lease.ok());
  runtime_.Advance(4s);
  OnEach({Number(1), Number(0), Number(1)});
  EXPECT_TRUE(lease->Extend().ok());
  EXPECT_EQ(lease->remaining(), 10s - 100ms - 2ms);
  runtime_.Advance(1s);
  OnEach({Number(1), Number(0), Answer::Lost()});
  EXPECT_EQ(lease->Extend().code(), StatusCode::kUnknownOutcome);
  EXPECT_EQ(lease->remaining(), 10s - 100ms - 2ms - 1s - 100ms);
  lease->Forget();
}

TEST_F(RedlockTest, AnExtensionWaitsForNobodyOnceTheLeaseIsOver) {
  OnEach({Grant(5), Grant(5), Grant(5)});
  Result<Lease> lease = NewRedlock().TryAcquire();
  ASSERT_TRUE(lease.ok());
  runtime_.Advance(lease->remaining() - 50ms);
  OnEach({Number(1), Answer::Lost(), Answer::Lost()});
  EXPECT_FALSE(lease->Extend().ok());
  EXPECT_EQ(runtime_.Now(), lease->valid_until());
  lease->Forget();
}

// The one node that still has it has even prolonged it: nobody else would get its vote.
TEST_F(RedlockTest, WhatIsLeftOfALeaseThatAnExtendFoundLostIsReleased) {
  OnEach({Grant(5), Grant(5), Grant(5)});
  Result<Lease> lease = NewRedlock().TryAcquire();
  ASSERT_TRUE(lease.ok());
  OnEach({Number(1), Number(0), Number(0)});
  EXPECT_EQ(lease->Extend().code(), StatusCode::kNotOwner);
  EXPECT_FALSE(lease->valid());
  OnEach({Number(1), Number(0), Number(0)});
  EXPECT_EQ(lease->Release().code(), StatusCode::kNotOwner);
  EXPECT_EQ(Scripts(0), Names({Acquire(), Extend(), Release()}));
  EXPECT_EQ(lease->Release().code(), StatusCode::kNotOwner);
}

TEST_F(RedlockTest, AReleaseIsRepeatedOnTheNodesThatDoNotAnswer) {
  OnEach({Grant(5), Grant(5), Grant(5)});
  Result<Lease> lease = NewRedlock().TryAcquire();
  ASSERT_TRUE(lease.ok());
  OnEach({Number(1), Answer::Lost(), Number(1)});
  On(1, Number(2));
  EXPECT_TRUE(lease->Release().ok());
  EXPECT_EQ(Scripts(0), Names({Acquire(), Release()}));
}

TEST_F(RedlockTest, AReleaseIsUnknownIfNodesThatCountWereNotHeardOf) {
  OnEach({Grant(5), Grant(5), Refuse(100ms)});
  Result<Lease> lease = NewRedlock().TryAcquire();
  ASSERT_TRUE(lease.ok());
  OnEach({Number(1), Answer::Lost(), Number(0)});
  On(1, Answer::Lost());
  On(1, Answer::Lost());
  EXPECT_EQ(lease->Release().code(), StatusCode::kUnknownOutcome);
  OnEach({Number(2), Number(1), Number(0)});
  EXPECT_TRUE(lease->Release().ok());
}

// The next owner has erased the trace of what an attempt may have done that was not heard of.
TEST_F(RedlockTest, AReleaseIsUnknownIfSomebodyCameAfterALostReply) {
  OnEach({Grant(5), Grant(5), Grant(5)});
  Result<Lease> lease = NewRedlock().TryAcquire();
  ASSERT_TRUE(lease.ok());
  OnEach({Answer::Lost(), Answer::Lost(), Number(1)});
  On(0, Number(3));
  On(1, Number(3));
  EXPECT_EQ(lease->Release().code(), StatusCode::kUnknownOutcome);
  lease->Forget();
}

// What it leaves on a node that hangs is settled before that node is asked again.
TEST_F(RedlockTest, AWaiterDoesNotWaitForItself) {
  OnEach({Answer::Lost(), Grant(5), Refuse(1s)});
  for (int i = 0; i < 3; ++i) On(0, Answer::Lost());
  On(1, Number(1));
  On(0, Answer::Lost());
  On(1, Grant(5));
  On(2, Grant(5));
  Result<Lease> lease = NewRedlock().AcquireFor(10s);
  ASSERT_TRUE(lease.ok()) << lease.status().ToString();
  EXPECT_EQ(Scripts(0), Names({Acquire(), Abandon(), Abandon(), Abandon(), Abandon()}));
  lease->Forget();
}

TEST_F(RedlockTest, AWaiterPausesForGrowingRandomTimesAndGivesUpInTime) {
  for (const auto& node : nodes_) {
    node->connector.Otherwise([](const auto&) { return Refuse(20s); });
  }
  EXPECT_EQ(NewRedlock().AcquireFor(2s).code(), StatusCode::kTimeout);
  EXPECT_EQ(runtime_.elapsed(), 2s);
  const std::vector<Duration>& waits = runtime_.waits();
  ASSERT_GT(waits.size(), 8U);
  for (std::size_t i = 0; i + 1 < waits.size(); ++i) {
    const Duration longest = std::min<Duration>(25ms * (1 << std::min<std::size_t>(i, 6)), 250ms);
    EXPECT_LE(waits[i], longest);
    EXPECT_GE(waits[i], longest / 2);
  }
}

TEST_F(RedlockTest, AWaiterLooksAgainWhenALeaseThatWasInItsWayIsOver) {
  OnEach({Refuse(3ms), Refuse(2ms), Refuse(20s)});
  OnEach({Grant(5), Grant(5), Refuse(20s)});
  Result<Lease> lease = NewRedlock().AcquireFor(10s);
  ASSERT_TRUE(lease.ok());
  EXPECT_GE(runtime_.elapsed(), 4ms);
  lease->Forget();
}

TEST_F(RedlockTest, EndsAtOnceWhenTheRuntimeShutsDown) {
  OnEach({Grant(5), Answer::Cancelled(), Answer::Cancelled()});
  EXPECT_EQ(NewRedlock().AcquireFor(10s).code(), StatusCode::kCancelled);
}

}  // namespace
}  // namespace interlock
