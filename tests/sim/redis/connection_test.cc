// SPDX-License-Identifier: MIT
//
// The order of checks, authentication, transactions, pub/sub, and what is not modelled.
#include "tests/sim/redis/fake_fixture.h"

namespace interlock::sim::redis {
namespace {

using ConnectionTest = FakeTest;

TEST_F(ConnectionTest, UnknownCommandListsItsArguments) {
  EXPECT_EQ(Run({"foo", "bar", "b z"}),
            "(error) ERR unknown command 'foo', with args beginning with: 'bar' 'b z' ");
  EXPECT_EQ(Run({"client", "foo"}), "(error) ERR unknown subcommand 'foo'. Try CLIENT HELP.");
  EXPECT_EQ(Run({"client|id"}),
            "(error) ERR unknown command 'client|id', with args beginning with: ");
}

TEST_F(ConnectionTest, KnownButUnmodelledCommandIsNeverAnswered) {
  EXPECT_EQ(Sent(client_, {"PFCOUNT", "k"}), "");
  EXPECT_EQ(server_.unmodelled(), "PFCOUNT");
  EXPECT_EQ(Sent(client_, {"GET", "k"}), "");
}

TEST_F(ConnectionTest, UnmodelledSubcommandIsNamed) {
  Sent(client_, {"MEMORY", "DOCTOR"});
  EXPECT_EQ(server_.unmodelled(), "MEMORY DOCTOR");
}

TEST_F(ConnectionTest, ArityIsCheckedBeforeThePasswordAndNotTheOtherWayRound) {
  EXPECT_EQ(server_.Configure("requirepass", "secret"), "");
  const ClientId other = server_.Connect();
  EXPECT_EQ(Sent(other, {"GET"}), "2 (error) ERR wrong number of arguments for 'get' command");
  EXPECT_EQ(Sent(other, {"GET", "k"}), "2 (error) NOAUTH Authentication required.");
  EXPECT_EQ(Sent(other, {"AUTH", "wrong"}),
            "2 (error) WRONGPASS invalid username-password pair or user is disabled.");
  EXPECT_EQ(Sent(other, {"AUTH", "secret"}), "2 OK");
  EXPECT_EQ(Sent(other, {"GET", "k"}), "2 (nil)");
  EXPECT_EQ(Sent(other, {"RESET"}), "2 RESET");
  EXPECT_EQ(Sent(other, {"GET", "k"}), "2 (error) NOAUTH Authentication required.");
  EXPECT_EQ(Sent(other, {"HELLO", "2", "AUTH", "default", "secret"}).find("2 [\"server\""), 0U);
}

TEST_F(ConnectionTest, RefusalWhileQueueingAbortsExec) {
  Run({"MULTI"});
  EXPECT_EQ(Run({"SET", "k", "v"}), "QUEUED");
  Run({"GET"});
  EXPECT_EQ(Run({"EXEC"}), "(error) EXECABORT Transaction discarded because of previous errors.");
  EXPECT_EQ(Run({"EXISTS", "k"}), "(integer) 0");
}

TEST_F(ConnectionTest, NestedMultiAndWatchDoNotAbort) {
  Run({"MULTI"});
  EXPECT_EQ(Run({"MULTI"}), "(error) ERR MULTI calls can not be nested");
  EXPECT_EQ(Run({"WATCH", "k"}), "(error) ERR WATCH inside MULTI is not allowed");
  EXPECT_EQ(Run({"EXEC"}), "[]");
}

TEST_F(ConnectionTest, RefusedExecDiscardsTheTransaction) {
  Run({"MULTI"});
  EXPECT_EQ(Run({"EXEC", "x"}),
            "(error) EXECABORT Transaction discarded because of: wrong number of arguments for "
            "'exec' command");
  EXPECT_EQ(Run({"EXEC"}), "(error) ERR EXEC without MULTI");
}

TEST_F(ConnectionTest, WatchedKeyFailsExecEvenWhenSetToTheSameValue) {
  Run({"SET", "k", "v"});
  Run({"WATCH", "k"});
  Sent(server_.Connect(), {"SET", "k", "v"});
  Run({"MULTI"});
  EXPECT_EQ(Run({"EXEC"}), "(nil)");
}

TEST_F(ConnectionTest, WatchIsPerDatabaseAndIgnoresWhatChangesNothing) {
  Run({"SET", "k", "v"});
  Run({"WATCH", "k"});
  const ClientId other = server_.Connect();
  Sent(other, {"SET", "k", "x", "NX"});
  Sent(other, {"SELECT", "1"});
  Sent(other, {"SET", "k", "x"});
  Run({"MULTI"});
  EXPECT_EQ(Run({"EXEC"}), "[]");
}

TEST_F(ConnectionTest, SubscriberMayOnlyDoSubscriberThings) {
  EXPECT_EQ(Run({"SUBSCRIBE", "a", "b"}), "[\"subscribe\", \"a\", 1]; 1 [\"subscribe\", \"b\", 2]");
  EXPECT_EQ(Run({"GET", "k"}),
            "(error) ERR Can't execute 'get': only (P|S)SUBSCRIBE / (P|S)UNSUBSCRIBE / PING / QUIT "
            "/ RESET are allowed in this context");
  EXPECT_EQ(Run({"PING"}), "[\"pong\", \"\"]");
  Run({"UNSUBSCRIBE"});
  EXPECT_EQ(Run({"UNSUBSCRIBE"}), "[\"unsubscribe\", (nil), 0]");
  EXPECT_EQ(Run({"PING"}), "PONG");
}

TEST_F(ConnectionTest, ChannelComesBeforePatternsAndEachMatchCounts) {
  const ClientId listener = server_.Connect();
  Sent(listener, {"PSUBSCRIBE", "c*"});
  Sent(listener, {"SUBSCRIBE", "ch"});
  EXPECT_EQ(
      Sent(client_, {"PUBLISH", "ch", "hi"}),
      "2 [\"message\", \"ch\", \"hi\"]; 2 [\"pmessage\", \"c*\", \"ch\", \"hi\"]; 1 (integer) "
      "2");
  server_.Disconnect(listener);
  EXPECT_EQ(Run({"PUBLISH", "ch", "hi"}), "(integer) 0");
}

// A subscription inside a transaction confirms inside the array, and what does not fit follows it.
TEST_F(ConnectionTest, SubscribeInsideExec) {
  Run({"MULTI"});
  Run({"SUBSCRIBE", "a", "b"});
  EXPECT_EQ(Run({"EXEC"}), "[[\"subscribe\", \"a\", 1]]; 1 [\"subscribe\", \"b\", 2]");
}

TEST_F(ConnectionTest, QuitAnswersAndHangsUp) {
  EXPECT_EQ(Run({"QUIT"}), "OK; 1 closed");
  EXPECT_EQ(Sent(client_, {"PING"}), "");
}

TEST_F(ConnectionTest, ResetMakesAFreshServer) {
  Run({"SET", "k", "v"});
  EXPECT_EQ(server_.Configure("requirepass", "secret"), "");
  server_.Reset();
  client_ = server_.Connect();
  EXPECT_EQ(client_, 1U);
  EXPECT_EQ(server_.time_us(), 0);
  EXPECT_EQ(server_.mutations(), 0U);
  EXPECT_EQ(Run({"DBSIZE"}), "(integer) 0");
}

TEST_F(ConnectionTest, TextQuotesWhatNeedsIt) {
  EXPECT_EQ(ToText(Argv{"SET", "a b", "", "\n\x01"}), "SET \"a b\" \"\" \"\\n\\x01\"");
}

}  // namespace
}  // namespace interlock::sim::redis
