// SPDX-License-Identifier: MIT
//
// When a reply is waited for awake: always while that pays, and ever more rarely while it does not.
#include "src/busy_wait.h"

#include <gtest/gtest.h>

namespace interlock::internal {
namespace {

/// How many of so many replies are waited for awake if none ever comes in time.
int TriesInVain(BusyWait& wait, int replies) {
  int tries = 0;
  for (int i = 0; i < replies; ++i) {
    if (!wait.WorthTrying()) continue;
    ++tries;
    wait.Told(false);
  }
  return tries;
}

TEST(BusyWaitTest, IsTriedForEveryReplyAsLongAsItPays) {
  BusyWait wait;
  for (int i = 0; i < 1000; ++i) {
    ASSERT_TRUE(wait.WorthTrying());
    wait.Told(true);
  }
}

TEST(BusyWaitTest, IsTriedEverMoreRarelyWhileItDoesNotPay) {
  BusyWait wait;
  // After 1, 3, 7 and 15 replies, and after 15 of them from then on.
  EXPECT_EQ(TriesInVain(wait, 32), 5);
  EXPECT_EQ(TriesInVain(wait, 16 * 100), 100);
}

TEST(BusyWaitTest, IsTriedForEveryReplyAgainOnceItHasPaid) {
  BusyWait wait;
  TriesInVain(wait, 1000);
  while (!wait.WorthTrying()) {
  }
  wait.Told(true);
  EXPECT_TRUE(wait.WorthTrying());
}

TEST(BusyTurnTest, IsOneThreadsAtATime) {
  BusyTurn turn;
  EXPECT_TRUE(turn.Take());
  EXPECT_FALSE(turn.Take());
  turn.GiveBack();
  EXPECT_TRUE(turn.Take());
}

}  // namespace
}  // namespace interlock::internal
