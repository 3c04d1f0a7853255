// SPDX-License-Identifier: MIT
//
// Leases that are kept alive, and their loss, in virtual time: a Mutex of the library on the fake
// Redis, whose messages take 1 ms each way. What the subject `mutex.renewed` shows in many runs is
// here shown to the millisecond.
#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <memory>
#include <optional>

#include <interlock/client.h>
#include <interlock/multi_mutex.h>
#include <interlock/mutex.h>

#include "tests/sim/world_fixture.h"

namespace interlock::sim {
namespace {

class KeepAliveTest : public ::testing::Test {
 protected:
  /// `body` runs as the only process, but for one that may meddle with the server.
  void Run(const std::function<void(Client&)>& body, const std::function<void()>& other = {}) {
    bench_.world->Start(0, [&] {
      Client client(bench_.world->runtime(0), bench_.world->connector(0), options_);
      body(client);
      ended_ = true;
    });
    if (other) bench_.world->Start(1, other);
    EXPECT_EQ(bench_.world->Run(kHorizon), StopReason::kFinished);
    EXPECT_TRUE(ended_);
  }

  Lease Acquire(Client& client, milliseconds lease, const char* name = "job") {
    return Mutex::Create(client, name, {.key_prefix = "t:", .lease = lease})->TryAcquire().value();
  }
  void Sleep(Duration length) { bench_.Sleep(0, length); }
  void SleepUntil(VirtualTime when) { bench_.Sleep(0, when - bench_.world->now()); }
  /// From now on nothing of process 0 arrives, and nothing reaches it.
  void CutOff(Duration length) {
    bench_.world->Strike(0, {FaultKind::kPartition, 0, bench_.world->steps(0), length, 0});
  }
  VirtualTime now() { return bench_.world->now(); }

