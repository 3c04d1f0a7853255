// SPDX-License-Identifier: MIT
//
// Real servers led through simulated runs: by the program, and by hand, where the simulated server
// is made to say what no Redis would.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <interlock/thread_runtime.h>

#include "scenarios/cases/replay_token.h"
#include "scenarios/cases/scenario.h"
#include "scenarios/run/forced/forced_replay.h"
#include "sim/redis/dialect.h"
#include "sim/world.h"
#include "tests/scenarios/child_process.h"
#include "tests/scenarios/run/forced/of_this_machine.h"
#include "tests/support/redis_server.h"

namespace interlock::scenarios::real {
namespace {

namespace fs = std::filesystem;
using interlock::testing::RedisServerOptions;
using ::testing::AllOf;
using testing::ChildResult;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::RunChild;
using testing::ScratchFolder;
using namespace std::chrono_literals;
using sim::redis::Argv;
using sim::redis::Value;

std::string OnThisMachine(std::string_view scenario) {
  return std::string(OnServer(*FindScenario(scenario), OfThisMachine()).name);
}

/// Keeps the latest reply.
class Ear final : public sim::redis::Sink {
 public:
  void OnReply(sim::redis::ClientId /*client*/, Value& value) override { heard = value; }
  void OnClosed(sim::redis::ClientId /*client*/) override {}
  std::optional<Value> heard;
};

class ForcedReplayTest : public ::testing::Test {
 protected:
  void SetUp() override {
    auto started = sim::machine::RedisServer::Start();
    ASSERT_TRUE(started.ok()) << started.status().ToString();
    real_ = std::move(started).value();
    simulated_.SetDialect(OfThisMachine());
    simulated_.SetSink(&ear_);
    simulated_.SetTime(sim::WorldOptions().server_epoch_us);
    client_ = simulated_.Connect();
    forced_ = Begin(real_.get());
    ASSERT_TRUE(forced_->Open(OfThisMachine(), 0).ok());
    forced_->OnConnect(kClient, 0, 0ms);
  }

  std::unique_ptr<ForcedReplay> Begin(sim::machine::RedisServer* own, int haste = 0) {
    HiredisOptions options;
    options.port = real_->port();
    return std::make_unique<ForcedReplay>(runtime_, std::vector<ForcedServer>{{options, own}},
                                          stop_, haste);
  }

  /// As the simulated network does it.
  void Execute(const Argv& argv, Duration now, std::optional<Value> said = {}) {
    simulated_.SetTime(sim::WorldOptions().server_epoch_us + now / 1us);
    ear_.heard.reset();
    simulated_.Execute(client_, argv);
    forced_->OnCommand(kClient, argv, false, now);
    if (!said) said = ear_.heard;
    if (said) forced_->OnMessage(kClient, *said, now);
    forced_->OnSettled(0, simulated_, now);
  }

  static constexpr sim::Shadow::Client kClient{0, 7, 0};

