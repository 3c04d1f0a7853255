// SPDX-License-Identifier: MIT
#include "src/quorum.h"

#include <chrono>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace interlock::internal {
namespace {

using namespace std::chrono_literals;
using Kind = NodeVote::Kind;
using ::testing::HasSubstr;

NodeVote Granted(std::uint64_t fence = 1) {
  NodeVote vote;
  vote.kind = Kind::kGranted;
  vote.fencing_token = fence;
  return vote;
}
NodeVote Refused(Milliseconds ttl = 100ms) {
  NodeVote vote;
  vote.kind = Kind::kRefused;
  vote.owner_ttl = ttl;
  return vote;
}
NodeVote Failed(StatusCode code) {
  NodeVote vote;
  const bool unknown = Status(code).outcome() == Outcome::kUnknown;
  vote.kind = unknown ? Kind::kDoubtful : Kind::kFailed;
  vote.status = Status(code, "why");
  return vote;
}

TEST(WhoHasAQuorumTest, TellsHoldersOfAQuorumForAsLongAsTheyHaveIt) {
  const Inspection a{.holders = {{"x", 300ms, 7}}, .waiters = {}};
  const Inspection b{.holders = {{"x", 100ms, 9}}, .waiters = {}};
  const Inspection c{.holders = {{"y", 500ms, 8}}, .waiters = {}};
  const Inspection all = WhoHasAQuorum({a, b, c}, 2);
  ASSERT_EQ(all.holders.size(), 1U);
  EXPECT_EQ(all.holders[0].token, "x");
  EXPECT_EQ(all.holders[0].remaining, 100ms);
  EXPECT_EQ(all.holders[0].fencing_token, 9U);
  EXPECT_TRUE(WhoHasAQuorum({a, c}, 2).holders.empty());
}

// Any two quorums of the same nodes have one in common, and no smaller number has that property.
TEST(QuorumTest, IsTheLeastNumberOfWhichTwoMeet) {
  for (std::size_t nodes = 1; nodes < 20; ++nodes) {
    EXPECT_GT(2 * QuorumOf(nodes), nodes);
    EXPECT_LE(2 * (QuorumOf(nodes) - 1), nodes);
  }
}

TEST(QuorumTest, ARefusalIsDefiniteOnlyIfRefusalsAloneLeftNoQuorum) {
  EXPECT_EQ(WhyNoQuorum({Granted(), Refused(), Refused()}, "r").code(), StatusCode::kNotAcquired);
  EXPECT_EQ(WhyNoQuorum({Granted(), Refused(), Failed(StatusCode::kUnavailable)}, "r").code(),
            StatusCode::kUnavailable);
  // Of four nodes three are a quorum: two refusals leave none.
  EXPECT_EQ(WhyNoQuorum({Granted(), Granted(), Refused(), Refused()}, "r").code(),
            StatusCode::kNotAcquired);
  EXPECT_EQ(WhyNoQuorum({Granted(), Refused(), Refused(), Failed(StatusCode::kUnknownOutcome),
                         Failed(StatusCode::kUnavailable)},
                        "r")
                .code(),
            StatusCode::kUnavailable);
}

TEST(QuorumTest, WhatNoRepetitionChangesIsSaidIfItDecides) {
  const NodeVote wrong = Failed(StatusCode::kInvalidArgument);
  EXPECT_EQ(WhyNoQuorum({wrong, wrong, Granted()}, "r").code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(WhyNoQuorum({wrong, Failed(StatusCode::kUnavailable), Granted()}, "r").code(),
            StatusCode::kUnavailable);
  EXPECT_EQ(WhyNoQuorum({Granted(), Failed(StatusCode::kCancelled), Granted()}, "r").code(),
            StatusCode::kCancelled);
}

TEST(QuorumTest, TheMessageCountsTheAnswers) {
  EXPECT_THAT(WhyNoQuorum({Granted(), Refused(), Failed(StatusCode::kUnavailable)}, "r").message(),
              HasSubstr("of 3 nodes 1 granted and 1 refused; the first failure: unavailable: why"));
}

TEST(QuorumTest, TheHighestFenceIsOfTheGrantingNodes) {
  NodeVote refused = Refused();
  refused.fencing_token = 99;
  EXPECT_EQ(HighestFence({Granted(3), Granted(7), refused}), 7U);
  EXPECT_EQ(HighestFence({refused}), 0U);
}

TEST(QuorumTest, IsFreeWhenTheLeaseOnTheLastNodeOfTheSoonestQuorumIsOver) {
  EXPECT_EQ(FreeIn({Refused(300ms), Refused(100ms), Refused(200ms)}), 201ms);
  EXPECT_EQ(FreeIn({Granted(), Refused(100ms), Refused(200ms)}), 101ms);
  EXPECT_EQ(FreeIn({Granted(), Refused(100ms), Failed(StatusCode::kUnavailable)}), 101ms);
  EXPECT_EQ(FreeIn({Refused(-1ms), Refused(100ms), Failed(StatusCode::kUnavailable)}),
            std::nullopt);
}

TEST(QuorumTest, AReleaseIsConfirmedOrDeniedByAQuorum) {
  using enum NodeRelease;
  EXPECT_TRUE(WhatWasReleased({kReleased, kReleased, kUnknown}, false).ok());
  EXPECT_TRUE(WhatWasReleased({kReleased, kReleased, kGone}, true).ok());
  EXPECT_EQ(WhatWasReleased({kReleased, kGone, kGone}, false).code(), StatusCode::kNotOwner);
  EXPECT_EQ(WhatWasReleased({kReleased, kGone, kUnknown}, false).code(),
            StatusCode::kUnknownOutcome);
  EXPECT_EQ(WhatWasReleased({kUnreached, kUnreached, kReleased}, false).code(),
            StatusCode::kUnavailable);
  EXPECT_EQ(WhatWasReleased({kUnreached, kUnreached, kReleased}, true).code(),
            StatusCode::kUnknownOutcome);
}

TEST(QuorumTest, JitterStaysBelowItsLimit) {
  EXPECT_EQ(Jitter(1024ns, 0), 0ns);
  EXPECT_EQ(Jitter(1024ns, 1023), 1023ns);
  EXPECT_LT(Jitter(25ms, 0xffffffffU), 25ms);
}

}  // namespace
}  // namespace interlock::internal
