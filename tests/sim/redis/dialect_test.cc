// SPDX-License-Identifier: MIT
//
// What the dialects are called, and some of what tells one from another; each reply is what the
// real server of that version answers. tests/redis/differential compares them throughout.
#include "sim/redis/dialect.h"

#include <gmock/gmock.h>

#include "tests/sim/redis/fake_fixture.h"

namespace interlock::sim::redis {
namespace {

class DialectTest : public FakeTest {
 protected:
  void Speak(std::string_view name) {
    const Dialect* dialect = FindDialect(name);
    ASSERT_NE(dialect, nullptr) << name;
    server_.SetDialect(*dialect);
  }
};

TEST_F(DialectTest, EachIsFoundByItsNameAndByTheVersionOfItsServer) {
  for (const Dialect& dialect : Dialects()) {
    EXPECT_EQ(FindDialect(dialect.name), &dialect) << dialect.name;
    EXPECT_EQ(DialectOfVersion(dialect.valkey, dialect.own_version()), &dialect) << dialect.name;
  }
  EXPECT_EQ(FindDialect("redis-6.2"), nullptr);
  EXPECT_EQ(DialectOfVersion(true, "7.2.5"), nullptr);
  EXPECT_EQ(DefaultDialect().name, "redis-7.0");
}

TEST_F(DialectTest, AScriptErrorNamesTheScriptUnlessItIsOfValkey9) {
  const Argv failing = {"EVAL", "return redis.call('nosuch')", "0"};
  Speak("redis-8.0");
  EXPECT_TRUE(
      Run(failing).starts_with("(error) ERR Unknown Redis command called from script "
                               "script: "));
  Speak("valkey-9.1");
  EXPECT_EQ(Run(failing),
            "(error) ERR Unknown command called from script script: on @user_script:1.");
}

TEST_F(DialectTest, ValkeyCallsAnUnknownScriptByAShorterText) {
  const Argv unknown = {"EVALSHA", "abc", "0"};
  EXPECT_EQ(Run(unknown), "(error) NOSCRIPT No matching script. Please use EVAL.");
  Speak("valkey-8.1");
  EXPECT_EQ(Run(unknown), "(error) NOSCRIPT No matching script.");
}

TEST_F(DialectTest, ValkeyDeletesAtOnceWhatIsSetWithAnExpiryInThePast) {
  const Argv past = {"SET", "k", "v", "PXAT", "1"};
  EXPECT_EQ(Run(past), "OK");
  Speak("valkey-9.1");
  EXPECT_EQ(Run(past), "OK");
  EXPECT_EQ(Run({"EXISTS", "k"}), "(integer) 0");
  EXPECT_EQ(Run({"DBSIZE"}), "(integer) 0");
}

TEST_F(DialectTest, Valkey9AsksForThePasswordBeforeItLooksAtTheCommand) {
  EXPECT_EQ(server_.Configure("requirepass", "secret"), "");
  Speak("valkey-9.1");
  const ClientId other = server_.Connect();
  EXPECT_EQ(Sent(other, {"GET"}), "2 (error) NOAUTH Authentication required.");
  EXPECT_EQ(Sent(other, {"NOSUCH"}), "2 (error) NOAUTH Authentication required.");
}

TEST_F(DialectTest, HexadecimalScoresEndWithValkey9) {
  EXPECT_EQ(Run({"ZADD", "z", "0x10", "a"}), "(integer) 1");
  EXPECT_EQ(Run({"ZSCORE", "z", "a"}), "\"16\"");
  Speak("valkey-9.1");
  EXPECT_EQ(Run({"ZADD", "z", "0x10", "a"}), "(error) ERR value is not a valid float");
}

TEST_F(DialectTest, NewerServersPrintWhatIsNoNumberAndNegativeZeroDifferently) {
  const auto told = [&](const char* number) {
    return Run({"EVAL",
                std::string("redis.call('set', 'k', ") + number + ") return redis.call('get', 'k')",
                "0"});
  };
  const Argv no_number = {"EVAL", "redis.setresp(3) return {double = 0/0}", "0"};
  EXPECT_EQ(told("-0"), "\"-0\"");
  EXPECT_EQ(told("0/0"), "\"-nan\"");
  EXPECT_EQ(Run(no_number), "\"-nan\"");
  Speak("redis-8.0");
  EXPECT_EQ(told("-0"), "\"0\"");
  EXPECT_EQ(told("0/0"), "\"-nan\"");
  EXPECT_EQ(Run(no_number), "\"nan\"");
}

TEST_F(DialectTest, ALockIsRenewedOnlyByItsOwnerWhereSetKnowsIfEq) {
  const Argv renew = {"SET", "lock", "me", "IFEQ", "me", "PX", "1000"};
  EXPECT_EQ(Run(renew), "(error) ERR syntax error");
  Speak("redis-8.0");
  EXPECT_EQ(Run(renew), "(error) ERR syntax error");
  for (const char* name : {"valkey-8.1", "valkey-9.1", "valkey-9.2", "redis-8.4"}) {
    Speak(name);
    EXPECT_EQ(Run(renew), "(nil)") << name;
    Run({"SET", "lock", "me"});
    EXPECT_EQ(Run(renew), "OK") << name;
    EXPECT_EQ(Run({"TTL", "lock"}), "(integer) 1") << name;
    EXPECT_EQ(Run({"SET", "lock", "you", "IFEQ", "you"}), "(nil)") << name;
    EXPECT_EQ(Run({"DEL", "lock"}), "(integer) 1") << name;
  }
}

TEST_F(DialectTest, ALockIsReleasedOnlyByItsOwnerWhereThereIsDelIfEq) {
  const Argv release = {"DELIFEQ", "lock", "me"};
  const std::string unknown =
      "(error) ERR unknown command 'DELIFEQ', with args beginning with: 'lock' 'me' ";
  for (const char* name : {"redis-7.0", "redis-8.0", "redis-8.4", "valkey-8.1"}) {
    Speak(name);
    EXPECT_EQ(Run(release), unknown) << name;
  }
  for (const char* name : {"valkey-9.1", "valkey-9.2"}) {
    Speak(name);
    EXPECT_EQ(Run(release), "(integer) 0") << name;
    Run({"SET", "lock", "you"});
    EXPECT_EQ(Run(release), "(integer) 0") << name;
    Run({"SET", "lock", "me"});
    EXPECT_EQ(Run(release), "(integer) 1") << name;
    EXPECT_EQ(Run({"EXISTS", "lock"}), "(integer) 0") << name;
  }
}

TEST_F(DialectTest, ALockIsReleasedOnlyByItsOwnerWhereThereIsDelEx) {
  const Argv release = {"DELEX", "lock", "IFEQ", "me"};
  for (const char* name : {"redis-8.4", "valkey-9.2"}) {
    Speak(name);
    EXPECT_EQ(Run(release), "(integer) 0") << name;
    Run({"SET", "lock", "you"});
    EXPECT_EQ(Run(release), "(integer) 0") << name;
    EXPECT_EQ(Run({"DELEX", "lock", "ifne", "you"}), "(integer) 0") << name;
    EXPECT_EQ(Run({"DELEX", "lock", "ifne", "me"}), "(integer) 1") << name;
    Run({"SET", "lock", "me"});
    EXPECT_EQ(Run(release), "(integer) 1") << name;
    EXPECT_EQ(Run({"EXISTS", "lock"}), "(integer) 0") << name;
  }
  EXPECT_EQ(Run({"DELEX", "lock"}), "(error) ERR wrong number of arguments for 'delex' command");
  Speak("redis-8.4");
  Run({"RPUSH", "list", "a"});
  EXPECT_EQ(Run({"DELEX", "list"}), "(integer) 1");
  EXPECT_EQ(Run({"DELEX", "list"}), "(integer) 0");
  EXPECT_FALSE(server_.unmodelled().has_value());
  EXPECT_EQ(Sent(client_, {"DELEX", "list", "IF", "a"}), "");
  EXPECT_TRUE(server_.unmodelled().has_value());
}

TEST_F(DialectTest, Redis84ComparesDigestsAndDifferences) {
  Speak("redis-8.4");
  const std::string digest = "b6acb9d84a38ff74";
  EXPECT_EQ(Run({"DIGEST", "k"}), "(nil)");
  EXPECT_EQ(Run({"SET", "k", "x", "IFDEQ", digest}), "(nil)");
  EXPECT_EQ(Run({"SET", "k", "Hello world", "IFDNE", digest}), "OK");
  EXPECT_EQ(Run({"DIGEST", "k"}), "\"" + digest + "\"");
  EXPECT_EQ(Run({"SET", "k", "y", "IFDNE", digest}), "(nil)");
  EXPECT_EQ(Run({"DELEX", "k", "IFDNE", digest}), "(integer) 0");
  EXPECT_EQ(Run({"SET", "k", "Hello world", "IFDEQ", digest}), "OK");
  EXPECT_EQ(Run({"DELEX", "k", "IFDEQ", digest}), "(integer) 1");
  EXPECT_EQ(Run({"SET", "k", "v", "IFNE", "v", "PX", "1000"}), "OK");
  EXPECT_EQ(Run({"SET", "k", "w", "IFNE", "v", "GET"}), "\"v\"");
  EXPECT_EQ(Run({"SET", "k", "w", "IFNE", "v", "NX"}), "(error) ERR syntax error");
  EXPECT_EQ(Sent(client_, {"SET", "k", "w", "IFDEQ", "B6ACB9D84A38FF74"}), "");
  EXPECT_TRUE(server_.unmodelled().has_value());
}

TEST_F(DialectTest, NewerServersCountANegativeOffsetFromTheEndOfALargeSortedSet) {
  const auto last = [this] { return Run({"ZRANGEBYLEX", "z", "-", "+", "LIMIT", "-1", "-1"}); };
  const auto two = [this] { return Run({"ZREVRANGEBYLEX", "z", "+", "-", "LIMIT", "-2", "1"}); };
  Run({"ZADD", "z", "0", "a", "0", "b", "0", "c"});
  Speak("redis-8.0");
  EXPECT_EQ(last(), "[]");
  Run({"SORT", "z", "ALPHA"});  // It is no longer compact.
  EXPECT_EQ(last(), "[\"c\"]");
  EXPECT_EQ(two(), "[\"b\"]");
  EXPECT_EQ(Run({"ZRANGEBYSCORE", "z", "0", "0", "LIMIT", "-4", "-1"}), "[]");
  Speak("redis-7.0");
  EXPECT_EQ(last(), "[]");
}

TEST_F(DialectTest, NewerServersTakeTheLowerHalfOfALargeIndexOfLSet) {
  Run({"RPUSH", "l", "a"});
  EXPECT_EQ(Run({"LSET", "l", "4294967296", "b"}), "(error) ERR index out of range");
  Speak("redis-8.0");
  EXPECT_EQ(Run({"LSET", "l", "4294967296", "b"}), "OK");
  EXPECT_EQ(Run({"LSET", "l", "4294967297", "b"}), "(error) ERR index out of range");
}

TEST_F(DialectTest, ValkeyForgetsTheQueueOfATransactionThatWillFail) {
  const auto aborted = [this] {
    Run({"MULTI"});
    Run({"SET", "k", "v"});
    EXPECT_EQ(server_.Configure("maxmemory", "1"), "");
    Run({"NOSUCH"});
    const std::string answer = Run({"EXEC"});
    EXPECT_EQ(server_.Configure("maxmemory", "0"), "");
    return answer;
  };
  EXPECT_EQ(aborted(),
            "(error) EXECABORT Transaction discarded because of: OOM command not allowed when used "
            "memory > 'maxmemory'.");
  Speak("valkey-8.1");
  EXPECT_EQ(aborted(), "(error) EXECABORT Transaction discarded because of previous errors.");
}

TEST_F(DialectTest, Valkey9LooksAtTheMemoryBeforeItLooksAtAScriptsRights) {
  Run({"SET", "k", "v"});
  EXPECT_EQ(server_.Configure("maxmemory", "1"), "");
  const Argv writing = {"EVAL_RO", "return redis.call('set', 'k', 'w')", "0"};
  Speak("valkey-8.1");
  EXPECT_TRUE(Run(writing).starts_with(
      "(error) ERR Write commands are not allowed from read-only scripts. script: "));
  Speak("valkey-9.1");
  EXPECT_TRUE(Run(writing).starts_with(
      "(error) OOM command not allowed when used memory > 'maxmemory'. script: "));
}

TEST_F(DialectTest, AWrongPasswordBehindABlockedCommandIsNotModelledWhereItsAnswerIsLost) {
  const ClientId other = server_.Connect();
  const auto unblocked = [&] {
    Sent(client_, {"BLPOP", "l", "0"});
    Sent(client_, {"AUTH", "a", "a"});
    return Sent(other, {"RPUSH", "l", "x"});
  };
  EXPECT_THAT(unblocked(), ::testing::HasSubstr("WRONGPASS"));
  Speak("redis-8.0");
  unblocked();
  EXPECT_EQ(server_.unmodelled(),
            "AUTH with a wrong password inside MULTI or behind a blocked command");
}

TEST_F(DialectTest, ResetAfterReplySkipIsNotAnsweredByAny) {
  for (const Dialect& dialect : Dialects()) {
    server_.SetDialect(dialect);
    EXPECT_EQ(Sent(client_, {"CLIENT", "REPLY", "SKIP"}), "") << dialect.name;
    EXPECT_EQ(Sent(client_, {"RESET"}), "") << dialect.name;
    EXPECT_EQ(Run({"PING"}), "PONG") << dialect.name;
  }
}

}  // namespace
}  // namespace interlock::sim::redis
