// SPDX-License-Identifier: MIT
//
// Lengths of time of any unit: none overflows.
#include <chrono>
#include <cstdint>
#include <limits>
#include <ratio>
#include <type_traits>

#include <gtest/gtest.h>

#include <interlock/multi_mutex.h>
#include <interlock/mutex.h>

#include "tests/lib/lib_test.h"

namespace interlock {
namespace {

using namespace std::chrono_literals;

TEST(ToDurationTest, WhatFitsIsExactAndRoundedUp) {
  EXPECT_EQ(ToDuration(5s), Duration(5'000'000'000));
  EXPECT_EQ(ToDuration(-3ms), Duration(-3'000'000));
  EXPECT_EQ(ToDuration(std::chrono::duration<double>(0.25)), Duration(250'000'000));
  EXPECT_EQ((ToDuration(std::chrono::duration<std::int64_t, std::pico>(1))), Duration(1));
  EXPECT_EQ(ToDuration(Duration::max()), Duration::max());
}

TEST(ToDurationTest, WhatIsTooLongIsTheLongest) {
  EXPECT_EQ(ToDuration(std::chrono::hours::max()), Duration::max());
  EXPECT_EQ(ToDuration(std::chrono::milliseconds::max()), Duration::max());
  EXPECT_EQ(ToDuration(std::chrono::hours::min()), Duration::min());
  const double infinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(ToDuration(std::chrono::duration<double>(infinity)), Duration::max());
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(ToDuration(std::chrono::duration<double>(nan)), Duration::zero());
}

TEST(AnyDurationTest, TakesNoUnitThatWouldLoseSomethingUnasked) {
  static_assert(std::is_convertible_v<std::chrono::hours, AnyDuration>);
  static_assert(!std::is_convertible_v<std::chrono::duration<double>, AnyDuration>);
  static_assert(!std::is_convertible_v<int, AnyDuration>);
  EXPECT_EQ(Duration(AnyDuration(2h)), Duration(2h));
}

class ForEverTest : public LockTest {};

TEST_F(ForEverTest, AnyLongestTimeWaitsUntilItIsGranted) {
  Mutex mutex = NewMutex();
  Script(Refuse(8s));
  Pop(Hint().After(2s));
  Script(Grant(1));
  Lease lease = *mutex.AcquireFor(std::chrono::hours::max());
  EXPECT_TRUE(lease.valid());
  lease.Forget();
}

}  // namespace
}  // namespace interlock
