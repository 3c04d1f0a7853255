// SPDX-License-Identifier: MIT
//
// What the leases of a MultiMutex say together: that one of them is lost.
#include <chrono>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <interlock/multi_mutex.h>

#include "tests/lib/lib_test.h"

namespace interlock {
namespace {

using namespace std::chrono_literals;

class MultiLeaseTest : public LockTest {
 protected:
  /// The first one's lease began, and ends, half a second earlier.
  MultiLease AcquireBoth() {
    MultiMutex both =
        MultiMutex::Create(client_, {"a", "b"}, {.key_prefix = "t:", .lease = 10s}).value();
    Script(Grant(1).After(500ms));
    Script(Grant(2));
    return both.TryAcquire().value();
  }
};

TEST_F(MultiLeaseTest, LostIsSetWhenTheFirstOfThemEnds) {
  MultiLease held = AcquireBoth();
  EXPECT_FALSE(held.lost().IsSet());
  EXPECT_FALSE(held.lost().WaitUntil(runtime_.Now() + 1s));
  EXPECT_TRUE(held.lost().WaitUntil(kNever));
  EXPECT_EQ(runtime_.Now(), held.leases().front().valid_until());
  EXPECT_TRUE(held.leases().back().valid());
  EXPECT_FALSE(held.valid());
  held.Forget();
  EXPECT_TRUE(held.lost().IsSet());
}

// The process stands still between its looks at the one and at the other.
TEST_F(MultiLeaseTest, AllAreValidAtOneInstantOrTheWholeIsNot) {
  MultiLease held = AcquireBoth();
  const Duration left = held.leases().front().remaining();
  runtime_.AdvanceAfterLooks(1, left + 100ms);
  EXPECT_FALSE(held.valid());
  EXPECT_TRUE(held.leases().back().valid());
  held.Forget();
}

// Else the extension of one that lasts longer could keep its user inside beyond the end of another.
TEST_F(MultiLeaseTest, ExtendBeginsWithTheOneThatEndsFirst) {
  MultiLease held = AcquireBoth();
  runtime_.Advance(1s);
  bool answers = false;
  connector_.Otherwise([&answers](const std::vector<std::string>& argv) {
    const bool of_b = argv.at(3).find('b') != std::string::npos;
    return of_b && !answers ? testing::Answer::Lost() : Number(1);
  });
  const MonotonicTime end_of_b = held.leases().back().valid_until();
  EXPECT_EQ(held.Extend().code(), StatusCode::kUnknownOutcome);
  EXPECT_LE(runtime_.Now(), end_of_b);
  EXPECT_EQ(held.leases().back().valid_until(), end_of_b);
  EXPECT_GT(held.leases().front().valid_until(), end_of_b);

  answers = true;
  const std::size_t next = connector_.sent().size();
  EXPECT_TRUE(held.Extend().ok());
  EXPECT_NE(Key(next, 0).find('b'), std::string::npos);
  held.Forget();
}

TEST_F(MultiLeaseTest, LostIsSetByTheRefusalOfAnyAlsoAfterItWasMoved) {
  MultiLease held = AcquireBoth();
  Event& lost = held.lost();
  MultiLease heir = std::move(held);
  Script(Number(1));
  Script(Number(0));
  EXPECT_EQ(heir.Extend().code(), StatusCode::kNotOwner);
  EXPECT_TRUE(lost.IsSet());
  EXPECT_EQ(&lost, &heir.lost());
  EXPECT_FALSE(heir.valid());
  heir.Forget();
}

// Somebody asks for it after the server has said so.
TEST_F(MultiLeaseTest, LostIsSetFromTheBeginningIfOneIsLostAlready) {
  MultiLease held = AcquireBoth();
  Script(Number(0));
  EXPECT_EQ(held.Extend().code(), StatusCode::kNotOwner);
  EXPECT_TRUE(held.lost().WaitUntil(kNever));
  held.Forget();
}

TEST_F(MultiLeaseTest, AReleaseIsNoLossAndSetEndsTheBeliefInAll) {
  MultiLease released = AcquireBoth();
  Script(Number(1));
  Script(Number(1));
  EXPECT_TRUE(released.Release().ok());
  runtime_.Advance(1h);
  EXPECT_FALSE(released.lost().IsSet());

  MultiLease ended = AcquireBoth();
  ended.lost().Set();
  for (const Lease& lease : ended.leases()) EXPECT_FALSE(lease.valid());
  ended.Forget();
}

// Each of those that were had is given back, and each time in vain.
TEST_F(MultiLeaseTest, AWaitOnASilentServerIsNoLaterThanItsBound) {
  std::vector<std::string> names;
  for (int i = 0; i < 20; ++i) names.push_back("r" + std::to_string(i));
  MultiMutex all = MultiMutex::Create(client_, names, {.lease = 100s}).value();
  for (int i = 0; i < 19; ++i) Script(Grant(1));
  connector_.Otherwise([](const auto& /*argv*/) { return testing::Answer::Lost(); });
  const MonotonicTime deadline = runtime_.Now() + 1s;
  EXPECT_EQ(all.AcquireUntil(deadline).code(), StatusCode::kUnknownOutcome);
  EXPECT_GT(runtime_.Now(), deadline + client_.overrun_bound());
  EXPECT_LE(runtime_.Now(), deadline + all.overrun_bound());
}

TEST_F(MultiLeaseTest, KeepAliveTellsWhatIsNoLongerHeldAndSendsNothing) {
  MultiLease held = AcquireBoth();
  EXPECT_EQ(held.KeepAlive(0s).code(), StatusCode::kInvalidArgument);
  runtime_.Advance(1h);
  EXPECT_EQ(held.KeepAlive(1h).code(), StatusCode::kLeaseLost);
  held.Forget();
  EXPECT_EQ(held.KeepAlive(1h).code(), StatusCode::kNotOwner);
  EXPECT_EQ(connector_.sent().size(), 2U);
}

}  // namespace
}  // namespace interlock
