// SPDX-License-Identifier: MIT
//
// A server that remembers what scripts have asked does what one does that runs them: for each
// script, both are given the same commands, and must answer the same and hold the same.
#include "sim/redis/scripting/dialogues.h"

#include <array>

#include "sim/redis/command_table.h"
#include "sim/redis/engine.h"
#include "sim/redis/reply.h"
#include "tests/sim/redis/fake_fixture.h"

namespace interlock::sim::redis {
namespace {

class RememberingTest : public FakeTest {
 protected:
  RememberingTest() {
    server_.engine().remembers_scripts = true;
    fresh_.SetSink(this);
    fresh_.SetTime(kStartMs * 1000);
    fresh_.Connect();
  }

  void BothAdvance(std::int64_t ms) {
    Advance(ms);
    fresh_.SetTime(now_ms_ * 1000);
  }
  /// What both answer.
  std::string Both(const Argv& argv) {
    log_.clear();
    fresh_.Execute(client_, argv);
    const std::string expected = Joined();
    EXPECT_EQ(Sent(client_, argv), expected);
    return expected;
  }
  std::string BothEval(const std::string& body, const Argv& inputs) {
    Argv argv = {"EVAL", body, "1"};
    argv.insert(argv.end(), inputs.begin(), inputs.end());
    return Both(argv);
  }

