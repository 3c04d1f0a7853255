// SPDX-License-Identifier: MIT
//
// CLIENT, pauses, DEBUG SLEEP and who may do what to whom.
#include "sim/redis/surroundings.h"

#include "tests/sim/redis/fake_fixture.h"

namespace interlock::sim::redis {
namespace {

using ClientTest = FakeTest;

TEST_F(ClientTest, ListPrintsTheFieldsOfARealServerInTheirOrder) {
  Advance(2500);
  EXPECT_EQ(Run({"CLIENT", "INFO"}),
            "\"id=1 addr=?:0 laddr=127.0.0.1:6379 fd=8 name= age=2 idle=0 flags=N db=0 sub=0 "
            "psub=0 ssub=0 multi=-1 qbuf=26 qbuf-free=20448 argv-mem=10 multi-mem=0 rbs=16384 "
            "rbp=16384 obl=0 oll=0 omem=0 tot-mem=37658 events=r cmd=client|info user=default "
            "redir=-1 resp=2\\n\"");
}

TEST_F(ClientTest, ListCountsWhatWaitsInBuffers) {
  const ClientId other = server_.Connect("127.0.0.1:5000");
  std::size_t unread = 0;
  SetBuffersOf(server_,
               [&](ClientId client) { return Buffers{.unread = client == other ? unread : 0}; });
  const auto shows = [&](std::string_view fields) {
    return Run({"CLIENT", "LIST", "ID", "2"}).find(fields) != std::string::npos;
  };
  EXPECT_TRUE(shows(" qbuf=0 qbuf-free=20474 "));
  unread = 10;
  Advance(3000);
  EXPECT_TRUE(shows(" qbuf=10 qbuf-free=20464 "));
  EXPECT_TRUE(shows(" tot-mem=37642 "));
  unread = 0;
  EXPECT_TRUE(shows(" qbuf=0 qbuf-free=0 ")) << "idle clients keep no buffer";
  EXPECT_TRUE(shows(" tot-mem=17160 "));
}

TEST_F(ClientTest, InfoOfNewerServersCountsWhoWatchesSubscribesAndWaits) {
  server_.SetDialect(*FindDialect("valkey-9.1"));
  Run({"WATCH", "a", "b"});
  const ClientId other = server_.Connect();
  Sent(other, {"WATCH", "b"});
  const ClientId subscriber = server_.Connect();
  Sent(subscriber, {"SSUBSCRIBE", "c"});
  const ClientId waiter = server_.Connect();
  Sent(waiter, {"BLPOP", "q", "r", "0"});
  EXPECT_EQ(Run({"CLIENT", "PAUSE", "1000", "WRITE"}), "OK");
  Advance(400);
  const std::string info = Run({"INFO", "clients"});
  EXPECT_NE(info.find("\\r\\npubsub_clients:1\\r\\nwatching_clients:2\\r\\n"
                      "clients_in_timeout_table:0\\r\\ntotal_watched_keys:2\\r\\n"
                      "total_blocking_keys:2\\r\\ntotal_blocking_keys_on_nokey:0\\r\\n"
                      "paused_reason:client_pause\\r\\npaused_actions:write\\r\\n"
                      "paused_timeout_milliseconds:600\\r\\n"),
            std::string::npos)
      << info;
  EXPECT_EQ(Run({"CLIENT", "UNPAUSE"}), "OK");
  EXPECT_NE(Run({"INFO", "clients"}).find("paused_reason:none\\r\\npaused_actions:none\\r\\n"),
            std::string::npos);
}

TEST_F(ClientTest, UnblockCountsAsAFailureAsEachServerHasIt) {
  const auto counted = [this](const char* dialect, const char* reason) {
    server_.SetDialect(*FindDialect(dialect));
    Run({"CONFIG", "RESETSTAT"});
    const ClientId waiter = server_.Connect();
    Sent(waiter, {"BLPOP", "q", "0"});
    Sent(client_, {"CLIENT", "UNBLOCK", std::to_string(waiter), reason});
    const std::string info = Run({"INFO", "commandstats"});
    const std::size_t at = info.find("rejected_calls", info.find("cmdstat_blpop"));
    return info.substr(at, info.find("\\r", at) - at);
  };
  EXPECT_EQ(counted("redis-7.0", "TIMEOUT"), "rejected_calls=0,failed_calls=1");
  EXPECT_EQ(counted("redis-7.0", "ERROR"), "rejected_calls=0,failed_calls=1");
  EXPECT_EQ(counted("redis-8.0", "TIMEOUT"), "rejected_calls=0,failed_calls=0");
  EXPECT_EQ(counted("redis-8.0", "ERROR"), "rejected_calls=0,failed_calls=1");
  EXPECT_EQ(counted("valkey-9.1", "TIMEOUT"), "rejected_calls=0,failed_calls=0");
  EXPECT_EQ(counted("valkey-9.1", "ERROR"), "rejected_calls=1,failed_calls=0");
}

TEST_F(ClientTest, FlagsTellOfTouchedWatchesAndOfReadersOfReplicas) {
  const ClientId other = server_.Connect("/socket:0");
  const auto flags = [&] {
    const std::string info = Sent(other, {"CLIENT", "INFO"});
    const std::size_t at = info.find("flags=") + 6;
    return info.substr(at, info.find(' ', at) - at);
  };
  Sent(other, {"CLIENT", "NO-EVICT", "on"});
  Sent(other, {"WATCH", "k"});
  EXPECT_EQ(flags(), "Ue");
  Run({"SET", "k", "v"});
  EXPECT_EQ(flags(), "dUe");
  Sent(other, {"UNWATCH"});
  server_.SetDialect(*FindDialect("valkey-9.1"));
  Sent(other, {"READONLY"});
  EXPECT_EQ(flags(), "Ure");
}

TEST_F(ClientTest, Valkey9FiltersByMoreAndByWhatIsNot) {
  server_.SetDialect(*FindDialect("valkey-9.1"));
  Run({"CLIENT", "SETNAME", "first"});
  const ClientId other = server_.Connect("10.0.0.7:5000");
  Sent(other, {"CLIENT", "SETINFO", "lib-name", "lock"});
  Sent(other, {"SELECT", "3"});
  Sent(other, {"MULTI"});
  Advance(5000);
  const auto listed = [this](const Argv& filter) {
    Argv argv = {"CLIENT", "LIST"};
    argv.insert(argv.end(), filter.begin(), filter.end());
    std::string ids;
    const std::string text = Run(argv);
    if (text.starts_with("(error)")) return text;
    for (const char* id : {"1", "2"}) {
      if (text.find("id=" + std::string(id) + " addr") != std::string::npos) ids += id;
    }
    return ids;
  };
  EXPECT_EQ(listed({"NAME", "first"}), "1");
  EXPECT_EQ(listed({"NOT-NAME", "first"}), "2");
  EXPECT_EQ(listed({"LIB-NAME", "lock"}), "2");
  EXPECT_EQ(listed({"IP", "10.0.0.7"}), "2");
  EXPECT_EQ(listed({"IP", "10.0.0"}), "");
  EXPECT_EQ(listed({"DB", "3", "FLAGS", "x"}), "2");
  EXPECT_EQ(listed({"FLAGS", "N"}), "1");
  EXPECT_EQ(listed({"IDLE", "5"}), "2");
  EXPECT_EQ(listed({"ID", "1", "ID", "2", "NOT-ID", "1"}), "2");
  EXPECT_EQ(listed({"NOT-TYPE", "normal"}), "");
  EXPECT_EQ(listed({"NOT-FLAGS", "xz"}),
            "(error) ERR Unknown flags found in the NOT-FLAGS filter: xz");
  EXPECT_EQ(listed({"DB", "16"}), "(error) ERR DB number should be between 0 and 15");
  EXPECT_EQ(listed({"ID"}), "(error) ERR syntax error");
  EXPECT_EQ(listed({"NAME", "first", "ID"}), "");
  EXPECT_EQ(Sent(client_, {"CLIENT", "KILL", "NOT-NAME", "first"}), "2 closed; 1 (integer) 1");
}

TEST_F(ClientTest, NewerServersShowMoreOfAClient) {
  server_.SetDialect(*FindDialect("redis-8.0"));
  Run({"CLIENT", "SETINFO", "lib-name", "lock"});
  Run({"WATCH", "a", "b"});
  std::string info = Run({"CLIENT", "INFO"});
  EXPECT_NE(info.find(" flags=N db=0 "), std::string::npos);
  EXPECT_NE(info.find(" multi=-1 watch=2 qbuf=26 "), std::string::npos);
  EXPECT_NE(info.find(" resp=2 lib-name=lock lib-ver= io-thread=0\\n"), std::string::npos);
  const ClientId other = server_.Connect();
  server_.SetDialect(*FindDialect("valkey-9.1"));
  Sent(other, {"CLIENT", "CAPA", "other", "redirect"});
  Sent(other, {"CLIENT", "NO-TOUCH", "on"});
  Sent(other, {"MULTI"});
  Sent(other, {"DISCARD"});
  Sent(other, {"EVAL", "return redis.call('get', 'k')", "0"});
  info = Sent(other, {"CLIENT", "INFO"});
  EXPECT_NE(info.find(" flags=T capa=r db=0 "), std::string::npos);
  EXPECT_NE(info.find(" multi=0 watch=0 qbuf=0 qbuf-free=0 "), std::string::npos);
  EXPECT_NE(info.find(" tot-net-in=204 tot-net-out=25 tot-cmds=6\\n"), std::string::npos) << info;
}

TEST_F(ClientTest, LookUpsOfAClientThatDoesNotTouchAreNoAccesses) {
  server_.SetDialect(*FindDialect("valkey-9.1"));
  Run({"SET", "k", "v"});
  Advance(10000);
  EXPECT_EQ(Run({"CLIENT", "NO-TOUCH", "on"}), "OK");
  Run({"GET", "k"});
  Eval("return redis.call('get', 'k')");
  EXPECT_EQ(Run({"OBJECT", "IDLETIME", "k"}), "(integer) 10");
  Run({"TOUCH", "k"});
  EXPECT_EQ(Run({"OBJECT", "IDLETIME", "k"}), "(integer) 0");
  Run({"RESET"});
  Advance(10000);
  Run({"GET", "k"});
  EXPECT_EQ(Run({"OBJECT", "IDLETIME", "k"}), "(integer) 0");
}

TEST_F(ClientTest, ListFiltersByTypeAndId) {
  const ClientId subscriber = server_.Connect("127.0.0.1:5000");
  Sent(subscriber, {"SUBSCRIBE", "a"});
  const std::string listed = Run({"CLIENT", "LIST", "TYPE", "pubsub"});
  EXPECT_EQ(listed.find("\"id=2 addr=127.0.0.1:5000"), 0U);
  EXPECT_NE(listed.find(" flags=P "), std::string::npos);
  EXPECT_EQ(Run({"CLIENT", "LIST", "ID", "2"}), listed);
  EXPECT_EQ(Run({"CLIENT", "LIST", "ID", "9"}), "\"\"");
  EXPECT_EQ(Run({"CLIENT", "LIST", "TYPE", "x"}), "(error) ERR Unknown client type 'x'");
  EXPECT_EQ(Run({"CLIENT", "LIST", "ID", "x"}), "(error) ERR Invalid client ID");
  EXPECT_EQ(Run({"CLIENT", "LIST", "ID"}), "(error) ERR syntax error");
}

TEST_F(ClientTest, ListByIdsFollowsTheOrderOfTheIdsAndRepeatsThem) {
  (void)server_.Connect();
  const auto listed = [&] {
    const std::string lines = Run({"CLIENT", "LIST", "ID", "2", "1", "2"});
    std::string ids;
    for (std::size_t at = 0; (at = lines.find("id=", at)) != std::string::npos; ++at) {
      ids += lines[at + 3];
    }
    return ids;
  };
  EXPECT_EQ(listed(), "212");
  server_.SetDialect(*FindDialect("valkey-9.1"));
  EXPECT_EQ(listed(), "12") << "Valkey goes through its clients";
}

TEST_F(ClientTest, KillOfABlockedClientEndsItsWait) {
  const ClientId other = server_.Connect("127.0.0.1:5000");
  Sent(other, {"BLPOP", "q", "0"});
  EXPECT_EQ(Sent(client_, {"CLIENT", "KILL", "127.0.0.1:5000"}), "2 closed; 1 OK");
  EXPECT_EQ(Run({"RPUSH", "q", "a"}), "(integer) 1");
  EXPECT_EQ(Run({"LLEN", "q"}), "(integer) 1");
  EXPECT_EQ(Run({"CLIENT", "KILL", "127.0.0.1:5000"}), "(error) ERR No such client");
}

TEST_F(ClientTest, KillSkipsItselfUnlessTold) {
  EXPECT_EQ(Run({"CLIENT", "KILL", "ID", "1"}), "(integer) 0");
  EXPECT_EQ(Run({"CLIENT", "KILL", "USER", "x"}), "(error) ERR No such user 'x'");
  EXPECT_EQ(Run({"CLIENT", "KILL", "ID", "0"}), "(error) ERR client-id should be greater than 0");
  EXPECT_EQ(Sent(client_, {"CLIENT", "KILL", "ID", "1", "SKIPME", "no"}),
            "1 (integer) 1; 1 closed");
}

TEST_F(ClientTest, PauseOfWritesHoldsWritesOnlyAndKeepsTheirOrder) {
  const ClientId a = server_.Connect();
  const ClientId b = server_.Connect();
  EXPECT_EQ(Run({"CLIENT", "PAUSE", "1000", "WRITE"}), "OK");
  EXPECT_EQ(Sent(b, {"RPUSH", "l", "b"}), "");
  EXPECT_EQ(Sent(a, {"RPUSH", "l", "a"}), "");
  EXPECT_EQ(Sent(a, {"LRANGE", "l", "0", "-1"}), "");
  EXPECT_TRUE(server_.IsBlocked(a));
  EXPECT_EQ(Run({"LLEN", "l"}), "(integer) 0");
  EXPECT_EQ(Sent(server_.Connect(), {"PUBLISH", "c", "m"}), "");
  EXPECT_EQ(Sent(client_, {"CLIENT", "UNPAUSE"}),
            "1 OK; 3 (integer) 1; 2 (integer) 2; 2 [\"b\", \"a\"]; 4 (integer) 0");
}

TEST_F(ClientTest, PauseOfAllEndsByTheClockOnly) {
  Run({"CLIENT", "PAUSE", "1000"});
  EXPECT_EQ(Sent(client_, {"CLIENT", "UNPAUSE"}), "");
  EXPECT_EQ(server_.NextTimerUs(), (kStartMs + 1000) * 1000);
  Advance(1000);
  log_.clear();
  server_.RunTimers();
  EXPECT_EQ(Joined(), "1 OK");
  EXPECT_EQ(server_.NextTimerUs(), std::nullopt);
}

TEST_F(ClientTest, LaterPauseNeitherShortensNorNarrows) {
  Run({"CLIENT", "PAUSE", "1000", "WRITE"});
  Run({"CLIENT", "PAUSE", "10", "WRITE"});
  Advance(500);
  server_.RunTimers();
  EXPECT_EQ(Sent(server_.Connect(), {"SET", "k", "v"}), "");
}

TEST_F(ClientTest, PausedTransactionIsWhatItHolds) {
  Run({"MULTI"});
  Run({"SET", "k", "v"});
  const ClientId reader = server_.Connect();
  Sent(reader, {"MULTI"});
  Sent(reader, {"GET", "k"});
  Sent(server_.Connect(), {"CLIENT", "PAUSE", "1000", "WRITE"});
  EXPECT_EQ(Sent(client_, {"EXEC"}), "");
  EXPECT_EQ(Sent(reader, {"EXEC"}), "2 [(nil)]");
  EXPECT_EQ(Sent(reader, {"EVAL", "#!lua flags=no-writes\nreturn 1", "0"}), "2 (integer) 1");
  EXPECT_EQ(Sent(reader, {"EVAL", "return 1", "0"}), "");
}

TEST_F(ClientTest, NothingIsDeletedForItsTtlDuringAPause) {
  Run({"SET", "k", "v", "PX", "10"});
  Run({"CLIENT", "PAUSE", "1000", "WRITE"});
  Advance(20);
  EXPECT_EQ(Run({"GET", "k"}), "(nil)");
  server_.RunActiveExpiry();
  EXPECT_EQ(Run({"DBSIZE"}), "(integer) 1");
  Run({"CLIENT", "UNPAUSE"});
  server_.RunActiveExpiry();
  EXPECT_EQ(Run({"DBSIZE"}), "(integer) 0");
}

TEST_F(ClientTest, ReplyModes) {
  EXPECT_EQ(Sent(client_, {"CLIENT", "REPLY", "SKIP"}), "");
  EXPECT_EQ(Sent(client_, {"PING"}), "");
  EXPECT_EQ(Run({"PING"}), "PONG");
  EXPECT_EQ(Sent(client_, {"CLIENT", "REPLY", "OFF"}), "");
  EXPECT_EQ(Sent(client_, {"PING"}), "");
  EXPECT_EQ(Run({"CLIENT", "REPLY", "ON"}), "OK");
  EXPECT_EQ(Run({"CLIENT", "REPLY", "x"}), "(error) ERR syntax error");
}

TEST_F(ClientTest, ReplyModeDoesNotSilenceSubscriptions) {
  Sent(client_, {"CLIENT", "REPLY", "OFF"});
  EXPECT_EQ(Run({"SUBSCRIBE", "a"}), "[\"subscribe\", \"a\", 1]");
  EXPECT_EQ(Sent(server_.Connect(), {"PUBLISH", "a", "x"}),
            "1 [\"message\", \"a\", \"x\"]; 2 (integer) 1");
  EXPECT_EQ(Sent(client_, {"PING"}), "");
}

TEST_F(ClientTest, ReplyModeSilencesATransactionButForItsSubscriptions) {
  Sent(client_, {"CLIENT", "REPLY", "OFF"});
  for (const Argv& argv : {Argv{"MULTI"}, Argv{"PING"}, Argv{"SUBSCRIBE", "a", "b"}}) {
    EXPECT_EQ(Sent(client_, argv), "");
  }
  EXPECT_EQ(Sent(client_, {"EXEC"}), "1 [\"subscribe\", \"a\", 1]; 1 [\"subscribe\", \"b\", 2]");
}

TEST_F(ClientTest, NobodyIsKilledByAnEmptyAddress) {
  EXPECT_EQ(Run({"CLIENT", "KILL", "ADDR", ""}), "(integer) 0");
  EXPECT_EQ(Run({"CLIENT", "KILL", ""}), "(error) ERR No such client");
}

TEST_F(ClientTest, ReplyModeChangedByATransactionIsUnmodelled) {
  server_.SetUnmodelledIsError(true);
  const std::string named =
      "(error) ERR Interlock does not model 'CLIENT REPLY inside MULTI', which Redis 7.0.15 has";
  for (const char* mode : {"OFF", "SKIP"}) {
    Run({"MULTI"});
    EXPECT_EQ(Run({"CLIENT", "REPLY", mode}), "QUEUED");
    EXPECT_EQ(Run({"EXEC"}), named);
    EXPECT_EQ(Run({"PING"}), "PONG");
  }
  Run({"MULTI"});
  Run({"CLIENT", "REPLY", "ON"});
  EXPECT_EQ(Run({"EXEC"}), "[OK]");
}

TEST_F(ClientTest, ResetForgetsNameModeAndProtocol) {
  Run({"HELLO", "3", "SETNAME", "me"});
  Run({"SELECT", "3"});
  Run({"MULTI"});
  EXPECT_EQ(Run({"RESET"}), "RESET");
  EXPECT_EQ(server_.ProtocolOf(client_), 2);
  EXPECT_EQ(Run({"CLIENT", "GETNAME"}), "(nil)");
  EXPECT_EQ(Run({"EXEC"}), "(error) ERR EXEC without MULTI");
}

TEST_F(ClientTest, PasswordSetAtRunTimeAsksNewClientsOnly) {
  EXPECT_EQ(Run({"CONFIG", "SET", "requirepass", "secret"}), "OK");
  EXPECT_EQ(Run({"PING"}), "PONG");
  EXPECT_EQ(Sent(server_.Connect(), {"PING"}), "2 (error) NOAUTH Authentication required.");
}

TEST_F(ClientTest, DebugIsRefusedUnlessEnabled) {
  EXPECT_EQ(Run({"DEBUG", "SLEEP", "0"}),
            "(error) ERR DEBUG command not allowed. If the enable-debug-command option is set to "
            "\"local\", you can run it from a local connection, otherwise you need to set this "
            "option in the configuration file, and then restart the server.");
  EXPECT_EQ(server_.Configure("enable-debug-command", "local"), "");
  EXPECT_EQ(Run({"DEBUG", "SLEEP", "0"}), "OK");
  const ClientId remote = server_.Connect("10.0.0.1:5000");
  EXPECT_EQ(Sent(remote, {"DEBUG", "SLEEP", "0"}).find("2 (error) ERR DEBUG command not"), 0U);
}

TEST_F(ClientTest, SleepHoldsEverythingAndKeepsTheOrder) {
  EXPECT_EQ(server_.Configure("enable-debug-command", "yes"), "");
  const ClientId a = server_.Connect();
  const ClientId b = server_.Connect();
  Run({"SET", "k", "v", "PX", "50"});
  Run({"MULTI"});
  Run({"GET", "k"});
  Run({"DEBUG", "SLEEP", "0.1"});
  Run({"GET", "k"});
  EXPECT_EQ(Sent(client_, {"EXEC"}), "");
  EXPECT_EQ(Sent(b, {"RPUSH", "l", "b"}), "");
  EXPECT_EQ(Sent(a, {"GET", "k"}), "");
  EXPECT_EQ(Sent(b, {"LLEN", "l"}), "");
  EXPECT_EQ(server_.NextTimerUs(), (kStartMs + 100) * 1000);
  Advance(100);
  log_.clear();
  server_.RunTimers();
  EXPECT_EQ(Joined(), "1 [\"v\", OK, \"v\"]; 3 (integer) 1; 2 (nil); 3 (integer) 1");
}

TEST_F(ClientTest, ActiveExpiryCanBeSwitchedOff) {
  EXPECT_EQ(server_.Configure("enable-debug-command", "yes"), "");
  Run({"SET", "k", "v", "PX", "10"});
  Run({"DEBUG", "SET-ACTIVE-EXPIRE", "0"});
  Advance(20);
  server_.RunActiveExpiry();
  EXPECT_EQ(Run({"DBSIZE"}), "(integer) 1");
  EXPECT_EQ(Run({"DEBUG", "OBJECT", "k"}).find("Value at:"), 0U) << "which deletes nothing";
  EXPECT_EQ(Run({"EXISTS", "k"}), "(integer) 0");
  EXPECT_EQ(Run({"DEBUG", "OBJECT", "k"}), "(error) ERR no such key");
}

}  // namespace
}  // namespace interlock::sim::redis
