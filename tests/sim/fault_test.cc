// SPDX-License-Identifier: MIT
//
// What each fault does, with latencies of exactly 1 ms, so that every moment is known: a connect
// takes 2 ms, a command executes 1 ms after it was sent, and its reply arrives 1 ms later.
//
// Steps of a client that connects and then calls: 0 connect, 1 before the send, 2 after it, 3 the
// reply's arrival.
#include "sim/faults.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/world.h"
#include "tests/sim/world_fixture.h"

namespace interlock::sim {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(CrashTest, NothingOfADeadProcessReachesTheServer) {
  struct Releaser {
    Connection& connection;
    ~Releaser() { static_cast<void>(Call(connection, {"DEL", "k"})); }
  };
  // Crash at every step of the client in turn.
  for (int step = 0; step < 6; ++step) {
    Bench bench(1, {{FaultKind::kCrash, 0, step, {}}});
    bool survived = false;
    bench.world->Start(0, [&] {
      auto connection = bench.Connect(0);
      if (connection == nullptr) {
        survived = true;
        return;
      }
      const Releaser releaser{*connection};
      static_cast<void>(Call(*connection, {"SET", "k", "v"}));
      static_cast<void>(Call(*connection, {"GET", "k"}));
      survived = true;
    });
    EXPECT_EQ(bench.world->Run(kHorizon), StopReason::kFinished) << step;
    EXPECT_TRUE(bench.world->crashed(0));
    EXPECT_FALSE(survived);
    EXPECT_FALSE(bench.world->HasLiveConnection(0));
    const std::uint64_t commands = bench.world->commands();
    // The client's steps: 2 is after the first send, 5 after the second.
    EXPECT_EQ(commands, step < 2 ? 0u : step < 5 ? 1u : 2u) << step;
    bench.TearDown();
    EXPECT_TRUE(survived) << "the fiber is finished at teardown";
    for (const std::string& command : bench.observer.commands) {
      EXPECT_EQ(command.find("DEL"), std::string::npos);
    }
  }
}

/// A process that dies right after it has sent `argv`; the fault lane says what becomes of it.
std::unique_ptr<Bench> DieAfterSending(std::uint32_t fate, std::vector<std::string_view> argv) {
  Tape tape;
  tape.lanes[static_cast<std::size_t>(Lane::kFault)] = {fate};
  auto bench = std::make_unique<Bench>(2, FaultPlan{{FaultKind::kCrash, 0, 2, {}}}, Bench::Exact(),
                                       Choices::FromTape(tape));
  bench->world->Start(0, [bench = bench.get(), argv] {
    auto connection = bench->Connect(0);
    static_cast<void>(connection->Call(argv, kNever));
  });
  return bench;
}

TEST(CrashTest, RequestsInFlightStillExecute) {
  auto bench = DieAfterSending(0, {"SET", "k", "v"});
  EXPECT_EQ(bench->world->Run(kHorizon), StopReason::kFinished);
  EXPECT_EQ(bench->world->server().PeekString(0, "k"), "v");
}

TEST(CrashTest, RequestsInFlightAreDropped) {
  auto bench = DieAfterSending(1, {"SET", "k", "v"});
  EXPECT_EQ(bench->world->Run(kHorizon), StopReason::kFinished);
  EXPECT_EQ(bench->world->server().PeekString(0, "k"), std::nullopt);
  EXPECT_EQ(bench->world->commands(), 0u);
}

// The dead client's blocked pop takes an element that nobody will ever see.
TEST(CrashTest, AHalfOpenConnectionStillTakesAnElement) {
  for (const std::uint32_t fate : {0u, 2u}) {
    auto bench = DieAfterSending(fate, {"BLPOP", "k", "0"});
    std::int64_t length = -1;
    bench->world->Start(1, [&] {
      auto connection = bench->Connect(1);
      bench->Sleep(1, seconds(1));
      ASSERT_TRUE(Call(*connection, {"RPUSH", "k", "x"}).ok());
      length = Call(*connection, {"LLEN", "k"})->integer;
    });
    EXPECT_EQ(bench->world->Run(kHorizon), StopReason::kFinished);
    EXPECT_EQ(length, fate == 0 ? 1 : 0);
  }
}

TEST(CrashTest, AHalfOpenConnectionEndsWithTheKeepalive) {
  auto bench = DieAfterSending(2, {"BLPOP", "k", "0"});
  std::int64_t length = -1;
  bench->world->Start(1, [&] {
    auto connection = bench->Connect(1);
    bench->Sleep(1, seconds(301));
    ASSERT_TRUE(Call(*connection, {"RPUSH", "k", "x"}).ok());
    length = Call(*connection, {"LLEN", "k"})->integer;
  });
  EXPECT_EQ(bench->world->Run(kHorizon), StopReason::kFinished);
  EXPECT_EQ(length, 1);
}

TEST(PauseTest, TheProcessStandsStillAndItsClockGoesOn) {
  Bench bench(1, {{FaultKind::kPause, 0, 3, seconds(10)}});
  int ticks = 0;
  bench.world->Start(0, [&] {
    Runtime& runtime = bench.world->runtime(0);
    auto ticker = runtime.Spawn("ticker", [&] {
      bench.Sleep(0, seconds(2));  // step 1
      ++ticks;
      EXPECT_EQ(bench.world->now(), seconds(11)) << "a deadline that passed fires on resume";
    });
    bench.Sleep(0, seconds(1));                  // step 0
    const MonotonicTime before = runtime.Now();  // step 2
    const MonotonicTime after = runtime.Now();   // step 3
    EXPECT_EQ(after - before, seconds(10));
    ticker->Join();
  });
  EXPECT_EQ(bench.world->Run(kHorizon), StopReason::kFinished);
  EXPECT_EQ(ticks, 1);
  ASSERT_EQ(bench.observer.faults.size(), 1u);
  EXPECT_EQ(bench.observer.fault_times[0], seconds(1));
}

TEST(PauseTest, AReplyThatCameMeanwhileIsThereOnResume) {
  Bench bench(1, {{FaultKind::kPause, 0, 2, seconds(10)}});
  bench.world->Start(0, [&] {
    auto connection = bench.Connect(0);
    const auto reply = Call(*connection, {"SET", "k", "v"}, At(seconds(1)));
    EXPECT_TRUE(reply.ok());
    EXPECT_EQ(bench.world->now(), seconds(10) + milliseconds(2));
  });
  EXPECT_EQ(bench.world->Run(kHorizon), StopReason::kFinished);
}

TEST(PauseTest, ItsLengthIsClipped) {
  class Clipper : public WorldObserver {
    Duration ClipFault(const Fault&, Duration wanted, VirtualTime) override {
      return std::min<Duration>(wanted, seconds(2));
    }
  };
  Clipper observer;
  Universe universe;
  Choices choices = Choices::FromTape({});
  const FaultPlan plan{{FaultKind::kPause, 0, 0, seconds(10)}};
  World world(universe, {}, plan, choices, &observer);
  world.AddProcess({});
  world.Start(0, [&] { EXPECT_EQ(world.runtime(0).Now(), At(seconds(2))); });
  EXPECT_EQ(world.Run(kHorizon), StopReason::kFinished);
}

TEST(FaultyExpiryTest, TheProcessSleepsPastTheNearestDeadline) {
  for (const Duration past : {milliseconds(-1), milliseconds(0), milliseconds(1)}) {
    Bench bench(1, {{FaultKind::kExpiry, 0, 4, past}});
    bench.world->Start(0, [&] {
      auto connection = bench.Connect(0);
      ASSERT_TRUE(Call(*connection, {"SET", "far", "v", "PX", "900000"}).ok());  // steps 1 to 3
      bench.world->Step(0);                                                      // step 4
      EXPECT_EQ(bench.world->now(), milliseconds(900'003) + past);
    });
    EXPECT_EQ(bench.world->Run(kHorizon), StopReason::kFinished);
    EXPECT_EQ(bench.observer.faults.size(), 1u);
  }
}

TEST(FaultyExpiryTest, WithoutADeadlineNothingHappens) {
  Bench bench(1, {{FaultKind::kExpiry, 0, 0, seconds(1)}});
  bench.world->Start(0, [&] { bench.world->Step(0); });
  EXPECT_EQ(bench.world->Run(kHorizon), StopReason::kFinished);
  EXPECT_EQ(bench.world->now(), VirtualTime{});
  EXPECT_THAT(bench.observer.faults, IsEmpty());
}

TEST(FaultyDelayTest, ALateRequestHoldsUpThoseBehindIt) {
  Bench bench(1, {{FaultKind::kDelayRequest, 0, 1, seconds(3)}});
  bench.world->Start(0, [&] {
    auto connection = bench.Connect(0);
    ASSERT_TRUE(Send(*connection, {"SET", "k", "1"}).ok());
    ASSERT_TRUE(Send(*connection, {"GET", "k"}).ok());
    EXPECT_TRUE(connection->Receive(kNever)->IsStatus("OK"));
    EXPECT_EQ(bench.world->now(), seconds(3) + milliseconds(4));
    EXPECT_EQ(connection->Receive(kNever)->text, "1");
    EXPECT_EQ(bench.world->now(), seconds(3) + milliseconds(4));
  });
  EXPECT_EQ(bench.world->Run(kHorizon), StopReason::kFinished);
}

TEST(FaultyDelayTest, ALateReplyBreaksTheDeadlineButNotTheEffect) {
  Bench bench(1, {{FaultKind::kDelayReply, 0, 1, seconds(3)}});
  bench.world->Start(0, [&] {
    auto connection = bench.Connect(0);
    const auto reply = Call(*connection, {"SET", "k", "v"}, At(seconds(1)));
    EXPECT_EQ(reply.code(), StatusCode::kUnknownOutcome);
    EXPECT_TRUE(connection->broken());
    EXPECT_EQ(Send(*connection, {"GET", "k"}).code(), StatusCode::kUnavailable);
    EXPECT_EQ(connection->Receive(kNever).code(), StatusCode::kUnavailable);
  });
  EXPECT_EQ(bench.world->Run(kHorizon), StopReason::kFinished);
  EXPECT_EQ(bench.world->server().PeekString(0, "k"), "v");
}

// A request that is still under way when its client gave up and closed executes all the same.
TEST(FaultyDelayTest, ARequestOutlivesItsConnection) {
  Bench bench(1, {{FaultKind::kDelayRequest, 0, 1, seconds(3)}});
  bench.world->Start(0, [&] {
    auto connection = bench.Connect(0);
    const auto reply = Call(*connection, {"SET", "k", "v"}, At(seconds(1)));
    EXPECT_EQ(reply.code(), StatusCode::kUnknownOutcome);
  });
  EXPECT_EQ(bench.world->Run(kHorizon), StopReason::kFinished);
  EXPECT_THAT(bench.observer.commands, ElementsAre("0:SET k v -> OK"));
}

struct LossCase {
  FaultKind kind;
  bool executed;
  VirtualTime noticed;  // with a deadline at 1 s
};

TEST(LossTest, RepliesAndRequestsAreLostAsNamed) {
  const LossCase cases[] = {
      {FaultKind::kLostRequest, false, seconds(1)},
      {FaultKind::kLostReply, true, seconds(1)},
      {FaultKind::kResetBefore, false, milliseconds(2)},
      {FaultKind::kResetAfter, true, milliseconds(4)},
      {FaultKind::kHalfOpen, false, seconds(1)},
  };
  for (const LossCase& loss : cases) {
    SCOPED_TRACE(ToString(loss.kind));
    Bench bench(1, {{loss.kind, 0, 1, {}}});
    bench.world->Start(0, [&] {
      auto connection = bench.Connect(0);
      const auto reply = Call(*connection, {"SET", "k", "v"}, At(seconds(1)));
      EXPECT_EQ(reply.code(), StatusCode::kUnknownOutcome);
      EXPECT_EQ(bench.world->now(), loss.noticed);
      EXPECT_TRUE(connection->broken());
      EXPECT_FALSE(bench.world->HasLiveConnection(0));
      connection.reset();
      connection = bench.Connect(0);
      ASSERT_NE(connection, nullptr);
      EXPECT_TRUE(Call(*connection, {"PING"})->IsStatus("PONG")) << "a new connection works";
    });
    EXPECT_EQ(bench.world->Run(kHorizon), StopReason::kFinished);
    EXPECT_EQ(bench.world->server().PeekString(0, "k").has_value(), loss.executed);
    EXPECT_EQ(bench.observer.faults.size(), 1u);
  }
}

TEST(LossTest, WithoutADeadlineTheKeepaliveNotices) {
  Bench bench(1, {{FaultKind::kLostReply, 0, 1, {}}});
  bench.world->Start(0, [&] {
    auto connection = bench.Connect(0);
    EXPECT_EQ(Call(*connection, {"SET", "k", "v"}).code(), StatusCode::kUnknownOutcome);
    EXPECT_EQ(bench.world->now(), seconds(300) + milliseconds(3));
  });
  EXPECT_EQ(bench.world->Run(kHorizon), StopReason::kFinished);
}

TEST(LossTest, ABlockedPopWhoseReplyIsLostTakesItsElement) {
  Bench bench(2, {{FaultKind::kLostReply, 0, 1, {}}});
  bench.world->Start(0, [&] {
    auto connection = bench.Connect(0);
    EXPECT_EQ(Call(*connection, {"BLPOP", "k", "0"}, At(seconds(9))).code(),
              StatusCode::kUnknownOutcome);
  });
  bench.world->Start(1, [&] {
    auto connection = bench.Connect(1);
    bench.Sleep(1, seconds(1));
    ASSERT_TRUE(Call(*connection, {"RPUSH", "k", "x"}).ok());
    EXPECT_EQ(Call(*connection, {"LLEN", "k"})->integer, 0);
  });
  EXPECT_EQ(bench.world->Run(kHorizon), StopReason::kFinished);
}

TEST(ConnectTest, FaultsRefuseTheAttempt) {
  for (const FaultKind kind :
       {FaultKind::kLostRequest, FaultKind::kLostReply, FaultKind::kResetBefore,
        FaultKind::kResetAfter, FaultKind::kHalfOpen}) {
    SCOPED_TRACE(ToString(kind));
    Bench bench(1, {{kind, 0, 0, {}}});
    bench.world->Start(0, [&] {
      const auto refused = bench.world->connector(0).Connect(At(seconds(1)));
      EXPECT_EQ(refused.code(), StatusCode::kUnavailable);
      const bool reset = kind == FaultKind::kResetBefore || kind == FaultKind::kResetAfter;
      EXPECT_EQ(bench.world->now() < seconds(1), reset);
      EXPECT_NE(bench.Connect(0), nullptr);
    });
    EXPECT_EQ(bench.world->Run(kHorizon), StopReason::kFinished);
  }
}

TEST(FaultyConnectionTest, ADeadlineWithNothingOutstandingIsATimeout) {
  Bench bench(1);
  bench.world->Start(0, [&] {
    auto connection = bench.Connect(0);
    EXPECT_EQ(connection->Receive(At(seconds(1))).code(), StatusCode::kTimeout);
    EXPECT_TRUE(connection->broken());
  });
  EXPECT_EQ(bench.world->Run(kHorizon), StopReason::kFinished);
}

TEST(HealTest, DropsTheRestOfThePlanAndEndsWhatIsUnderWay) {
  Bench bench(3, {{FaultKind::kPause, 0, 0, seconds(100)},
                  {FaultKind::kPause, 0, 1, seconds(100)},
                  {FaultKind::kHalfOpen, 1, 2, {}},
                  {FaultKind::kDelayRequest, 2, 1, seconds(100)}});
  std::vector<VirtualTime> done(3);
  bench.world->Start(0, [&] {
    bench.world->Step(0);
    bench.world->Step(0);
    done[0] = bench.world->now();
  });
  bench.world->Start(1, [&] {
    auto connection = bench.Connect(1);
    EXPECT_EQ(Call(*connection, {"BLPOP", "k", "0"}).code(), StatusCode::kUnknownOutcome);
    done[1] = bench.world->now();
  });
  bench.world->Start(2, [&] {
    auto connection = bench.Connect(2);
    EXPECT_TRUE(Call(*connection, {"SET", "x", "v"}).ok());
    done[2] = bench.world->now();
  });
  EXPECT_EQ(bench.world->Run(seconds(10)), StopReason::kTime);
  EXPECT_EQ(bench.world->PendingTasks().size(), 3u);
  bench.world->Heal();
  EXPECT_EQ(bench.world->Run(seconds(20)), StopReason::kFinished);
  EXPECT_THAT(done, ElementsAre(seconds(10), seconds(10), seconds(10) + milliseconds(1)));
}

}  // namespace
}  // namespace interlock::sim