  Server fresh_;
};

TEST_F(RememberingTest, AScriptIsNotRunAgainAsLongAsTheRepliesAreTheSame) {
  int runs = 0;
  server_.SetLongScriptHandler([&runs] { ++runs; });
  const std::string slow = "for i = 1, 3000000 do end return redis.call('GET', KEYS[1]) or ARGV[1]";
  EXPECT_EQ(Eval(slow, {"k"}, {"none"}), "\"none\"");
  EXPECT_GT(std::exchange(runs, 0), 0);
  EXPECT_EQ(Eval(slow, {"k"}, {"none"}), "\"none\"");
  EXPECT_EQ(runs, 0);
  Run({"SET", "k", "v"});
  EXPECT_EQ(Eval(slow, {"k"}, {"none"}), "\"v\"");
  EXPECT_GT(std::exchange(runs, 0), 0);
  EXPECT_EQ(Eval(slow, {"k"}, {"none"}), "\"v\"");
  EXPECT_EQ(runs, 0);
  EXPECT_EQ(Eval(slow, {"k"}, {"other"}), "\"v\"");
  EXPECT_GT(runs, 0);
}

TEST_F(RememberingTest, WhatItHasRunAlreadyIsNotRunTwiceWhenAReplyIsNew) {
  const std::string body =
      "local n = redis.call('INCR', KEYS[1]) "
      "local list = redis.call('RPUSH', KEYS[1] .. ':list', n) "
      "if n > 2 then return {n, list, redis.call('GET', KEYS[1])} end return {n, list}";
  for (int i = 0; i < 3; ++i) {
    for (int round = 0; round < 4; ++round) BothEval(body, {"k"});
    EXPECT_EQ(Both({"LRANGE", "k:list", "0", "-1"}), "1 [\"1\", \"2\", \"3\", \"4\"]");
    Both({"DEL", "k", "k:list"});
  }
}

TEST_F(RememberingTest, ErrorsAreTheSameWhetherCaughtOrNot) {
  for (int i = 0; i < 3; ++i) {
    Both({"SET", "k", "text"});
    BothEval("return redis.call('INCR', KEYS[1])", {"k"});
    BothEval("local e = redis.pcall('INCR', KEYS[1]) return e.err", {"k"});
    BothEval("redis.call('SET', KEYS[1], '1') return redis.call('GET')", {"k"});
    BothEval("redis.call('SET', KEYS[1], '1') return nothing.at_all", {"k"});
    BothEval("local ok = pcall(redis.call, 'INCR', KEYS[1]) return tostring(ok)", {"k"});
    Both({"DEL", "k"});
    BothEval("return redis.call('INCR', KEYS[1])", {"k"});
    Both({"INFO", "errorstats"});
    Both({"INFO", "commandstats"});
  }
}

TEST_F(RememberingTest, ARefusalIsAskedForEachTime) {
  const std::string body = "redis.call('SET', KEYS[1], ARGV[1]) return redis.call('GET', KEYS[1])";
  EXPECT_EQ(BothEval(body, {"k", "v"}), "1 \"v\"");
  Both({"CONFIG", "SET", "maxmemory", "1"});
  EXPECT_NE(BothEval(body, {"k", "v"}).find("OOM"), std::string::npos);
  Both({"CONFIG", "SET", "maxmemory", "0"});
  EXPECT_EQ(BothEval(body, {"k", "v"}), "1 \"v\"");
}

TEST_F(RememberingTest, WhatDependsOnMoreThanRepliesIsRunEachTime) {
  const char* const bodies[] = {
      "return tostring(math.random())",
      "local name = 'ran' .. 'dom' return tostring(math[name]())",
      "redis.setresp(3) return redis.call('HGETALL', KEYS[1])",
      "redis.set_repl(redis.REPL_NONE) return redis.call('INCR', KEYS[1])",
      "local f = redis['set' .. 'resp'] f(3) return redis.call('HGETALL', KEYS[1] .. 'h')",
  };
  for (const char* body : bodies) {
    for (int i = 0; i < 3; ++i) BothEval(body, {"k"});
    Both({"DEL", "k"});
  }
}

TEST_F(RememberingTest, NumbersEndWhereTheirWordsEnd) {
  const std::string body = "return redis.call('ZADD', KEYS[1], 1, '2', 3, '4')";
  for (int i = 0; i < 3; ++i) {
    BothEval(body, {"k"});
    EXPECT_EQ(Both({"ZRANGE", "k", "0", "-1", "WITHSCORES"}), "1 [\"2\", \"1\", \"4\", \"3\"]");
    Both({"DEL", "k"});
  }
}

TEST_F(RememberingTest, ExpiryAndTheClockAreSeen) {
  const std::string body =
      "if redis.call('GET', KEYS[1]) then return redis.call('PTTL', KEYS[1]) end "
      "redis.call('SET', KEYS[1], ARGV[1], 'PX', 100) return redis.call('TIME')[1]";
  for (int i = 0; i < 12; ++i) {
    BothEval(body, {"k", "v"});
    BothEval(body, {"k", "v"});
    BothAdvance(30);
  }
}

TEST(DialoguesTest, OneCallIsForgottenForAnotherAndWhenItHasTooManyAnswers) {
  Dialogues dialogues;
  bool container = false;
  const Command& get = *FindCommand(DefaultDialect(), "GET", {}, false, &container);
  const std::array<std::string_view, 1> keys = {"a key that is long enough"};
  const std::array<std::string_view, 2> words = {"GET", keys[0]};
  for (int i = 0; i < 1000; ++i) {
    Dialogues::Turn& first = dialogues.Begin("sha", keys, {});
    const Value answer = StringValue(std::to_string(i));
    Dialogues::Turn* next = dialogues.Hear(first, get, words, answer);
    if (next == nullptr) {
      EXPECT_GT(i, 100);
      const Dialogues::Turn& anew = dialogues.Begin("sha", keys, {});
      EXPECT_EQ(anew.command(), nullptr);
      EXPECT_EQ(anew.result(), nullptr);
      dialogues.Hear(dialogues.Begin("sha", keys, {}), get, words, answer);
      EXPECT_EQ(dialogues.Begin("sha", {}, keys).command(), nullptr) << "an argument is no key";
      return;
    }
    Dialogues::End(*next, answer);
    const Dialogues::Turn& known = dialogues.Begin("sha", keys, {});
    ASSERT_EQ(known.command(), &get);
    EXPECT_EQ(known.words()[1], keys[0]);
    ASSERT_NE(known.After(answer), nullptr);
    EXPECT_EQ(*known.After(answer)->result(), answer);
    EXPECT_EQ(known.After(StringValue("never heard")), nullptr);
  }
  FAIL() << "it grows without end";
}

}  // namespace
}  // namespace interlock::sim::redis
