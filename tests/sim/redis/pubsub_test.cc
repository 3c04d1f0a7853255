// SPDX-License-Identifier: MIT
//
// Subscriptions: who is told what, in which order, and how it is counted.
#include "tests/sim/redis/fake_fixture.h"

namespace interlock::sim::redis {
namespace {

class PubSubTest : public FakeTest {
 protected:
  PubSubTest() { other_ = server_.Connect(); }
  ClientId other_ = 0;
};

TEST_F(PubSubTest, TheChannelComesBeforeThePatterns) {
  Sent(other_, {"PSUBSCRIBE", "a*"});
  Sent(other_, {"SUBSCRIBE", "a"});
  EXPECT_EQ(Sent(client_, {"PUBLISH", "a", "m"}),
            "2 [\"message\", \"a\", \"m\"]; 2 [\"pmessage\", \"a*\", \"a\", \"m\"]; 1 (integer) 2");
}

TEST_F(PubSubTest, ShardChannelsAreCountedApartAndHaveNoPatterns) {
  EXPECT_EQ(Sent(other_, {"SUBSCRIBE", "a"}), "2 [\"subscribe\", \"a\", 1]");
  EXPECT_EQ(Sent(other_, {"PSUBSCRIBE", "*"}), "2 [\"psubscribe\", \"*\", 2]");
  EXPECT_EQ(Sent(other_, {"SSUBSCRIBE", "a"}), "2 [\"ssubscribe\", \"a\", 1]");
  EXPECT_EQ(Sent(client_, {"SPUBLISH", "a", "m"}), "2 [\"smessage\", \"a\", \"m\"]; 1 (integer) 1");
  EXPECT_EQ(Run({"PUBSUB", "CHANNELS"}), "[\"a\"]");
  EXPECT_EQ(Run({"PUBSUB", "SHARDCHANNELS", "b*"}), "[]");
  EXPECT_EQ(Run({"PUBSUB", "SHARDNUMSUB", "a", "b"}), "[\"a\", 1, \"b\", 0]");
  EXPECT_EQ(Run({"PUBSUB", "NUMPAT"}), "(integer) 1");
}

TEST_F(PubSubTest, PatternsAreLeftInTheOrderOfTheirSubscription) {
  Sent(client_, {"PSUBSCRIBE", "b", "a"});
  EXPECT_EQ(Sent(client_, {"PUNSUBSCRIBE"}),
            "1 [\"punsubscribe\", \"b\", 1]; 1 [\"punsubscribe\", \"a\", 0]");
  EXPECT_EQ(Sent(client_, {"PUNSUBSCRIBE"}), "1 [\"punsubscribe\", (nil), 0]");
  EXPECT_EQ(Run({"PING"}), "PONG");
}

TEST_F(PubSubTest, AShardSubscriberIsInTheSubscriberContextToo) {
  Sent(client_, {"SSUBSCRIBE", "a"});
  EXPECT_EQ(Run({"GET", "k"}).find("(error) ERR Can't execute 'get': only"), 0U);
  EXPECT_EQ(Run({"PING"}), "[\"pong\", \"\"]");
  Sent(client_, {"SUNSUBSCRIBE"});
  EXPECT_EQ(Run({"GET", "k"}), "(nil)");
}

TEST_F(PubSubTest, ATransactionMaySubscribeButNotToShards) {
  Run({"MULTI"});
  Run({"SUBSCRIBE", "a"});
  Run({"PUBLISH", "a", "m"});
  Run({"SSUBSCRIBE", "a"});
  EXPECT_EQ(Sent(client_, {"EXEC"}),
            "1 [[\"subscribe\", \"a\", 1], [\"message\", \"a\", \"m\"], 1]; "
            "1 (error) ERR SSUBSCRIBE isn't allowed for a DENY BLOCKING client");
}

TEST_F(PubSubTest, AClientThatHasGoneReceivesNothing) {
  Sent(other_, {"SUBSCRIBE", "a"});
  Sent(other_, {"SSUBSCRIBE", "a"});
  server_.Disconnect(other_);
  EXPECT_EQ(Run({"PUBLISH", "a", "m"}), "(integer) 0");
  EXPECT_EQ(Run({"SPUBLISH", "a", "m"}), "(integer) 0");
}

}  // namespace
}  // namespace interlock::sim::redis
