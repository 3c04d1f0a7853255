// SPDX-License-Identifier: MIT
//
// Whose the static variables of a shared object are.
#include <dlfcn.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/posix/objects.h"
#include "sim/posix/program_statics.h"
#include "sim/posix/unserved.h"
#include "tests/sim/posix/objects/visitors.h"
#include "tests/sim/world_fixture.h"

// Code under test that is linked into the program itself.
namespace acme {

int written = 0;
int never_written = 1;

namespace {
int of_this_file = 0;
}

int Use() {
  static int in_a_function = 0;
  in_a_function += ++written;
  of_this_file += in_a_function + never_written;
  return of_this_file;
}

}  // namespace acme

namespace interlock::sim {
namespace {

TEST(StaticsTest, TheObjectUnderTestIsFoundAndNoneOfTheProgramsOwn) {
  const auto& objects = posix::ObjectsUnderTest();
  ASSERT_EQ(objects.size(), 1U);
  EXPECT_THAT(objects[0].path, ::testing::HasSubstr("visitors"));
  EXPECT_FALSE(objects[0].initialise.empty());
}

TEST(StaticsTest, WhatItCallsThatNobodyHasIsNamed) {
  const auto unserved = posix::UnservedImports();
  ASSERT_EQ(unserved.size(), 1U);
  EXPECT_EQ(unserved[0].object, "libinterlock_visitors.so");
  EXPECT_THAT(unserved[0].names, ::testing::ElementsAre("fork", "kill"));
}

TEST(StaticsTest, EachProcessHasItsOwnInEachRun) {
  for (int run = 0; run < 3; ++run) {
    Bench bench(2);
    for (int process = 0; process < 2; ++process) {
      bench.ServePosix(process);
      bench.world->Start(process, [process] {
        EXPECT_EQ(visitors::InitialisedIn(), getpid());
        for (int i = 1; i <= 3; ++i) {
          EXPECT_EQ(visitors::Count(), 100 + i);
          std::this_thread::sleep_for(seconds(1));
        }
        const std::string word = "client " + std::to_string(process);
        visitors::Remember(word);
        std::this_thread::sleep_for(seconds(1));
        EXPECT_THAT(visitors::Remember("again"),
                    ::testing::EndsWith("for the string itself: " + word + " again"));
        EXPECT_EQ(visitors::FirstCalls(), 11);
        EXPECT_EQ(*visitors::Pointer(), 5);
        *visitors::Pointer() = process;
        std::this_thread::sleep_for(seconds(1));
        EXPECT_EQ(*visitors::Pointer(), process);
      });
    }
    EXPECT_EQ(bench.world->Run(kHorizon), StopReason::kFinished);
  }
}

// Each process initialises it where the program has it, and destroys its own.
TEST(StaticsTest, WhatTheProgramHasTakenOverIsEachProcesssOwnToo) {
  Bench bench(2);
  for (int process = 0; process < 2; ++process) {
    bench.ServePosix(process);
    bench.world->Start(process, [process] {
      for (int i = 0; i < 2 + process; ++i) {
        EXPECT_THAT(visitors::kGreeting, ::testing::StartsWith("a greeting"));
        const visitors::Greeter greeter;
        EXPECT_EQ(greeter.Greet(), visitors::kGreeting);
        std::this_thread::sleep_for(seconds(1));
      }
    });
  }
  EXPECT_EQ(bench.world->Run(kHorizon), StopReason::kFinished);
  EXPECT_THAT(visitors::kGreeting, ::testing::StartsWith("a greeting"));
}

TEST(StaticsTest, KeysGoWithTheProcessThatMadeThem) {
  for (int run = 0; run < 2000; ++run) {
    Bench bench(1);
    bench.ServePosix(0);
    bench.world->Start(0, [] { ASSERT_GE(visitors::Key(), 0); });
    ASSERT_EQ(bench.world->Run(kHorizon), StopReason::kFinished);
  }
}

// What the harness calls between tasks, such as an oracle, is no client's.
TEST(StaticsTest, OutsideOfTasksTheProgramsAreInPlace) {
  const int before = visitors::Count();
  Bench bench(1);
  bench.ServePosix(0);
  std::vector<int> seen;
  bench.world->Start(0, [&] {
    EXPECT_EQ(visitors::Count(), 101);
    bench.world->TravelElsewhere(0, seconds(1), [&seen] { seen.push_back(visitors::Count()); });
    std::this_thread::sleep_for(seconds(2));
    EXPECT_EQ(visitors::Count(), 102);
  });
  EXPECT_EQ(bench.world->Run(kHorizon), StopReason::kFinished);
  EXPECT_THAT(seen, ::testing::ElementsAre(before + 1));
}

TEST(StaticsTest, ThreadsOfAProcessShareThemButForThreadLocals) {
  Bench bench(1);
  bench.ServePosix(0);
  bench.world->Start(0, [] {
    visitors::Count();
    visitors::OfThisThread() = 7;
    std::thread other([] {
      EXPECT_EQ(visitors::Count(), 102);
      EXPECT_EQ(visitors::OfThisThread(), 3);
    });
    other.join();
    EXPECT_EQ(visitors::Count(), 103);
    EXPECT_EQ(visitors::OfThisThread(), 7);
  });
  EXPECT_EQ(bench.world->Run(kHorizon), StopReason::kFinished);
}

TEST(StaticsTest, AProcessThatIsStartedAgainBeginsWithNewOnes) {
  std::vector<int> counts;
  Bench bench(1, {{.kind = FaultKind::kRestart, .process = 0, .step = 3, .length = seconds(5)}});
  bench.ServePosix(0);
  bench.world->Start(0, [&counts] {
    for (int i = 0; i < 5; ++i) {
      EXPECT_EQ(visitors::InitialisedIn(), getpid());
      counts.push_back(visitors::Count());
      if (::sleep(1) != 0) return;  // in teardown
    }
  });
  EXPECT_EQ(bench.world->Run(kHorizon), StopReason::kFinished);
  EXPECT_THAT(counts, ::testing::ElementsAre(101, 102, 103, 104, 101, 102, 103, 104, 105));
}

// Each thread that ends leaves them to the others, and what the first life has left is cleared away
// only in teardown.
TEST(StaticsTest, AProcessThatIsStartedAgainKeepsThemUntilItsLastThreadEnds) {
  static std::vector<int> told;
  told.clear();
  int lives = 0;
  Bench bench(1, {{.kind = FaultKind::kRestart, .process = 0, .step = 4, .length = seconds(5)}});
  bench.ServePosix(0);
  bench.world->Start(0, [&lives] {
    ++lives;
    visitors::AtTheEnd([](int count) {
      told.push_back(count);
      // Others run meanwhile, in teardown, too.
      for (int i = 0; i < 300; ++i) std::this_thread::yield();
    });
    for (int i = 0; i < 3; ++i) {
      std::thread([] { visitors::Count(); }).join();
      if (::sleep(1) != 0) return;  // in teardown
      EXPECT_THAT(told, ::testing::IsEmpty());
      EXPECT_THAT(visitors::Remember("word"), ::testing::StartsWith("a beginning"));
    }
  });
  EXPECT_EQ(bench.world->Run(kHorizon), StopReason::kFinished);
  EXPECT_EQ(lives, 2);
  EXPECT_THAT(told, ::testing::ElementsAre(103, -103));
  bench.TearDown();
  EXPECT_EQ(told.size(), 4U);
}

// As exit(3) does, but only for a process that comes to its end by itself.
TEST(StaticsTest, AtTheEndOfAProcessTheyAreDestroyed) {
  static std::vector<int> told;
  for (const bool crashes : {false, true}) {
    told.clear();
    FaultPlan plan;
    if (crashes) plan.push_back({.kind = FaultKind::kCrash, .process = 0, .step = 2});
    Bench bench(2, plan);
    for (int process = 0; process < 2; ++process) {
      bench.ServePosix(process);
      bench.world->Start(process, [process] {
        visitors::AtTheEnd([](int count) { told.push_back(count); });
        for (int i = 0; i < 3 + process; ++i) {
          visitors::Count();
          std::this_thread::sleep_for(seconds(1));
        }
      });
    }
    EXPECT_EQ(bench.world->Run(kHorizon), StopReason::kFinished);
    // By a destructor of a static, then by a function with the attribute `destructor`.
    EXPECT_EQ(told, crashes ? std::vector({104, -104}) : std::vector({103, -103, 104, -104}));
    // What it has allocated is freed all the same.
    bench.TearDown();
    EXPECT_EQ(told.size(), 4U);
  }
}

TEST(StaticsTest, AnObjectThatARunLoadsIsNamed) {
  posix::ObjectsUnderTest();
  EXPECT_THAT(posix::ObjectsLoadedLater(), ::testing::IsEmpty());
  Bench bench(1);
  bench.ServePosix(0);
  bench.world->Start(0, [] { EXPECT_NE(dlopen(INTERLOCK_LATE_OBJECT, RTLD_NOW), nullptr); });
  EXPECT_EQ(bench.world->Run(kHorizon), StopReason::kFinished);
  EXPECT_THAT(posix::ObjectsLoadedLater(), ::testing::ElementsAre("libinterlock_late.so"));
}

TEST(ProgramStaticsTest, WhatChangesIsNamedAndNothingElse) {
  const posix::ProgramStatics before;
  EXPECT_THAT(before.Changed(), ::testing::IsEmpty());
  Bench bench(1);
  bench.ServePosix(0);
  bench.world->Start(0, [] {
    acme::Use();
    visitors::Count();
  });
  EXPECT_EQ(bench.world->Run(kHorizon), StopReason::kFinished);
  EXPECT_THAT(
      before.Changed(),
      ::testing::ElementsAre("acme::(anonymous namespace)::of_this_file (statics_test.cc)",
                             "acme::Use()::in_a_function (statics_test.cc)", "acme::written"));
}

/// In a process that has not looked at its objects yet.
bool IsSharedIfLeftOut() {
  setenv(posix::kSharedStatics, "libinterlock_vis,,libnone", 1);
  std::vector<int> counts;
  Bench bench(2);
  for (int process = 0; process < 2; ++process) {
    bench.ServePosix(process);
    bench.world->Start(process, [&counts] { counts.push_back(visitors::Count()); });
  }
  return bench.world->Run(kHorizon) == StopReason::kFinished && counts[1] == counts[0] + 1 &&
         posix::ObjectsUnderTest().empty() && posix::ObjectsLeftOut().size() == 1 &&
         posix::UnknownObjects() == std::vector<std::string>{"libnone"};
}

TEST(StaticsDeathTest, WhatTheUserLeavesOutIsShared) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(std::exit(IsSharedIfLeftOut() ? 0 : 1), ::testing::ExitedWithCode(0), "");
}

TEST(StaticsTest, TheProgramKeepsItsOwn) {
  const int before = visitors::Count();
  Bench bench(1);
  bench.ServePosix(0);
  bench.world->Start(0, [] { EXPECT_EQ(visitors::Count(), 101); });
  EXPECT_EQ(bench.world->Run(kHorizon), StopReason::kFinished);
  EXPECT_EQ(visitors::Count(), before + 1);
  EXPECT_EQ(visitors::InitialisedIn(), getpid());
}

}  // namespace
}  // namespace interlock::sim
