// SPDX-License-Identifier: MIT
#include "tests/sim/redis/fake_fixture.h"

namespace interlock::sim::redis {
namespace {

class BlockingTest : public FakeTest {
 protected:
  BlockingTest() : two_(server_.Connect()), three_(server_.Connect()), four_(server_.Connect()) {}
  ClientId two_;
  ClientId three_;
  ClientId four_;
};

// First come, first served, after the push has been answered; each gets the head of the final list.
TEST_F(BlockingTest, WaitersAreServedInOrderOfBlocking) {
  EXPECT_EQ(Sent(three_, {"BLPOP", "q", "0"}), "");
  EXPECT_EQ(Sent(two_, {"BLPOP", "q", "0"}), "");
  EXPECT_TRUE(server_.IsBlocked(two_));
  EXPECT_EQ(Run({"LPUSH", "q", "a", "b", "c"}), "(integer) 3; 3 [\"q\", \"c\"]; 2 [\"q\", \"b\"]");
  EXPECT_EQ(server_.PeekList(0, "q"), std::vector<std::string>({"a"}));
}

TEST_F(BlockingTest, AKeyThatIsNamedTwiceIsWaitedForOnce) {
  Sent(two_, {"BLPOP", "q", "other", "q", "0"});
  EXPECT_EQ(Run({"RPUSH", "q", "x", "y"}), "(integer) 2; 2 [\"q\", \"x\"]");
  EXPECT_EQ(server_.PeekList(0, "q"), std::vector<std::string>({"y"}));
  EXPECT_FALSE(server_.IsBlocked(two_));
}

TEST_F(BlockingTest, KeyPushedFirstIsServedFirst) {
  Sent(two_, {"BLPOP", "k1", "k2", "0"});
  Run({"MULTI"});
  Run({"RPUSH", "k2", "second"});
  Run({"RPUSH", "k1", "first"});
  EXPECT_EQ(Run({"EXEC"}), "[1, 1]; 2 [\"k2\", \"second\"]");
  EXPECT_EQ(server_.PeekList(0, "k1").size(), 1U);
}

TEST_F(BlockingTest, PushAndPopWithinOneUnitWakesNobody) {
  Sent(two_, {"BLPOP", "q", "0"});
  EXPECT_EQ(Eval("redis.call('rpush', 'q', 'x') return redis.call('lpop', 'q')"), "\"x\"");
  EXPECT_TRUE(server_.IsBlocked(two_));
}

TEST_F(BlockingTest, ChainOfMovesResolvesInOneStep) {
  Sent(two_, {"BLMOVE", "a", "b", "LEFT", "RIGHT", "0"});
  Sent(three_, {"BLPOP", "b", "0"});
  EXPECT_EQ(Run({"RPUSH", "a", "x"}), "(integer) 1; 2 \"x\"; 3 [\"b\", \"x\"]");
}

TEST_F(BlockingTest, MoveToWrongTypeFailsAndTheNextWaiterIsServed) {
  Run({"SET", "target", "text"});
  Sent(two_, {"BLMOVE", "a", "target", "LEFT", "RIGHT", "0"});
  Sent(three_, {"BLPOP", "a", "0"});
  EXPECT_EQ(Run({"RPUSH", "a", "x"}),
            "(integer) 1; 2 (error) WRONGTYPE Operation against a key holding the wrong kind of "
            "value; 3 [\"a\", \"x\"]");
}

TEST_F(BlockingTest, RenameWakes) {
  Sent(two_, {"BLPOP", "q", "0"});
  Run({"RPUSH", "other", "x"});
  EXPECT_EQ(Run({"RENAME", "other", "q"}), "OK; 2 [\"q\", \"x\"]");
}

TEST_F(BlockingTest, KeyOfAnotherTypeKeepsWaiting) {
  Sent(two_, {"BLPOP", "q", "0"});
  Run({"SET", "q", "text"});
  EXPECT_TRUE(server_.IsBlocked(two_));
  Run({"DEL", "q"});
  EXPECT_EQ(Run({"RPUSH", "q", "x"}), "(integer) 1; 2 [\"q\", \"x\"]");
}

TEST_F(BlockingTest, TimeoutFiresAtTheDeadlineAndRoundsUp) {
  Sent(two_, {"BLPOP", "q", "0.0101"});
  EXPECT_EQ(server_.NextTimerUs(), (kStartMs + 11) * 1000);
  Advance(10);
  server_.RunTimers();
  EXPECT_TRUE(server_.IsBlocked(two_));
  Advance(1);
  log_.clear();
  server_.RunTimers();
  EXPECT_EQ(Joined(), "2 (nil)");
  EXPECT_EQ(server_.NextTimerUs(), std::nullopt);
}

// As in redis-server 7.0.15, which adds its clock's time to it without a look.
TEST_F(BlockingTest, ATimeoutBeyondAllTimeNeverComes) {
  EXPECT_EQ(Sent(client_, {"BLPOP", "q", "9223372036854775"}), "");
  EXPECT_TRUE(server_.IsBlocked(client_));
  Advance(std::int64_t{1} << 50);
  server_.RunTimers();
  EXPECT_TRUE(server_.IsBlocked(client_));
  const ClientId other = server_.Connect();
  EXPECT_EQ(Sent(other, {"BLPOP", "q", "9223372036854776"}),
            std::to_string(other) + " (error) ERR timeout is negative");
}

TEST_F(BlockingTest, TimeoutsOfOneMomentFireInOrderOfBlocking) {
  Sent(three_, {"BLPOP", "q", "1"});
  Sent(two_, {"BRPOP", "p", "1"});
  Advance(1000);
  log_.clear();
  server_.RunTimers();
  EXPECT_EQ(Joined(), "3 (nil); 2 (nil)");
}

// The peer of a blocked client is gone: its element stays for the others.
TEST_F(BlockingTest, DisconnectRemovesTheWaiter) {
  Sent(two_, {"BLPOP", "q", "0"});
  Sent(three_, {"BLPOP", "q", "0"});
  server_.Disconnect(two_);
  EXPECT_EQ(Run({"RPUSH", "q", "x"}), "(integer) 1; 3 [\"q\", \"x\"]");
}

TEST_F(BlockingTest, CommandsBehindABlockedOneRunAfterIt) {
  Sent(two_, {"BLPOP", "q", "0"});
  EXPECT_EQ(Sent(two_, {"SET", "after", "1"}), "");
  EXPECT_EQ(server_.PeekString(0, "after"), std::nullopt);
  EXPECT_EQ(Run({"RPUSH", "q", "x"}), "(integer) 1; 2 [\"q\", \"x\"]; 2 OK");
}

TEST_F(BlockingTest, UnblockByAnotherClient) {
  Sent(two_, {"BLPOP", "q", "0"});
  EXPECT_EQ(Run({"CLIENT", "UNBLOCK", "2", "ERROR"}).find("no single"), 0U);
  EXPECT_EQ(Joined(), "2 (error) UNBLOCKED client unblocked via CLIENT UNBLOCK; 1 (integer) 1");
  Sent(two_, {"BLPOP", "q", "0"});
  Sent(client_, {"CLIENT", "UNBLOCK", "2"});
  EXPECT_EQ(Joined(), "2 (nil); 1 (integer) 1");
  EXPECT_EQ(Run({"CLIENT", "UNBLOCK", "2"}), "(integer) 0");
}

TEST_F(BlockingTest, NothingBlocksInsideATransaction) {
  Run({"MULTI"});
  Run({"BLPOP", "q", "0"});
  Run({"BLMOVE", "q", "p", "LEFT", "LEFT", "0"});
  Run({"WAIT", "1", "0"});
  EXPECT_EQ(Run({"EXEC"}), "[(nil), (nil), 0]");
}

TEST_F(BlockingTest, WaitForReplicasEndsWithItsTimeout) {
  EXPECT_EQ(Run({"WAIT", "0", "100"}), "(integer) 0");
  EXPECT_EQ(Sent(two_, {"WAIT", "1", "100"}), "");
  Advance(100);
  log_.clear();
  server_.RunTimers();
  EXPECT_EQ(Joined(), "2 (integer) 0");
}

TEST_F(BlockingTest, MovingWithinOneListRotatesIt) {
  Sent(two_, {"BLMOVE", "a", "a", "LEFT", "RIGHT", "0"});
  Sent(three_, {"BLPOP", "a", "0"});
  EXPECT_EQ(Run({"RPUSH", "a", "x"}), "(integer) 1; 2 \"x\"; 3 [\"a\", \"x\"]");
}

TEST_F(BlockingTest, WrongTypeIsFoundOnlyIfNoEarlierKeyHasData) {
  Run({"SET", "text", "v"});
  EXPECT_EQ(Run({"BLPOP", "none", "text", "0"}).find("(error) WRONGTYPE"), 0U);
  Run({"RPUSH", "list", "x"});
  EXPECT_EQ(Run({"BLPOP", "list", "text", "0"}), "[\"list\", \"x\"]");
}

}  // namespace
}  // namespace interlock::sim::redis
