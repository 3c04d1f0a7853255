// SPDX-License-Identifier: MIT
//
// The parts of `interlock serve` that need no socket: its clock, and which fault strikes which
// command.
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>

#include "sim/serve/clock.h"
#include "sim/serve/faults.h"
#include "sim/serve/loop.h"
#include "sim/serve/words.h"

namespace interlock::sim::serve {
namespace {

using Words = std::vector<std::string>;
using Kind = sim::serve::CommandFault::Kind;

constexpr std::int64_t kStart = 1'700'000'000'000'000;
constexpr std::int64_t kSecond = 1'000'000;

struct LoopRun {
  ServeEnd end = ServeEnd::kNoOutput;
  int handled = 0;
  std::vector<std::string> notices;
};

// Three handlers are posted; the one with this number says that the server is to stop.
LoopRun RunLoopThatStopsAt(int last) {
  boost::asio::io_context io;
  std::string_view reason;
  LoopRun run;
  for (int i = 1; i <= 3; ++i) {
    boost::asio::post(io, [&reason, i, last] {
      if (i == last) reason = "SIGTERM";
    });
  }
  const ServeOutput output{[](std::string_view) { return true; },
                           [&run](std::string_view line) { run.notices.emplace_back(line); }};
  run.end = RunLoop(
      io, reason, [&run] { ++run.handled; }, output);
  return run;
}

TEST(ServeLoopTest, EndsAsSoonAsThereIsAReason) {
  const LoopRun run = RunLoopThatStopsAt(2);
  EXPECT_EQ(run.end, ServeEnd::kStopped);
  EXPECT_EQ(run.handled, 2);
  EXPECT_EQ(run.notices, std::vector<std::string>{"stopped by SIGTERM"});
}

// A server that leaves because it has nothing to do has lost what it was to wait for.
TEST(ServeLoopTest, WithoutAReasonItsEndIsAFailure) {
  const LoopRun run = RunLoopThatStopsAt(4);
  EXPECT_EQ(run.end, ServeEnd::kFailed);
  EXPECT_EQ(run.handled, 3);
  ASSERT_EQ(run.notices.size(), 1U);
  EXPECT_NE(run.notices[0].find("internal error"), std::string::npos);
}

TEST(ServeClockTest, ShowsTheMachinesTimeUntilToldOtherwise) {
  const sim::serve::ServeClock clock(kStart, false);
  EXPECT_EQ(clock.Now(kStart + 5), kStart + 5);
  EXPECT_EQ(clock.Now(kStart - 5), kStart - 5);
  EXPECT_EQ(clock.RealUntil(kStart, kStart + kSecond), kSecond);
  EXPECT_EQ(clock.RealUntil(kStart, kStart - kSecond), 0);
}

TEST(ServeClockTest, FrozenItMovesByCommandAlone) {
  sim::serve::ServeClock clock(kStart, true);
  EXPECT_EQ(clock.Now(kStart + kSecond), kStart);
  EXPECT_EQ(clock.RealUntil(kStart, kStart + 1), std::nullopt);
  clock.Advance(kStart + kSecond, 250);
  EXPECT_EQ(clock.Now(kStart + 9 * kSecond), kStart + 250);
  clock.Set(kStart + kSecond, 42);
  EXPECT_EQ(clock.Now(kStart), 42);
  clock.Run(kStart + 10 * kSecond);
  EXPECT_EQ(clock.Now(kStart + 11 * kSecond), 42 + kSecond);
  clock.Freeze(kStart + 12 * kSecond);
  EXPECT_EQ(clock.Now(kStart + 20 * kSecond), 42 + 2 * kSecond);
}

TEST(ServeClockTest, ARateScalesWhatPassesFromThenOn) {
  sim::serve::ServeClock clock(kStart, false);
  clock.SetRate(kStart + kSecond, 10);
  EXPECT_EQ(clock.Now(kStart + 2 * kSecond), kStart + 11 * kSecond);
  EXPECT_EQ(clock.RealUntil(kStart + kSecond, kStart + 11 * kSecond), kSecond);
  clock.SetRate(kStart + 2 * kSecond, 0.5);
  EXPECT_EQ(clock.Now(kStart + 4 * kSecond), kStart + 12 * kSecond);
}

TEST(ServeClockTest, FarTimesStayInRange) {
  sim::serve::ServeClock clock(kStart, false);
  clock.Set(kStart, INT64_MAX);
  clock.Advance(kStart, INT64_MAX);
  EXPECT_GT(clock.Now(kStart + kSecond), 0);
  clock.SetRate(kStart, sim::serve::ServeClock::kFastest);
  EXPECT_GT(clock.Now(INT64_MAX / 2), 0);
}

TEST(ServeWordsTest, NumbersAreTakenWholeOrNotAtAll) {
  EXPECT_EQ(WholeNumber("-12"), -12);
  for (const char* bad : {"", "1x", " 1", "0x1", "1.5", "99999999999999999999"}) {
    EXPECT_EQ(WholeNumber(bad), std::nullopt) << bad;
  }
  EXPECT_EQ(MillisecondsToUs("1.5"), 1500);
  for (const char* bad : {"", "-1", "nan", "inf", "1e300", "1s"}) {
    EXPECT_EQ(MillisecondsToUs(bad), std::nullopt) << bad;
  }
}

std::int64_t Arm(CommandFaultPlan& plan, const Words& words) {
  const auto armed = plan.Arm(words);
  const auto* number = std::get_if<std::int64_t>(&armed);
  EXPECT_NE(number, nullptr) << std::get<std::string>(armed);
  return number == nullptr ? 0 : *number;
}

TEST(FaultPlanTest, AFaultStrikesOnceUnlessToldHowOften) {
  CommandFaultPlan plan;
  Arm(plan, {"delay", "1.5"});
  Arm(plan, {"RESETAFTER", "2"});
  const auto delay = plan.Take("", Words{"GET", "a"});
  ASSERT_TRUE(delay.has_value());
  EXPECT_EQ(delay->kind, Kind::kDelay);
  EXPECT_EQ(delay->delay_us, 1500);
  EXPECT_EQ(plan.Take("", Words{"GET"})->kind, Kind::kResetAfter);
  EXPECT_EQ(plan.Take("", Words{"GET"})->kind, Kind::kResetAfter);
  EXPECT_EQ(plan.Take("", Words{"GET"}), std::nullopt);
  EXPECT_TRUE(plan.empty());
  Arm(plan, {"DROPREPLY", "ALWAYS"});
  for (int i = 0; i < 100; ++i) EXPECT_TRUE(plan.Take("", Words{"GET"}).has_value());
}

TEST(FaultPlanTest, AFaultMayBeForOneClientAndOneCommand) {
  CommandFaultPlan plan;
  Arm(plan, {"ERROR", "LOADING wait", "ALWAYS", "TO", "worker", "CMD", "Set"});
  EXPECT_EQ(plan.Take("other", Words{"SET", "k", "v"}), std::nullopt);
  EXPECT_EQ(plan.Take("worker", Words{"GET", "k"}), std::nullopt);
  EXPECT_EQ(plan.Take("worker", Words{"sEt", "k", "v"})->text, "LOADING wait");
  plan.Clear();
  Arm(plan, {"RESETBEFORE", "CMD", "script|load"});
  EXPECT_EQ(plan.Take("", Words{"SCRIPT", "EXISTS"}), std::nullopt);
  EXPECT_EQ(plan.Take("", Words{"SCRIPT"}), std::nullopt);
  EXPECT_EQ(plan.Take("", Words{"SCRIPT", "LOAD", "x"})->kind, Kind::kResetBefore);
}

TEST(FaultPlanTest, FaultsAreListedAndClearedByNumber) {
  CommandFaultPlan plan;
  const std::int64_t first = Arm(plan, {"DELAY", "100", "2", "TO", "w", "CMD", "SET"});
  const std::int64_t second = Arm(plan, {"DROPREPLY", "always"});
  EXPECT_EQ(plan.List(), (Words{"1 DELAY 100 count 2 TO w CMD set", "2 DROPREPLY ALWAYS"}));
  EXPECT_TRUE(plan.Clear(first));
  EXPECT_FALSE(plan.Clear(first));
  EXPECT_EQ(plan.List(), (Words{"2 DROPREPLY ALWAYS"}));
  EXPECT_TRUE(plan.Clear(second));
  EXPECT_TRUE(plan.empty());
}

TEST(FaultPlanTest, ASubcommandIsSpelledAsClientsOrAsRedisSpellIt) {
  for (const Words& spelling : {Words{"CLIENT SETNAME"}, Words{"client|setname"},
                                Words{"CLIENT", "SETNAME"}, Words{"Client"}}) {
    CommandFaultPlan plan;
    Words words = {"DROPREPLY", "CMD"};
    words.insert(words.end(), spelling.begin(), spelling.end());
    words.insert(words.end(), {"TO", "w"});
    Arm(plan, words);
    EXPECT_EQ(plan.Take("w", Words{"GET", "setname"}), std::nullopt);
    EXPECT_TRUE(plan.Take("w", Words{"CLIENT", "SetName", "w"}).has_value());
  }
}

TEST(FaultPlanTest, AnUnknownCommandIsNamedWithItsNearest) {
  CommandFaultPlan plan;
  const auto armed = plan.Arm(Words{"DROPREPLY", "CMD", "SETEXX"});
  ASSERT_TRUE(std::holds_alternative<std::string>(armed));
  EXPECT_EQ(std::get<std::string>(armed),
            "ERR CMD: unknown command \"setexx\"; did you mean \"setex\"?");
}

TEST(FaultPlanTest, WhatItDoesNotUnderstandArmsNothing) {
  CommandFaultPlan plan;
  for (const Words& bad :
       {Words{}, Words{"FOO"}, Words{"DELAY"}, Words{"DELAY", "-1"}, Words{"DELAY", "soon"},
        Words{"ERROR"}, Words{"ERROR", ""}, Words{"ERROR", "a\r\nb"}, Words{"DROPREPLY", "0"},
        Words{"DROPREPLY", "-3"}, Words{"DROPREPLY", "TO"}, Words{"DROPREPLY", "CMD", ""},
        Words{"DROPREPLY", "CMD", "SETT"}, Words{"DROPREPLY", "CMD", "INTERLOCK.CLOCK"},
        Words{"DROPREPLY", "CMD", "SET k"}, Words{"DROPREPLY", "CMD", "client|nope"},
        Words{"DROPREPLY", "1", "2"}, Words{"RESETAFTER", "FOR", "x"}}) {
    EXPECT_TRUE(std::holds_alternative<std::string>(plan.Arm(bad)));
    EXPECT_TRUE(plan.empty());
  }
}

}  // namespace
}  // namespace interlock::sim::serve
