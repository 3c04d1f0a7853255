// SPDX-License-Identifier: MIT
//
// Client-side caching: who is told of changed keys, once or always, and where the message stands
// among the replies.
#include "sim/redis/dialect.h"
#include "tests/sim/redis/fake_fixture.h"

namespace interlock::sim::redis {
namespace {

class TrackingTest : public FakeTest {
 protected:
  TrackingTest() {
    other_ = server_.Connect();
    Sent(client_, {"HELLO", "3"});
  }
  void Be(std::string_view dialect) {
    server_.SetDialect(*FindDialect(dialect));
    server_.Reset();
    At(kStartMs);
    client_ = server_.Connect();
    other_ = server_.Connect();
    Sent(client_, {"HELLO", "3"});
  }
  ClientId other_ = 0;
};

TEST_F(TrackingTest, AKeyThatWasReadIsToldOnce) {
  EXPECT_EQ(Run({"CLIENT", "TRACKING", "ON"}), "OK");
  Run({"GET", "k"});
  EXPECT_EQ(Sent(other_, {"SET", "k", "v"}), "1 (push) [\"invalidate\", [\"k\"]]; 2 OK");
  EXPECT_EQ(Sent(other_, {"SET", "k", "w"}), "2 OK");
}

TEST_F(TrackingTest, OwnChangesAreToldBehindTheReply) {
  Run({"CLIENT", "TRACKING", "ON"});
  Run({"GET", "k"});
  EXPECT_EQ(Sent(client_, {"SET", "k", "v"}), "1 OK; 1 (push) [\"invalidate\", [\"k\"]]");
  Run({"GET", "k"});
  Run({"MULTI"});
  Run({"SET", "k", "w"});
  Run({"GET", "k"});
  EXPECT_EQ(Sent(client_, {"EXEC"}), "1 [OK, \"w\"]; 1 (push) [\"invalidate\", [\"k\"]]");
  Run({"CLIENT", "TRACKING", "ON", "NOLOOP"});
  Run({"GET", "k"});
  EXPECT_EQ(Sent(client_, {"SET", "k", "v"}), "1 OK");
}

TEST_F(TrackingTest, BroadcastsAreOneMessageForEachPrefixAtTheEndOfTheTurn) {
  Run({"CLIENT", "TRACKING", "ON", "BCAST", "PREFIX", "b", "PREFIX", "a"});
  EXPECT_EQ(Sent(client_, {"MSET", "b2", "x", "a1", "x", "b1", "x", "c", "x"}),
            "1 OK; 1 (push) [\"invalidate\", [\"a1\"]]; 1 (push) [\"invalidate\", [\"b1\", "
            "\"b2\"]]");
  server_.SetLongTurns(true);
  EXPECT_EQ(Sent(other_, {"SET", "a2", "x"}), "2 OK");
  EXPECT_EQ(Sent(other_, {"SET", "a1", "x"}), "2 OK");
  log_.clear();
  server_.EndTurn();
  EXPECT_EQ(Joined(), "1 (push) [\"invalidate\", [\"a1\", \"a2\"]]");
}

TEST_F(TrackingTest, AWaiterHearsOfTheExpiryOfALock) {
  Run({"CLIENT", "TRACKING", "ON", "BCAST", "PREFIX", "lock:", "NOLOOP"});
  EXPECT_EQ(Sent(other_, {"SET", "lock:a", "t", "NX", "PX", "100"}),
            "2 OK; 1 (push) [\"invalidate\", [\"lock:a\"]]");
  EXPECT_EQ(Run({"SET", "lock:a", "u", "NX", "PX", "100"}), "(nil)");
  Advance(101);
  log_.clear();
  server_.RunActiveExpiry();
  EXPECT_EQ(Joined(), "1 (push) [\"invalidate\", [\"lock:a\"]]");
  EXPECT_EQ(Run({"SET", "lock:a", "u", "NX", "PX", "100"}), "OK");
}

TEST_F(TrackingTest, AClientThatOptsInIsToldOfTheKeysOfItsNextCommandOrTransaction) {
  Run({"CLIENT", "TRACKING", "ON", "OPTIN"});
  Run({"GET", "a"});
  Run({"CLIENT", "CACHING", "YES"});
  Run({"MULTI"});
  Run({"PTTL", "b"});
  Run({"GET", "b"});
  Run({"EXEC"});
  Run({"GET", "c"});
  EXPECT_EQ(Sent(other_, {"MSET", "a", "x", "b", "x", "c", "x"}),
            "1 (push) [\"invalidate\", [\"b\"]]; 2 OK");
}

TEST_F(TrackingTest, AScriptReadsItsKeysBeforeRedis72AndWhatItCallsSince) {
  for (const char* dialect : {"redis-7.0", "valkey-8.1"}) {
    Be(dialect);
    Run({"CLIENT", "TRACKING", "ON"});
    Eval("return redis.call('get', 'called')", {"given"});
    const bool old = server_.dialect().id == DialectId::kRedis70;
    EXPECT_EQ(
        Sent(other_, {"MSET", "called", "x", "given", "x"}),
        std::string("1 (push) [\"invalidate\", [\"") + (old ? "given" : "called") + "\"]]; 2 OK");
  }
}

TEST_F(TrackingTest, AnotherClientIsToldAsASubscriberUntilItIsGone) {
  const ClientId listener = server_.Connect();
  EXPECT_EQ(Run({"CLIENT", "TRACKING", "ON", "REDIRECT", "3"}), "OK");
  Run({"GET", "k"});
  EXPECT_EQ(Sent(other_, {"SET", "k", "v"}), "2 OK");
  Sent(listener, {"SUBSCRIBE", "__redis__:invalidate"});
  Run({"GET", "k"});
  EXPECT_EQ(Sent(other_, {"SET", "k", "v"}),
            "3 [\"message\", \"__redis__:invalidate\", [\"k\"]]; 2 OK");
  server_.Disconnect(listener);
  Run({"GET", "k"});
  EXPECT_EQ(Sent(other_, {"SET", "k", "v"}), "1 (push) [\"tracking-redir-broken\", 3]; 2 OK");
  EXPECT_NE(Run({"CLIENT", "INFO"}).find(" flags=tR "), std::string::npos);
}

TEST_F(TrackingTest, AFlushIsToldAsNullBehindTheReplyButOfRedis80BeforeIt) {
  for (const char* dialect : {"redis-7.0", "redis-8.0", "valkey-9.1"}) {
    Be(dialect);
    Run({"CLIENT", "TRACKING", "ON"});
    const bool before = server_.dialect().flushes_in_background;
    EXPECT_EQ(Sent(client_, {"FLUSHALL"}), before ? "1 (push) [\"invalidate\", (nil)]; 1 OK"
                                                  : "1 OK; 1 (push) [\"invalidate\", (nil)]");
    EXPECT_EQ(Sent(client_, {"FLUSHALL", "ASYNC"}), "1 OK; 1 (push) [\"invalidate\", (nil)]");
  }
}

TEST_F(TrackingTest, ThereAreNotMoreRememberedKeysThanTheLimit) {
  Run({"CLIENT", "TRACKING", "ON"});
  Run({"MGET", "a", "b", "c"});
  Run({"CONFIG", "SET", "tracking-table-max-keys", "1"});
  Sent(client_, {"PING"});
  EXPECT_EQ(log_.size(), 3U) << Joined();
  EXPECT_NE(Run({"INFO", "stats"}).find("tracking_total_keys:1\\r"), std::string::npos);
}

TEST_F(TrackingTest, TheCronForgetsKeysBeyondTheLimitIfNoCommandComes) {
  Run({"CLIENT", "TRACKING", "ON"});
  Run({"MGET", "a", "b", "c"});
  Run({"CONFIG", "SET", "tracking-table-max-keys", "1"});
  log_.clear();
  server_.RunActiveExpiry();
  EXPECT_EQ(log_.size(), 2U) << Joined();
}

TEST_F(TrackingTest, ResetAndTheEndOfTheClientEndIt) {
  Run({"CLIENT", "TRACKING", "ON", "BCAST"});
  EXPECT_TRUE(server_.IsTracked(client_));
  Run({"RESET"});
  EXPECT_FALSE(server_.IsTracked(client_));
  EXPECT_EQ(Sent(other_, {"SET", "k", "v"}), "2 OK");
  Run({"CLIENT", "TRACKING", "ON", "BCAST"});
  server_.Disconnect(client_);
  EXPECT_EQ(Sent(other_, {"SET", "k", "v"}), "2 OK");
}

}  // namespace
}  // namespace interlock::sim::redis
