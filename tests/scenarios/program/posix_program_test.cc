// SPDX-License-Identifier: MIT
//
// Clients that call an unmodified hiredis are simulated as they were compiled: a lost update of
// theirs is found and replayed, and one without is acquitted.
#include <interlock/harness/simulate.h>

#include <mutex>
#include <string>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/tripwire.h"
#include "tests/scenarios/program/counter_program.h"
#include "tests/scenarios/program/hiredis_client.h"

namespace interlock::harness {
namespace {

using ::testing::HasSubstr;

void CountBadlyOverHiredis(SimulatedClient& client) {
  const ContextPtr redis(redisConnectWithTimeout("redis", 6379, {1, 0}));
  if (redis == nullptr || redis->err != 0) return;
  const ReplyPtr count = Ask(redis.get(), "GET count");
  if (count == nullptr) return;
  const int next = count->type == REDIS_REPLY_NIL ? 1 : std::stoi(count->str) + 1;
  const ReplyPtr set = Ask(redis.get(), "SET count " + std::to_string(next));
  if (set != nullptr && set->type == REDIS_REPLY_STATUS) client.Note("counted");
}

void CountOverHiredis(SimulatedClient& client) {
  const ContextPtr redis(redisConnectWithTimeout("redis", 6379, {1, 0}));
  if (redis == nullptr || redis->err != 0) return;
  const ReplyPtr counted = Ask(redis.get(), "INCR count");
  if (counted != nullptr && counted->type == REDIS_REPLY_INTEGER) client.Note("counted");
}

Program AsItIsCompiled(Program program) {
  program.posix = true;
  return program;
}

/// Two threads of one client ask over one connection, each for its own key.
Program AskingThreads(bool guarded) {
  Program program{.name = "test.posix-threads"};
  program.setup = [](SimulatedClient& client) {
    EXPECT_TRUE(client.Call({"MSET", "a", "a", "b", "b"}).ok());
  };
  program.clients = {[guarded](SimulatedClient& client) {
    const ContextPtr redis(redisConnect("redis", 6379));
    if (redis == nullptr || redis->err != 0) return;
    std::mutex mutex;
    const auto ask = [&](const std::string& key) {
      std::unique_lock<std::mutex> lock(mutex, std::defer_lock);
      if (guarded) lock.lock();
      const ReplyPtr reply = Ask(redis.get(), "GET " + key);
      if (reply != nullptr && reply->type == REDIS_REPLY_STRING) client.Note(key, reply->str);
    };
    std::thread first(ask, "a");
    std::thread second(ask, "b");
    first.join();
    second.join();
  }};
  program.posix = true;
  program.invariants = {{"each has its own answer", [](const ProgramView& view) {
                           for (const ProgramNote& note : view.notes) {
                             if (note.name != note.value) return note.name + " got " + note.value;
                           }
                           return std::string();
                         }}};
  return program;
}

Program OnOsThreads(Program program) {
  program.os_threads = true;
  return program;
}

class PosixProgramTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!sim::TripwireIsArmed()) GTEST_SKIP() << "ThreadSanitizer has these functions";
  }
};

TEST_F(PosixProgramTest, ALostUpdateOfHiredisIsFoundAndReplayed) {
  const Program program = AsItIsCompiled(Counter(CountBadlyOverHiredis));
  const SimulateVerdict verdict = Simulate(program, {.runs = 100, .faults = {{"pause", 1}}});
  EXPECT_TRUE(verdict.violated) << verdict.text;
  EXPECT_THAT(verdict.text, HasSubstr("SET count 1"));
  EXPECT_EQ(Replay(program, verdict.token).message, "2 were counted, and the count is 1");
}

TEST_F(PosixProgramTest, AnAtomicCountPasses) {
  const SimulateVerdict verdict =
      Simulate(AsItIsCompiled(Counter(CountOverHiredis)),
               {.runs = 100, .faults = {{"pause", 1}, {"reset-after", 1}}});
  EXPECT_TRUE(verdict.ok) << verdict.text;
}

TEST_F(PosixProgramTest, TwoThreadsThatShareAConnectionTakeEachOthersReplies) {
  const SimulateVerdict verdict = Simulate(AskingThreads(false), {.runs = 200});
  EXPECT_TRUE(verdict.violated) << verdict.text;
  EXPECT_THAT(verdict.text, HasSubstr(" got "));
  EXPECT_THAT(Replay(AskingThreads(false), verdict.token).message, HasSubstr(" got "));
  EXPECT_TRUE(Simulate(AskingThreads(true), {.runs = 200}).ok);
}

TEST_F(PosixProgramTest, AndOnOsThreadsTheVerdictIsTheSame) {
  const SimulateVerdict fast = Simulate(AskingThreads(false), {.runs = 200});
  const SimulateVerdict slow = Simulate(OnOsThreads(AskingThreads(false)), {.runs = 200});
  EXPECT_EQ(slow.text, fast.text);
  EXPECT_EQ(slow.token, fast.token);
  EXPECT_TRUE(Simulate(OnOsThreads(AskingThreads(true)), {.runs = 200}).ok);
}

}  // namespace
}  // namespace interlock::harness
