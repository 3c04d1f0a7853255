// SPDX-License-Identifier: MIT
//
// Faults that change who a process is, when its messages arrive, and what its clock shows: each
// does what its meaning says, ends when it should, and the run replays.
#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "tests/sim/world_fixture.h"

namespace interlock::sim {
namespace {

std::string Random(World& world, int process) {
  std::array<std::byte, 16> bytes{};
  world.runtime(process).FillRandom(bytes);
  std::string text;
  for (const std::byte byte : bytes) text.push_back(static_cast<char>(byte));
  return text;
}

class RestartTest : public ::testing::TestWithParam<FaultKind> {};

TEST_P(RestartTest, ANewLifeRunsTheMainFunctionAgainAfterTheLength) {
  std::vector<VirtualTime> started;
  std::vector<std::string> random;
  int ended = 0;
  Bench bench(1, {{GetParam(), 0, 3, seconds(2)}});  // its end unwinds the dead life, too
  bench.world->Start(0, [&] {
    started.push_back(bench.world->now());
    random.push_back(Random(*bench.world, 0));
    random.push_back(Random(*bench.world, 0));
    for (int i = 0; i < 6; ++i) bench.Sleep(0, milliseconds(100));
    ++ended;
  });
  EXPECT_EQ(bench.world->Run(kHorizon), StopReason::kFinished);
  EXPECT_EQ(started, (std::vector<VirtualTime>{{}, milliseconds(2300)}));
  EXPECT_EQ(ended, 1);
  EXPECT_FALSE(bench.world->crashed(0));
  EXPECT_TRUE(bench.world->finished(0));
  ASSERT_EQ(random.size(), 4u);
  if (GetParam() == FaultKind::kRestartSameIdentity) {
    EXPECT_EQ(random[2], random[0]);
    EXPECT_EQ(random[3], random[1]);
  } else {
    for (std::size_t i = 0; i < 2; ++i) {
      EXPECT_NE(random[2 + i], random[0]);
      EXPECT_NE(random[2 + i], random[1]);
    }
  }
}

TEST_P(RestartTest, WhatWasSentByTheDeadLifeMayArriveAndItsReplyReachesNobody) {
  Bench bench(1, {{GetParam(), 0, 2, seconds(1)}});
  int lives = 0;
  std::optional<Reply> seen;
  bench.world->Start(0, [&] {
    if (++lives == 1) {
      const auto connection = bench.Connect(0);
      static_cast<void>(Send(*connection, {"SET", "k", "v"}));
      return;  // In the teardown: the step after sending ends this life.
    }
    const auto connection = bench.Connect(0);
    auto reply = Call(*connection, {"GET", "k"});
    ASSERT_TRUE(reply.ok());
    seen = *reply;
  });
  EXPECT_EQ(bench.world->Run(kHorizon), StopReason::kFinished);
  EXPECT_EQ(lives, 2);
  ASSERT_TRUE(seen.has_value());
  EXPECT_EQ(seen->text, "v");
}

TEST_P(RestartTest, SeveralLivesEndOneAfterTheOtherAndHealingEndsTheWait) {
  Bench bench(1, {{GetParam(), 0, 1, seconds(1)},
                  {GetParam(), 0, 3, seconds(1)},
                  {GetParam(), 0, 5, std::chrono::hours(2)}});
  int lives = 0;
  bench.world->Start(0, [&] {
    ++lives;
    for (int i = 0; i < 3; ++i) bench.Sleep(0, milliseconds(100));
  });
  bench.world->Run(kHorizon);
  EXPECT_EQ(lives, 3);
  EXPECT_TRUE(bench.world->crashed(0));
  bench.world->Heal();
  EXPECT_EQ(bench.world->Run(2 * kHorizon), StopReason::kFinished);
  EXPECT_EQ(lives, 4);
  EXPECT_FALSE(bench.world->crashed(0));
}

INSTANTIATE_TEST_SUITE_P(BothIdentities, RestartTest,
                         ::testing::Values(FaultKind::kRestart, FaultKind::kRestartSameIdentity),
                         [](const auto& test) {
                           return std::string(test.param == FaultKind::kRestart ? "New" : "Same");
                         });

TEST(EntropyRepeatTest, TheProcessDrawsWhatClientZeroDrewFromItsBeginning) {
  Bench bench(2, {{FaultKind::kEntropyRepeat, 1, 1, {}}});
  std::vector<std::string> first;
  std::vector<std::string> second;
  bench.world->Start(0, [&] {
    for (int i = 0; i < 2; ++i) first.push_back(Random(*bench.world, 0));
  });
  bench.world->Start(1, [&] {
    second.push_back(Random(*bench.world, 1));
    bench.Sleep(1, seconds(1));
    bench.Sleep(1, seconds(1));
    for (int i = 0; i < 2; ++i) second.push_back(Random(*bench.world, 1));
  });
  bench.world->Run(kHorizon);
  ASSERT_EQ(second.size(), 3u);
  EXPECT_NE(second[0], first[0]);
  EXPECT_EQ(second[1], first[0]);
  EXPECT_EQ(second[2], first[1]);
}

TEST(EntropyAlikeTest, TheProcessDrawsWhatClientZeroDrewButForTheLastByte) {
  Bench bench(3, {{FaultKind::kEntropyAlike, 1, 1, {}},
                  {FaultKind::kEntropyAlike, 1, 3, {}},
                  {FaultKind::kEntropyAlike, 2, 1, {}}});
  std::vector<std::vector<std::string>> drawn(3);
  for (int i = 0; i < 3; ++i) {
    bench.world->Start(i, [&bench, &drawn, i] {
      // Struck again between two draws, a process goes on as before.
      for (int pair = 0; pair < 2; ++pair) {
        if (i > 0) {
          bench.Sleep(i, seconds(1));
          bench.Sleep(i, seconds(1));
        }
        drawn[static_cast<std::size_t>(i)].push_back(Random(*bench.world, i));
      }
    });
  }
  bench.world->Run(kHorizon);
  for (std::size_t draw = 0; draw < 2; ++draw) {
    std::set<std::string> all;
    for (const std::vector<std::string>& one : drawn) {
      const std::string& bytes = one.at(draw);
      all.insert(bytes);
      EXPECT_EQ(bytes.substr(0, bytes.size() - 1), drawn[0][draw].substr(0, bytes.size() - 1));
    }
    EXPECT_EQ(all.size(), 3U);
  }
}

TEST(FrozenClockTest, TheClockGoesOnWhereItStoodAndWaitsEndLater) {
  Bench bench(1, {{FaultKind::kPauseClockFrozen, 0, 1, seconds(10)}});
  bench.world->Start(0, [&] {
    auto helper = bench.world->runtime(0).Spawn("helper", [&] {
      bench.Sleep(0, seconds(1));  // Step 1: it sleeps already when the pause strikes below.
      EXPECT_EQ(bench.world->now(), seconds(11));
    });
    bench.Sleep(0, milliseconds(400));  // Step 0.
    EXPECT_EQ(bench.world->runtime(0).Now(), At(milliseconds(400)));
    EXPECT_EQ(bench.world->now(), milliseconds(400) + seconds(10));
    helper->Join();
  });
  EXPECT_EQ(bench.world->Run(kHorizon), StopReason::kFinished);
  EXPECT_EQ(bench.observer.faults.size(), 1u);
}

TEST(FrozenClockTest, HealingLetsTheClockRunAtOnce) {
  Bench bench(1, {{FaultKind::kPauseClockFrozen, 0, 0, std::chrono::hours(2)}});
  MonotonicTime shown{};
  bench.world->Start(0, [&] {
    shown = bench.world->runtime(0).Now();
    bench.Sleep(0, seconds(3));
  });
  EXPECT_EQ(bench.world->Run(kHorizon), StopReason::kTime);
  bench.world->Heal();
  EXPECT_EQ(bench.world->Run(2 * kHorizon), StopReason::kFinished);
  EXPECT_EQ(shown, At({}));
  EXPECT_EQ(bench.world->now(), kHorizon + seconds(3));
}

TEST(ClientClockFaultTest, AJumpEndsWaitsThatTheClockHasPassed) {
  Bench bench(1, {{FaultKind::kClientClockJump, 0, 2, seconds(60)}});
  VirtualTime woken{};
  bench.world->Start(0, [&] {
    auto helper = bench.world->runtime(0).Spawn("helper", [&] {
      bench.Sleep(0, seconds(50));
      woken = bench.world->now();
    });
    bench.Sleep(0, seconds(1));
    EXPECT_EQ(bench.world->runtime(0).Now(), At(seconds(61)));
    helper->Join();
  });
  bench.world->Run(kHorizon);
  EXPECT_EQ(woken, seconds(1));
}

TEST(ClientClockFaultTest, ARateChangesWhenWaitsEndUntilHealing) {
  for (const std::int64_t ppm : {-500'000, 250'000}) {
    Bench bench(1, {{FaultKind::kClientClockRate, 0, 0, Duration(ppm)}});
    std::vector<VirtualTime> woken;
    bench.world->Start(0, [&] {
      for (int i = 0; i < 2; ++i) {
        bench.Sleep(0, seconds(5));
        woken.push_back(bench.world->now());
      }
    });
    const VirtualTime first(5'000'000'000LL * 1'000'000 / (1'000'000 + ppm));
    bench.world->Run(first);
    bench.world->Heal();
    bench.world->Run(kHorizon);
    EXPECT_EQ(woken, (std::vector<VirtualTime>{first, first + seconds(5)})) << ppm;
  }
}

struct Way {
  FaultKind kind;
  VirtualTime executed;  // the GET that is sent at 3 ms
  VirtualTime answered;
};

TEST(PartitionTest, NothingArrivesInTheBlockedDirectionsBeforeItsEnd) {
  constexpr VirtualTime kEnd = milliseconds(3) + seconds(2);
  const std::vector<Way> ways = {
      {FaultKind::kPartition, kEnd, kEnd + milliseconds(1)},
      {FaultKind::kPartitionToServer, kEnd, kEnd + milliseconds(1)},
      {FaultKind::kPartitionFromServer, milliseconds(4), kEnd},
  };
  for (const Way& way : ways) {
    // Step 0 connects (2 ms), step 1 is the sleep (to 3 ms), step 2 precedes the sending.
    Bench bench(1, {{way.kind, 0, 2, seconds(2)}});
    bench.world->Start(0, [&] {
      const auto connection = bench.Connect(0);
      bench.Sleep(0, milliseconds(1));
      EXPECT_TRUE(Call(*connection, {"GET", "k"}).ok());
      EXPECT_EQ(bench.world->now(), way.answered) << ToString(way.kind);
      // It is over: everything flows again.
      const VirtualTime before = bench.world->now();
      EXPECT_TRUE(Call(*connection, {"GET", "k"}).ok());
      EXPECT_EQ(bench.world->now(), before + milliseconds(2)) << ToString(way.kind);
    });
    EXPECT_EQ(bench.world->Run(kHorizon), StopReason::kFinished);
    std::optional<VirtualTime> executed;
    for (const TraceEvent& event : bench.world->trace().events()) {
      if (event.kind == TraceKind::kExecute && !executed) executed = event.time;
    }
    EXPECT_EQ(executed, way.executed) << ToString(way.kind);
  }
}

TEST(PartitionTest, HoldsBackWhatIsUnderWayAndNewConnections) {
  // Step 2 is right after sending: the request is under way.
  Bench bench(1, {{FaultKind::kPartition, 0, 2, seconds(2)}});
  bench.world->Start(0, [&] {
    const auto connection = bench.Connect(0);
    ASSERT_TRUE(Send(*connection, {"GET", "k"}).ok());
    EXPECT_FALSE(bench.world->connector(0).Connect(At(seconds(1))).ok());
    EXPECT_EQ(bench.world->now(), seconds(1));
    EXPECT_TRUE(bench.world->connector(0).Connect(kNever).ok());
    EXPECT_EQ(bench.world->now(), milliseconds(2) + seconds(2) + milliseconds(1));
  });
  EXPECT_EQ(bench.world->Run(kHorizon), StopReason::kFinished);
}

TEST(PartitionTest, OthersAreNotConcernedAndHealingEndsIt) {
  Bench bench(2, {{FaultKind::kPartition, 0, 1, std::chrono::minutes(4)}});
  std::vector<VirtualTime> done(2);
  for (int client = 0; client < 2; ++client) {
    bench.world->Start(client, [&, client] {
      const auto connection = bench.Connect(client);
      static_cast<void>(Call(*connection, {"SET", "k", "v"}));
      done[static_cast<std::size_t>(client)] = bench.world->now();
    });
  }
  bench.world->Run(std::chrono::minutes(1));
  EXPECT_EQ(done[0], VirtualTime{});
  EXPECT_EQ(done[1], milliseconds(4));
  bench.world->Heal();
  EXPECT_EQ(bench.world->Run(kHorizon), StopReason::kFinished);
  EXPECT_EQ(done[0], std::chrono::minutes(1) + milliseconds(1));
}

TEST(LostPushTest, TheNextMessageIsLostAndTheConnectionGoesOn) {
  Bench bench(2, {{FaultKind::kLostPush, 0, 1, {}}});
  std::vector<std::string> heard;
  bench.world->Start(0, [&] {
    const auto connection = bench.Connect(0);
    // Two channels: the second confirmation is a push by form, and must not be lost.
    ASSERT_TRUE(Call(*connection, {"SUBSCRIBE", "a", "b"}).ok());
    ASSERT_TRUE(connection->Receive(kNever).ok());
    for (;;) {
      const auto push = connection->Receive(At(seconds(5)));
      if (!push.ok()) break;
      heard.push_back(push->elements.back().text);
    }
  });
  bench.world->Start(1, [&] {
    const auto connection = bench.Connect(1);
    bench.Sleep(1, seconds(1));
    for (const char* text : {"one", "two"}) {
      static_cast<void>(Call(*connection, {"PUBLISH", "a", text}));
    }
  });
  EXPECT_EQ(bench.world->Run(kHorizon), StopReason::kFinished);
  EXPECT_EQ(heard, (std::vector<std::string>{"two"}));
  EXPECT_EQ(bench.observer.faults.size(), 1u);
}

// The whole family together, seeded: what a run draws is all that it needs to happen again.
TEST(ClientFaultTest, RunsReplayWithTheSameHash) {
  FaultPlan plan;
  int step = 0;
  for (const FaultInfo& fault : KnownFaults()) {
    if (fault.family == FaultFamily::kServer || fault.family == FaultFamily::kAdmin) continue;
    if (fault.kind == FaultKind::kCrash) continue;
    const Duration length =
        fault.length() == FaultLength::kPpm ? Duration(-100'000) : Duration(milliseconds(700));
    plan.push_back({fault.kind, step % 3, 2 + step++, length});
  }
  const auto run = [&plan](Choices choices, Tape& tape) {
    Bench bench(3, plan, {}, std::move(choices));
    for (int client = 0; client < 3; ++client) {
      bench.world->Start(client, [&bench, client] {
        const auto connection = bench.Connect(client);
        if (connection == nullptr) return;
        for (int i = 0; i < 12; ++i) {
          const MonotonicTime deadline = bench.world->runtime(client).Now() + seconds(2);
          if (!Call(*connection, {"INCR", Random(*bench.world, client)}, deadline).ok()) return;
          bench.Sleep(client, milliseconds(30));
        }
      });
    }
    bench.world->Run(seconds(20));
    bench.world->Heal();
    bench.world->Run(kHorizon);
    EXPECT_GT(bench.observer.faults.size(), 3u);
    const std::uint64_t hash = bench.world->trace().hash();
    bench.TearDown();
    tape = bench.choices.TakeTape();
    return hash;
  };
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    Tape tape;
    Tape again;
    const std::uint64_t hash = run(Choices::FromSeed(seed), tape);
    EXPECT_EQ(run(Choices::FromTape(tape), again), hash) << seed;
    EXPECT_EQ(again, tape);
  }
}

}  // namespace
}  // namespace interlock::sim