  ClientOptions options_;
  Bench bench_{2};
  bool ended_ = false;
};

// The process stands still between the first of them and the last.
TEST_F(KeepAliveTest, SeveralAreKeptAliveOnlyIfAllAreValidWhenThatIsSaid) {
  Run([&](Client& client) {
    bool refused = false;
    for (int step = 0; step < 6; ++step) {
      SCOPED_TRACE(step);
      MultiMutex both =
          MultiMutex::Create(client, {"a", "b"}, {.lease = milliseconds(900)}).value();
      MultiLease held = both.TryAcquire().value();
      bench_.world->Strike(
          0, {FaultKind::kPause, 0, bench_.world->steps(0) + step, milliseconds(899), 0});
      const Status kept = held.KeepAlive(seconds(60));
      EXPECT_EQ(kept.ok(), held.valid());
      refused = refused || kept.code() == StatusCode::kLeaseLost;
      (void)held.Release();
    }
    EXPECT_TRUE(refused);
  });
}

TEST_F(KeepAliveTest, ALeaseOutlivesItselfManyTimesOver) {
  Run([&](Client& client) {
    Lease lease = Acquire(client, milliseconds(900));
    ASSERT_TRUE(lease.KeepAlive(seconds(60)).ok());
    Sleep(seconds(20));
    EXPECT_TRUE(lease.valid());
    EXPECT_FALSE(lease.lost().IsSet());
    EXPECT_TRUE(lease.Release().ok());
  });
  // One renewal for each third of a lease, roughly, and nothing else.
  EXPECT_GT(bench_.world->commands(), 60u);
  EXPECT_LT(bench_.world->commands(), 90u);
}

TEST_F(KeepAliveTest, ItEndsWithTheLongestHoldAndSaysSo) {
  Run([&](Client& client) {
    Lease lease = Acquire(client, milliseconds(900));
    const VirtualTime limit = now() + seconds(2);
    ASSERT_TRUE(lease.KeepAlive(seconds(2)).ok());
    EXPECT_TRUE(lease.lost().WaitUntil(kNever));
    EXPECT_GT(now(), limit - milliseconds(100));
    EXPECT_LE(now(), limit);
    EXPECT_FALSE(lease.valid());
    EXPECT_EQ(lease.KeepAlive(seconds(1)).code(), StatusCode::kLeaseLost);
    // A drift allowance before its end the server still has it.
    EXPECT_TRUE(lease.Release().ok());
  });
}

// What is longer than a renewal makes it has nothing to renew for a while.
TEST_F(KeepAliveTest, GoesOnAfterAnExtensionToALongerLease) {
  Run([&](Client& client) {
    Lease lease = Acquire(client, milliseconds(600));
    ASSERT_TRUE(lease.KeepAlive(seconds(60)).ok());
    ASSERT_TRUE(lease.Extend(seconds(2)).ok());
    Sleep(seconds(10));
    EXPECT_TRUE(lease.valid());
  });
}

TEST_F(KeepAliveTest, GoesOnIfTheLeaseWasLongerBefore) {
  Run([&](Client& client) {
    Lease lease = Acquire(client, milliseconds(600));
    ASSERT_TRUE(lease.Extend(seconds(2)).ok());
    ASSERT_TRUE(lease.KeepAlive(seconds(60)).ok());
    Sleep(seconds(10));
    EXPECT_TRUE(lease.valid());
  });
}

TEST_F(KeepAliveTest, WithoutALimitItGoesOn) {
  Run([&](Client& client) {
    Lease lease = Acquire(client, milliseconds(900));
    ASSERT_TRUE(lease.KeepAlive(Duration::max()).ok());
    Sleep(seconds(100));
    EXPECT_TRUE(lease.valid());
  });
}

TEST_F(KeepAliveTest, ChecksItsRange) {
  Run([&](Client& client) {
    Lease lease = Acquire(client, milliseconds(900));
    EXPECT_EQ(lease.KeepAlive(Duration(0)).code(), StatusCode::kInvalidArgument);
    EXPECT_EQ(lease.KeepAlive(seconds(-1)).code(), StatusCode::kInvalidArgument);
    EXPECT_TRUE(lease.Release().ok());
    EXPECT_EQ(lease.KeepAlive(seconds(1)).code(), StatusCode::kNotOwner);
  });
}

TEST_F(KeepAliveTest, NothingIsSentAfterTheRelease) {
  Run([&](Client& client) {
    Lease lease = Acquire(client, milliseconds(900));
    ASSERT_TRUE(lease.KeepAlive(seconds(60)).ok());
    Sleep(milliseconds(100));
    EXPECT_TRUE(lease.Release().ok());
    const std::uint64_t commands = bench_.world->commands();
    Sleep(seconds(10));
    EXPECT_EQ(bench_.world->commands(), commands);
  });
}

// The unlock fails, and the process lives on: then it is the lease that has to end.
TEST_F(KeepAliveTest, NothingIsRenewedAfterAReleaseThatFailed) {
  Run([&](Client& client) {
    Lease lease = Acquire(client, milliseconds(20'000));
    ASSERT_TRUE(lease.KeepAlive(seconds(600)).ok());
    CutOff(seconds(15));
    EXPECT_FALSE(lease.Release().ok());
    Sleep(seconds(30));
    EXPECT_TRUE(Mutex::Create(client, "job", {.key_prefix = "t:"})->TryAcquire().ok());
  });
}

TEST_F(KeepAliveTest, ARenewalThatIsRefusedTellsAtOnce) {
  Run(
      [&](Client& client) {
        Lease lease = Acquire(client, milliseconds(900));
        ASSERT_TRUE(lease.KeepAlive(seconds(60)).ok());
        EXPECT_TRUE(lease.lost().WaitUntil(kNever));
        EXPECT_LT(now(), milliseconds(700));
        EXPECT_FALSE(lease.valid());
        EXPECT_EQ(lease.Release().code(), StatusCode::kNotOwner);
      },
      [&] {
        bench_.Sleep(1, milliseconds(400));
        ASSERT_TRUE(Call(*bench_.Connect(1), {"DEL", "t:{job}"}).ok());
      });
}

TEST_F(KeepAliveTest, ALossIsToldByTheClockWhileTheServerIsSilent) {
  Run([&](Client& client) {
    Lease lease = Acquire(client, milliseconds(900));
    std::optional<VirtualTime> called;
    lease.OnLost([&] { called = now(); });
    ASSERT_TRUE(lease.KeepAlive(seconds(60)).ok());
    const VirtualTime end = bench_.world->GlobalTime(0, lease.valid_until());
    CutOff(seconds(30));
    EXPECT_TRUE(lease.lost().WaitUntil(kNever));
    EXPECT_EQ(now(), end);
    Sleep(milliseconds(1));
    EXPECT_EQ(called, end);
    lease.Forget();
  });
}

TEST_F(KeepAliveTest, AShortOutageIsSurvived) {
  Run([&](Client& client) {
    Lease lease = Acquire(client, milliseconds(900));
    ASSERT_TRUE(lease.KeepAlive(seconds(60)).ok());
    Sleep(milliseconds(100));
    CutOff(milliseconds(500));
    Sleep(seconds(5));
    EXPECT_TRUE(lease.valid());
  });
}

// What hangs is the renewal of the long lease, for as long as its command may take; the short one
// has to be renewed meanwhile.
TEST_F(KeepAliveTest, ASilentConnectionUnderOneLeaseCostsNoOther) {
  options_.command_timeout = seconds(20);
  Run([&](Client& client) {
    Lease slow = Acquire(client, milliseconds(30'000), "slow");
    ASSERT_TRUE(slow.KeepAlive(seconds(600)).ok());
    SleepUntil(milliseconds(9'800));  // the long one's turn is at 9.9 s
    Lease quick = Acquire(client, milliseconds(900), "quick");
    ASSERT_TRUE(quick.KeepAlive(seconds(600)).ok());
    bench_.world->Strike(0, {FaultKind::kHalfOpen, 0, bench_.world->steps(0), {}, 0});
    Sleep(seconds(30));
    EXPECT_TRUE(quick.valid());
    EXPECT_TRUE(slow.valid());
  });
}

TEST_F(KeepAliveTest, ACallbackRunsOnceAndNotAfterTheRelease) {
  Run([&](Client& client) {
    int calls = 0;
    Lease kept = Acquire(client, milliseconds(900), "kept");
    kept.OnLost([&] { ++calls; });
    EXPECT_TRUE(kept.Release().ok());
    Lease forgotten = Acquire(client, milliseconds(900), "forgotten");
    forgotten.OnLost([&] { ++calls; });
    forgotten.Forget();
    Lease replaced = Acquire(client, milliseconds(900), "replaced");
    replaced.OnLost([&] { ++calls; });
    replaced = Acquire(client, milliseconds(900), "other");
    {
      Lease dropped = Acquire(client, milliseconds(900), "dropped");
      dropped.OnLost([&] { ++calls; });
    }
    Sleep(seconds(5));
    EXPECT_EQ(calls, 0);
    Lease lost = Acquire(client, milliseconds(900), "lost");
    lost.OnLost([&] { ++calls; });
    Sleep(seconds(5));
    EXPECT_EQ(calls, 1);
    lost.OnLost([&] { calls += 10; });  // it is lost already
    Sleep(milliseconds(1));
    EXPECT_EQ(calls, 11);
  });
}

TEST_F(KeepAliveTest, ReleaseWaitsForACallbackThatRuns) {
  Run([&](Client& client) {
    Lease lease = Acquire(client, milliseconds(900));
    bool ended = false;
    lease.OnLost([&] {
      Sleep(milliseconds(50));  // against the rules, so that there is something to wait for
      ended = true;
    });
    SleepUntil(milliseconds(900));
    EXPECT_FALSE(ended);
    (void)lease.Release();
    EXPECT_TRUE(ended);
  });
}

TEST_F(KeepAliveTest, WhoWaitsForTheLossOfAReleasedLeaseIsWokenBySet) {
  Run([&](Client& client) {
    Lease lease = Acquire(client, milliseconds(900));
    bool woken = false;
    const auto waiter =
        bench_.world->runtime(0).Spawn("waiter", [&] { woken = lease.lost().WaitUntil(kNever); });
    Sleep(milliseconds(10));
    EXPECT_TRUE(lease.Release().ok());
    EXPECT_FALSE(lease.lost().IsSet());
    Sleep(seconds(5));
    EXPECT_FALSE(woken);
    lease.lost().Set();
    waiter->Join();
    EXPECT_TRUE(woken);
  });
}

TEST_F(KeepAliveTest, SetEndsTheBelief) {
  Run([&](Client& client) {
    Lease lease = Acquire(client, milliseconds(900));
    lease.lost().Set();
    EXPECT_FALSE(lease.valid());
    EXPECT_EQ(lease.Extend().code(), StatusCode::kLeaseLost);
    EXPECT_TRUE(lease.Release().ok());  // the server still has it
  });
}

}  // namespace
}  // namespace interlock::sim
