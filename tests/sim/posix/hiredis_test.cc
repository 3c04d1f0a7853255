// SPDX-License-Identifier: MIT
//
// hiredis as it was compiled, in virtual time, against the fake Redis.
#include <hiredis/hiredis.h>
#include <unistd.h>

#include <cerrno>
#include <memory>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/sim/world_fixture.h"

namespace interlock::sim {
namespace {

using ::testing::ElementsAre;

struct ContextEnd {
  void operator()(redisContext* context) const { redisFree(context); }
};
using Context = std::unique_ptr<redisContext, ContextEnd>;

Context Connect(const char* host = "redis", Duration patience = seconds(1)) {
  const timeval time{std::chrono::duration_cast<seconds>(patience).count(), 0};
  return Context(redisConnectWithTimeout(host, 6379, time));
}

std::string TextOf(const redisReply* reply) {
  switch (reply->type) {
    case REDIS_REPLY_INTEGER:
      return std::to_string(reply->integer);
    case REDIS_REPLY_NIL:
      return "nil";
    case REDIS_REPLY_ARRAY: {
      std::string text;
      for (std::size_t i = 0; i < reply->elements; ++i) text += TextOf(reply->element[i]) + " ";
      return text;
    }
    default:
      return {reply->str, reply->len};
  }
}

/// The reply, or what hiredis says of its absence.
template <typename... Words>
std::string Ask(redisContext* context, const char* command, Words... words) {
  auto* reply = static_cast<redisReply*>(redisCommand(context, command, words...));
  if (reply == nullptr) return std::string("failed: ") + context->errstr;
  std::string text = TextOf(reply);
  freeReplyObject(reply);
  return text;
}

struct PosixBench : Bench {
  using Bench::Bench;
  void Start(int process, std::function<void()> main) {
    ServePosix(process);
    world->Start(process, std::move(main));
  }
};

TEST(HiredisTest, CommandsAndRepliesTravelInVirtualTime) {
  PosixBench bench(1);
  std::vector<std::string> replies;
  bench.Start(0, [&] {
    const Context context = Connect();
    ASSERT_EQ(context->err, 0) << context->errstr;
    replies.push_back(Ask(context.get(), "SET lock %s NX PX 1000", "me"));
    replies.push_back(Ask(context.get(), "SET lock %s NX PX 1000", "you"));
    replies.push_back(Ask(context.get(), "GET lock"));
    replies.push_back(Ask(context.get(), "MGET lock none"));
    replies.push_back(Ask(context.get(), "DEL lock"));
    EXPECT_EQ(bench.world->now(), milliseconds(12)) << "six round trips of 2 ms";
  });
  EXPECT_EQ(bench.world->Run(kHorizon), StopReason::kFinished);
  EXPECT_THAT(replies, ElementsAre("OK", "nil", "me", "me nil ", "1"));
}

TEST(HiredisTest, PipelinedCommandsAreAnsweredInTheirOrder) {
  PosixBench bench(1);
  std::vector<std::string> replies;
  bench.Start(0, [&] {
    const Context context = Connect("redis-0");
    for (int i = 0; i < 3; ++i) redisAppendCommand(context.get(), "INCR n");
    for (int i = 0; i < 3; ++i) {
      void* reply = nullptr;
      ASSERT_EQ(redisGetReply(context.get(), &reply), REDIS_OK);
      replies.push_back(TextOf(static_cast<redisReply*>(reply)));
      freeReplyObject(reply);
    }
    EXPECT_EQ(bench.world->now(), milliseconds(4));
  });
  EXPECT_EQ(bench.world->Run(kHorizon), StopReason::kFinished);
  EXPECT_THAT(replies, ElementsAre("1", "2", "3"));
}

/// The hash of a run of two clients that take turns, and how many reads gave a part only.
std::uint64_t HashOfRun(std::uint64_t seed) {
  PosixBench bench(2, {}, WorldOptions{.keep_events = true}, Choices::FromSeed(seed));
  for (int process = 0; process < 2; ++process) {
    bench.Start(process, [process] {
      const Context context = Connect();
      for (int i = 0; i < 20; ++i) {
        const std::string value = std::to_string(process) + std::string(100, 'x');
        EXPECT_EQ(Ask(context.get(), "SET mine%d %s", process, value.c_str()), "OK");
        EXPECT_EQ(Ask(context.get(), "GET mine%d", process), value);
      }
    });
  }
  EXPECT_EQ(bench.world->Run(kHorizon), StopReason::kFinished);
  return bench.world->trace().hash();
}

TEST(HiredisTest, RepliesComeInPiecesAndARunIsAFunctionOfItsSeed) {
  for (std::uint64_t seed = 1; seed <= 50; ++seed) EXPECT_EQ(HashOfRun(seed), HashOfRun(seed));
  EXPECT_NE(HashOfRun(1), HashOfRun(2));
}

TEST(HiredisTest, ATimeoutOfTheSocketEndsARead) {
  PosixBench bench(1, {{.kind = FaultKind::kServerPause, .step = 1, .length = seconds(10)}});
  std::string reply;
  Duration took{};
  bench.Start(0, [&] {
    const Context context = Connect();
    redisSetTimeout(context.get(), {0, 250'000});
    const VirtualTime asked = bench.world->now();
    reply = Ask(context.get(), "PING");
    took = bench.world->now() - asked;
  });
  EXPECT_EQ(bench.world->Run(kHorizon), StopReason::kFinished);
  EXPECT_EQ(reply, "failed: Resource temporarily unavailable");
  EXPECT_EQ(took, milliseconds(250));
}

// A reply that comes after the time-out stays in the stream: who goes on with the connection takes
// it for the answer to the next command.
TEST(HiredisTest, ALateReplyIsTakenForTheNextOnes) {
  PosixBench bench(1, {{.kind = FaultKind::kDelayReply, .step = 1, .length = milliseconds(300)}});
  std::vector<std::string> replies;
  bench.Start(0, [&] {
    const Context context = Connect();
    redisSetTimeout(context.get(), {0, 250'000});
    replies.push_back(Ask(context.get(), "SET k v"));
    context->err = 0;
    ::usleep(100'000);
    replies.push_back(Ask(context.get(), "GET k"));
  });
  EXPECT_EQ(bench.world->Run(kHorizon), StopReason::kFinished);
  EXPECT_THAT(replies, ElementsAre("failed: Resource temporarily unavailable", "OK"));
}

TEST(HiredisTest, AResetIsAnErrorOfTheConnection) {
  PosixBench bench(1, {{.kind = FaultKind::kResetAfter, .step = 1}});
  std::string reply;
  bench.Start(0, [&] { reply = Ask(Connect().get(), "SET k v"); });
  EXPECT_EQ(bench.world->Run(kHorizon), StopReason::kFinished);
  EXPECT_EQ(reply, "failed: Connection reset by peer");
  EXPECT_THAT(bench.observer.commands, ElementsAre("0:SET k v -> OK"));
}

TEST(HiredisTest, ADeadServerRefusesAndAnUnknownNameHasNoAddress) {
  PosixBench bench(1, {{.kind = FaultKind::kServerKill, .step = 0, .length = seconds(60)}});
  std::vector<std::string> errors;
  bench.Start(0, [&] {
    errors.emplace_back(Connect()->errstr);
    errors.emplace_back(Connect("elsewhere.example")->errstr);
  });
  EXPECT_EQ(bench.world->Run(kHorizon), StopReason::kFinished);
  EXPECT_THAT(errors, ElementsAre("Connection refused", "Name or service not known"));
}

TEST(HiredisTest, ACrashedClientSendsNothingMore) {
  PosixBench bench(1, {{.kind = FaultKind::kCrash, .step = 4}});
  bench.Start(0, [&] {
    const Context context = Connect();
    for (int i = 0; i < 5; ++i) Ask(context.get(), "INCR n");
  });
  EXPECT_EQ(bench.world->Run(kHorizon), StopReason::kFinished);
  EXPECT_LT(bench.observer.commands.size(), 5U);
  bench.TearDown();
}

}  // namespace
}  // namespace interlock::sim