  ThreadRuntime runtime_;
  std::atomic<bool> stop_ = false;
  std::unique_ptr<sim::machine::RedisServer> real_;
  sim::redis::Server simulated_;
  Ear ear_;
  sim::redis::ClientId client_ = 0;
  std::unique_ptr<ForcedReplay> forced_;
};

TEST_F(ForcedReplayTest, AgreesWhileRepliesAndDataAreAlike) {
  Execute({"SET", "k", "v", "NX", "PX", "100"}, 0ms);
  Execute({"SET", "k", "w", "NX", "PX", "100"}, 50ms);
  Execute({"SET", "k", "w", "NX", "PX", "100"}, 101ms);
  Execute({"HSET", "h", "b", "2", "a", "1"}, 102ms);
  Execute({"ZADD", "z", "2.5", "x", "1", "y"}, 102ms);
  Execute({"RPUSH", "l", "one", "two"}, 103ms);
  Execute({"GET", "l"}, 103ms);
  EXPECT_FALSE(forced_->difference().has_value()) << forced_->difference()->what;
  EXPECT_EQ(forced_->commands(), 7U);
  EXPECT_EQ(forced_->replies(), 7U);
  EXPECT_GE(forced_->took(), 103ms) << "leases take real time";
}

TEST_F(ForcedReplayTest, TheFirstCommandMayComeLate) {
  forced_ = Begin(real_.get());
  ASSERT_TRUE(forced_->Open(OfThisMachine(), 0).ok());
  forced_->OnConnect(kClient, 0, 5s);
  Execute({"SET", "k", "v", "PX", "1000"}, 6s);
  Execute({"PTTL", "k"}, 6s);
  EXPECT_FALSE(forced_->difference().has_value()) << forced_->difference()->real;
  EXPECT_LT(forced_->took(), 3s) << "nobody waits for what was before the beginning";
}

TEST_F(ForcedReplayTest, ALeaseThatIsLongerInRealityIsADifference) {
  Execute({"SET", "k", "v", "PX", "1000"}, 0ms);
  simulated_.Execute(client_, {"PEXPIRE", "k", "800"});
  Execute({"PING"}, 1ms);
  ASSERT_TRUE(forced_->difference().has_value());
  EXPECT_EQ(forced_->difference()->what, "data of k");
}

TEST_F(ForcedReplayTest, AClientThatSpeaksResp3IsRefusedByName) {
  Execute({"PING"}, 0ms);
  EXPECT_EQ(forced_->obstacle(), "");
  Execute({"HELLO", "3"}, 1ms);
  EXPECT_THAT(forced_->obstacle(), HasSubstr("says HELLO 3; expected HELLO 2"));
  EXPECT_EQ(forced_->commands(), 1U) << "nothing is sent behind it";
}

TEST_F(ForcedReplayTest, AReplyThatNoRedisGivesIsTheFirstDifference) {
  Execute({"SET", "k", "v"}, 0ms);
  Value wrong;
  wrong.type = Value::Type::kString;
  wrong.text = "w";
  Execute({"GET", "k"}, 1ms, wrong);
  Execute({"DEL", "k"}, 2ms);
  ASSERT_TRUE(forced_->difference().has_value());
  EXPECT_EQ(forced_->difference()->what, "reply");
  EXPECT_EQ(forced_->difference()->command, "GET k");
  EXPECT_EQ(forced_->difference()->simulated, "\"w\"");
  EXPECT_EQ(forced_->difference()->real, "\"v\"");
  EXPECT_EQ(forced_->commands(), 2U) << "nothing is sent behind it";
}

TEST_F(ForcedReplayTest, DataThatNoReplyHasShownAreCompared) {
  Execute({"RPUSH", "l", "a"}, 0ms);
  simulated_.Execute(client_, {"LSET", "l", "0", "b"});
  Execute({"PING"}, 1ms);
  ASSERT_TRUE(forced_->difference().has_value());
  EXPECT_EQ(forced_->difference()->what, "data of l");
  EXPECT_EQ(forced_->difference()->simulated, "b");
  EXPECT_EQ(forced_->difference()->real, "a");
}

TEST_F(ForcedReplayTest, AnEndThatOnlyOneOfThemHasIsADifference) {
  Execute({"SET", "k", "v"}, 0ms);
  simulated_.Execute(client_, {"PEXPIRE", "k", "5000"});
  Execute({"PING"}, 1ms);
  ASSERT_TRUE(forced_->difference().has_value());
  EXPECT_EQ(forced_->difference()->what, "data of k");
}

TEST_F(ForcedReplayTest, TimesOfOneMomentMayBeApartInReality) {
  constexpr std::string_view kNow =
      "local t = redis.call('TIME') "
      "return redis.call('ZADD', KEYS[1], t[1] * 1000 + math.floor(t[2] / 1000), ARGV[1])";
  for (const std::string_view member : {"b", "a", "d", "c"}) {
    Execute({"EVAL", std::string(kNow), "1", "z", std::string(member)}, 0ms);
    runtime_.NewEvent()->WaitUntil(AddSaturating(runtime_.Now(), 2ms));
  }
  EXPECT_FALSE(forced_->difference().has_value()) << forced_->difference()->real;
}

TEST_F(ForcedReplayTest, HasteBringsWhatCameWithTheEndOfALeaseBeforeIt) {
  constexpr std::string_view kTake =
      "local t = redis.call('TIME') local now = t[1] * 1000 + math.floor(t[2] / 1000) "
      "if now > tonumber(redis.call('GET', KEYS[1]) or 0) then "
      "redis.call('SET', KEYS[1], string.format('%.0f', now + 2000)) return 1 end return 0";
  const Argv take = {"EVAL", std::string(kTake), "1", "k"};
  forced_ = Begin(real_.get(), 50);
  ASSERT_TRUE(forced_->Open(OfThisMachine(), 0).ok());
  forced_->OnConnect(kClient, 0, 0ms);
  Execute(take, 0ms);
  Execute(take, 2s);
  EXPECT_FALSE(forced_->difference().has_value()) << forced_->difference()->real;
  EXPECT_LT(forced_->took(), 2s);
  Execute(take, 2001ms);
  EXPECT_TRUE(forced_->difference().has_value()) << "behind it, but not in real time";
}

TEST_F(ForcedReplayTest, WhoSleepsInTheOneSleepsInTheOther) {
  Execute({"BLPOP", "l", "0"}, 0ms);
  EXPECT_FALSE(forced_->difference().has_value());
  Value nil;
  nil.type = Value::Type::kNilArray;
  forced_->OnMessage(kClient, nil, 1ms);
  ASSERT_TRUE(forced_->difference().has_value()) << "the real one goes on sleeping";
  EXPECT_EQ(forced_->difference()->what, "no reply");
}

TEST_F(ForcedReplayTest, TimesOfTheServersOwnAreSentBackAsItMadeThem) {
  const std::string script =
      "local t = redis.call('TIME'); local f = t[1] * 1000000 + t[2]; "
      "redis.call('SET', KEYS[1], string.format('%.0f', f)); return string.format('%.0f', f)";
  Execute({"EVAL", script, "1", "f"}, 0ms);
  ASSERT_FALSE(forced_->difference().has_value()) << forced_->difference()->real;
  const std::string simulated = ear_.heard->text;
  Execute({"EVAL", "return redis.call('GET', KEYS[1]) == ARGV[1] and 1 or 0", "1", "f", simulated},
          1ms);
  EXPECT_EQ(ear_.heard->integer, 1);
  EXPECT_FALSE(forced_->difference().has_value()) << forced_->difference()->real;
}

TEST_F(ForcedReplayTest, ADatabaseThatIsNotEmptyIsRefusedAndKept) {
  forced_.reset();
  ASSERT_TRUE(real_->Command({"SET", "mine", "1"}).ok());
  const auto forced = Begin(nullptr);
  const Status opened = forced->Open(OfThisMachine(), 0);
  EXPECT_EQ(opened.code(), StatusCode::kInvalidArgument);
  EXPECT_THAT(opened.message(), HasSubstr("has 1 key"));
  EXPECT_EQ(real_->Command({"GET", "mine"}).value(), "1");
}

TEST_F(ForcedReplayTest, AnotherOnesServerIsRidOfWhatWasMadeThere) {
  forced_ = Begin(nullptr);
  ASSERT_TRUE(forced_->Open(OfThisMachine(), 0).ok());
  forced_->OnConnect(kClient, 0, 0ms);
  Execute({"SET", "k", "v"}, 0ms);
  ASSERT_TRUE(real_->Command({"SET", "theirs", "1"}).ok());
  forced_->CleanUp();
  EXPECT_EQ(real_->Command({"EXISTS", "k"}).value(), "0");
  EXPECT_EQ(real_->Command({"EXISTS", "theirs"}).value(), "1");
}

/// By the program: cases that it has found itself.
class ForcedCasesTest : public ::testing::Test {
 protected:
  static ChildResult Interlock(std::vector<std::string> words) {
    words.insert(words.begin(), INTERLOCK_PROGRAM);
    return RunChild(words);
  }

