// SPDX-License-Identifier: MIT
//
// What clients leave behind that have ended, and whom a fault excuses whose lease has run out.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "scenarios/run/foreign/holds.h"
#include "tests/scenarios/run/foreign/holds_fixture.h"

namespace interlock::scenarios::drive {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST_F(HoldsTest, WhatSomebodyKilledLeavesForEverIsLeft) {
  Send(0, {"SETNX", "k", "1"});
  holds_.Ended(1, ClientExit::kByItself);
  holds_.Ended(0, ClientExit::kKilled);
  holds_.LeftBehind(true);
  EXPECT_THAT(Found(), ElementsAre("keys"));
}

TEST_F(HoldsTest, SoIsWhatSomebodyForgetsThatKeepsOthersOut) {
  Send(0, {"SETNX", "k", "1"});
  Send(1, {"SETNX", "k", "1"});
  Send(1, {"SETNX", "k", "1"});
  holds_.Ended(0, ClientExit::kByItself);
  holds_.Ended(1, ClientExit::kByItself);
  holds_.LeftBehind(true);
  EXPECT_THAT(Found(), ElementsAre("keys"));
}

TEST_F(HoldsTest, AndWhatItHasReleasedBefore) {
  Send(0, {"SETNX", "k", "1"});
  Send(0, {"DEL", "k"});
  Send(0, {"SETNX", "k", "1"});
  holds_.Ended(0, ClientExit::kByItself);
  holds_.LeftBehind(true);
  EXPECT_THAT(Found(), ElementsAre("keys"));
}

TEST_F(HoldsTest, ButNotAFlagThatKeepsNobodyOut) {
  Send(0, {"SETNX", "prepared", "1"});
  Send(1, {"SETNX", "prepared", "1"});
  Send(1, {"LPUSH", "tokens", "1"});
  Send(1, {"SETNX", "prepared", "1"});
  holds_.Ended(0, ClientExit::kKilled);
  holds_.Ended(1, ClientExit::kByItself);
  holds_.LeftBehind(true);
  EXPECT_THAT(Found(), IsEmpty());
}

TEST_F(HoldsTest, AnEndThatOthersPutOffNeverComes) {
  Send(0, {"SET", "k", "1", "NX", "PX", "500"});
  holds_.Ended(0, ClientExit::kByItself);
  for (int i = 0; i < 30; ++i) {
    Pass(10);
    Send(1, {"SET", "k", "1", "NX", "PX", "500"});
    Send(1, {"PEXPIRE", "k", "500"});
  }
  holds_.LeftBehind(true);
  EXPECT_THAT(Found(), IsEmpty()) << "when all have ended, nobody puts it off any more";
  holds_.LeftBehind(false);
  EXPECT_THAT(Found(), ElementsAre("keys"));
}

TEST_F(HoldsTest, NotWhatEnds) {
  Send(0, {"SET", "k", "1", "NX", "PX", "500"});
  Send(0, {"SETNX", "l", InSeconds(500'000)});
  Send(0, {"SET", "data", "1"});
  holds_.Ended(0, ClientExit::kKilled);
  holds_.LeftBehind(true);
  EXPECT_THAT(Found(), IsEmpty());
}

TEST_F(HoldsTest, WhoseLeaseAFaultHasLedTimePastIsExcused) {
  Send(0, {"SET", "k", "a", "NX", "PX", "500"});
  Send(1, {"SETNX", "l", InMs(600)});
  holds_.SetByForce(true);
  Pass(501);
  EXPECT_THAT(holds_.Excused(now_ms_), ElementsAre(true, false, false));
  Pass(501);
  holds_.SetByForce(false);
  EXPECT_THAT(holds_.Excused(now_ms_), ElementsAre(true, true, false));
}

TEST_F(HoldsTest, NotIfItHasRunOutByItself) {
  Send(0, {"SET", "k", "a", "NX", "PX", "500"});
  Pass(501);
  EXPECT_THAT(holds_.Excused(now_ms_), ElementsAre(false, false, false));
}

TEST_F(HoldsTest, WhoseCommandsHaveWaitedIsExcusedForAsLong) {
  Send(0, {"SET", "k", "a", "NX", "PX", "500"});
  holds_.Waited(0, 300'000);
  holds_.Waited(1, 400'000);
  Pass(501);
  EXPECT_THAT(holds_.Excused(now_ms_), ElementsAre(true, false, false));
  Pass(300);
  EXPECT_THAT(holds_.Excused(now_ms_), ElementsAre(false, false, false));
  holds_.Waited(0, 100'000);
  EXPECT_THAT(holds_.Excused(now_ms_), ElementsAre(true, false, false));
  Send(0, {"SET", "k", "a", "NX", "PX", "500"});
  EXPECT_THAT(holds_.Excused(now_ms_), ElementsAre(false, false, false));
}

TEST_F(HoldsTest, WhatItWaitedBeforeItExtendedIsForgotten) {
  Send(0, {"SET", "k", "a", "NX", "PX", "500"});
  holds_.Waited(0, 300'000);
  Send(0, {"PEXPIRE", "k", "600"});
  Pass(601);
  EXPECT_THAT(holds_.Excused(now_ms_), ElementsAre(false, false, false));
}

TEST_F(HoldsTest, WhoHasTheLockAnewIsExcusedNoMore) {
  Send(0, {"SET", "k", "a", "NX", "PX", "500"});
  holds_.SetByForce(true);
  Pass(501);
  holds_.SetByForce(false);
  Send(0, {"SET", "k", "a", "NX", "PX", "500"});
  EXPECT_THAT(holds_.Excused(now_ms_), ElementsAre(false, false, false));
}

TEST_F(HoldsTest, WhoEndsUndisturbedHasToReleaseWhatOthersRelease) {
  Send(0, {"SET", "k", "a", "NX", "PX", "500"});
  Send(0, {"DEL", "k"});
  Send(1, {"SET", "k", "b", "NX", "PX", "500"});
  holds_.Ended(1, ClientExit::kUndisturbed);
  Pass(501);
  Send(0, {"SET", "k", "a", "NX", "PX", "500"});
  holds_.Ended(0, ClientExit::kByItself);
  holds_.LeftBehind(false);
  EXPECT_THAT(Found(), IsEmpty());
  holds_.LeftBehind(true);
  ASSERT_THAT(Found(), ElementsAre("keys"));
  EXPECT_EQ(
      findings_.front().sentence,
      "k is left until its lease ends: C2, which held it, has ended without a release, though "
      "no fault had met it");
}

TEST_F(HoldsTest, ALeaseThatIsMeantToRunOutMayBeLeft) {
  Send(0, {"SET", "once-a-minute", "a", "NX", "PX", "500"});
  Send(0, {"SET", "k", "a", "NX", "PX", "500"});
  Send(0, {"DEL", "k"});
  Send(0, {"SET", "k", "a", "NX", "PX", "500"});
  Send(0, {"PEXPIRE", "k", "100"});
  Send(0, {"SET", "other", "a", "NX", "PX", "500"});
  Send(0, {"DEL", "other"});
  Send(0, {"SET", "other", "a", "NX", "PX", "500"});
  Send(0, {"SET", "other", "cooling down", "XX", "PX", "500"});
  holds_.Ended(0, ClientExit::kUndisturbed);
  holds_.LeftBehind(true);
  EXPECT_THAT(Found(), IsEmpty());
}

TEST_F(HoldsTest, WhoWasDelayedIsExcusedIfThatLeaseRunsOut) {
  Send(0, {"SET", "k", "a", "NX", "PX", "500"});
  holds_.Delayed(1);
  Pass(501);
  EXPECT_THAT(holds_.Excused(now_ms_), ElementsAre(false, false, false));
  Send(0, {"SET", "k", "a", "NX", "PX", "500"});
  holds_.Delayed(0);
  Send(0, {"PEXPIRE", "k", "600"});
  Pass(601);
  EXPECT_THAT(holds_.Excused(now_ms_), ElementsAre(true, false, false));
  Send(0, {"SET", "k", "a", "NX", "PX", "500"});
  EXPECT_THAT(holds_.Excused(now_ms_), ElementsAre(false, false, false));
  Pass(501);
  EXPECT_THAT(holds_.Excused(now_ms_), ElementsAre(false, false, false));
}

}  // namespace
}  // namespace interlock::scenarios::drive