  std::vector<std::string> CasesOf(const std::string& lock, const std::string& scenario) {
    const std::string out = folder_.path() + "/" + std::to_string(++campaigns_);
    Interlock({"check", "--lock", lock, "--scenario", OnThisMachine(scenario), "--runs", "2000",
               "--out", out});
    std::vector<std::string> files;
    for (const auto& entry : fs::directory_iterator(out + "/counterexamples")) {
      files.push_back(entry.path());
    }
    std::ranges::sort(files);
    return files;
  }

  void ExpectReproduced(const std::string& lock, const std::string& scenario) {
    SCOPED_TRACE(lock + " in " + scenario);
    std::vector<std::string> words = CasesOf(lock, scenario);
    ASSERT_FALSE(words.empty());
    words.resize(1);
    words.insert(words.begin(), "replay");
    words.insert(words.end(), {"--redis", "spawn"});
    const ChildResult forced = Interlock(words);
    EXPECT_EQ(forced.exit_code, 1) << forced.out << forced.err;
    EXPECT_THAT(forced.out, AllOf(HasSubstr("\n1 REPRODUCED\n"), Not(HasSubstr("DIFFERS"))));
  }

  const ScratchFolder folder_;
  int campaigns_ = 0;
};

TEST_F(ForcedCasesTest, AnExpiry) { ExpectReproduced("broken/del-without-owner", "overstay"); }

TEST_F(ForcedCasesTest, ALostReply) { ExpectReproduced("broken/resent-unlock-denies", "lossy"); }

TEST_F(ForcedCasesTest, APause) { ExpectReproduced("broken/validity-from-reply", "pause"); }

TEST_F(ForcedCasesTest, AHandOverByBlockingPop) {
  ExpectReproduced("broken/both-prime", "contention");
}

TEST_F(ForcedCasesTest, AReleaseInTheLastMillisecondOfALeaseThatAScriptKeepsAsData) {
  ExpectReproduced("broken/limit-for-a-while", "contention");
}

TEST_F(ForcedCasesTest, ATimeOfTheClientsOwnClockAtWhichItsKeyEnds) {
  ExpectReproduced("broken/pxat-in-the-past", "chaos");
}

TEST_F(ForcedCasesTest, AQuorum) { ExpectReproduced("broken/votes-cast-anew", "quorum-overstay"); }

TEST_F(ForcedCasesTest, AFailoverThatForgetsTheLatestWrites) {
  ExpectReproduced("mutex", "failover");
}

TEST_F(ForcedCasesTest, ASplitBrainWhoseOldPrimaryWritesOn) {
  ExpectReproduced("fair-mutex", "split-brain");
}

TEST_F(ForcedCasesTest, AnOperatorsHand) {
  ExpectReproduced("broken/latch-counter-beside-ids", "data-loss");
}

TEST_F(ForcedCasesTest, SoundLocksDoOnRealServersWhatTheyDoOnSimulatedOnes) {
  std::vector<std::string> words = {"replay"};
  for (const char* lock : {"mutex", "fair-mutex", "shared-mutex", "semaphore", "multi-mutex"}) {
    words.push_back(
        Encode({lock, OnThisMachine("contention"), SynchronyClass::kNone, std::uint64_t{17}}));
  }
  words.push_back(Encode(
      {"redlock", OnThisMachine("quorum-contention"), SynchronyClass::kNone, std::uint64_t{17}}));
  words.insert(words.end(), {"--redis", "spawn"});
  const ChildResult forced = Interlock(words);
  EXPECT_EQ(forced.exit_code, 0) << forced.out << forced.err;
  EXPECT_THAT(forced.out, HasSubstr("\n6 AGREES\n"));
}

TEST_F(ForcedCasesTest, WhatIsPrintedAsJsonIsValidByItsSchema) {
  const std::vector<std::string> cases = CasesOf("broken/random-fence", "contention");
  ASSERT_FALSE(cases.empty());
  const ChildResult forced = Interlock({"replay", cases.front(), "--redis", "spawn", "--json"});
  const std::string path = folder_.path() + "/forced.json";
  std::ofstream(path, std::ios::binary) << forced.out;
  for (const std::string mutate : {"", "--mutate"}) {
    std::vector<std::string> words = {"/usr/bin/python3", INTERLOCK_CHECK_SCHEMA};
    if (!mutate.empty()) words.push_back(mutate);
    words.insert(words.end(), {INTERLOCK_SCHEMAS "/forced.schema.json", path});
    const ChildResult judged = RunChild(words);
    EXPECT_THAT(judged.out, HasSubstr(" checked, 0 complaints"));
  }
}

TEST_F(ForcedCasesTest, WhatWouldLastForDaysIsNotForcedAndSaysSo) {
  std::vector<std::string> words = CasesOf("broken/fence-for-a-day", "idle");
  ASSERT_FALSE(words.empty());
  const ChildResult forced = Interlock({"replay", words.front(), "--redis", "spawn"});
  EXPECT_EQ(forced.exit_code, 2);
  EXPECT_THAT(forced.out, AllOf(HasSubstr("NOT FORCED"), HasSubstr("--longest is 300 s")));
}

TEST_F(ForcedCasesTest, ServersOfOthersAreAskedForByNumber) {
  std::vector<std::string> words = CasesOf("broken/votes-cast-anew", "quorum-overstay");
  ASSERT_FALSE(words.empty());
  const ChildResult forced = Interlock({"replay", words.front(), "--redis", "redis://127.0.0.1:1"});
  EXPECT_EQ(forced.exit_code, 64);
  EXPECT_THAT(forced.err, HasSubstr("servers: give as many URLs"));
}

TEST_F(ForcedCasesTest, AServerThatIsNotThereIsUnreachable) {
  std::vector<std::string> words = CasesOf("broken/del-without-owner", "overstay");
  ASSERT_FALSE(words.empty());
  const ChildResult forced = Interlock({"replay", words.front(), "--redis", "redis://127.0.0.1:1"});
  EXPECT_EQ(forced.exit_code, 69) << forced.err;
}

TEST_F(ForcedCasesTest, AnotherMachineWantsToBeAllowed) {
  const ChildResult forced =
      Interlock({"replay", Encode({"mutex", "contention", SynchronyClass::kNone, std::uint64_t{1}}),
                 "--redis", "redis://192.0.2.1:6379"});
  EXPECT_EQ(forced.exit_code, 64);
  EXPECT_THAT(forced.err, HasSubstr("--allow-remote"));
}

}  // namespace
}  // namespace interlock::scenarios::real
