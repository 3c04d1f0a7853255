// SPDX-License-Identifier: MIT
//
// Programs of Debian's with a clock that stands still until it is moved.
#include "sim/machine/virtual_clock.h"

#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <string>
#include <thread>

#include "sim/machine/stillness.h"

namespace interlock::sim::machine {
namespace {

using std::chrono::milliseconds;

class VirtualClockTest : public ::testing::Test {
 protected:
  void SetUp() override {
    auto made = sim::machine::VirtualClock::Make({1});
    ASSERT_TRUE(made.ok()) << made.status().message();
    clock_ = *std::move(made);
  }

  void Start(const std::string& script) {
    auto started = sim::machine::ForeignProcess::Start({"/usr/bin/python3", "-c", script},
                                                       clock_->EnvironmentOf(0));
    ASSERT_TRUE(started.ok()) << started.status().message();
    process_ = *std::move(started);
  }

  /// Until it stands still and a thread of it waits for a time; nullopt: it has ended. While a
  /// thread runs, another may wait for its turn only (in Python, 5 ms for the interpreter's lock).
  std::optional<std::int64_t> NextWake() {
    stillness_.Forget();
    for (;;) {
      if (process_->ended()) return std::nullopt;
      // In this order: who has not noticed yet that its time has come naps for all one sees.
      if (!clock_->IsWaking(0) &&
          stillness_.Look(*process_, Sign::kNone, clock_->NappingOf(0), kApart)) {
        if (const auto wake_us = clock_->NextWakeUs(0))
          return *wake_us - sim::machine::VirtualClock::kEpochUs;
      }
      std::this_thread::sleep_for(milliseconds(1));
    }
  }

  /// Leads it from one moment at which it wakes up to the next, until it ends; the last one.
  std::int64_t RunToEnd() {
    std::int64_t last_us = 0;
    while (const auto wake_us = NextWake()) {
      last_us = *wake_us;
      clock_->SetTime(sim::machine::VirtualClock::kEpochUs + last_us);
    }
    EXPECT_EQ(process_->exit_code(), 0) << process_->OutputTail(2'000);
    return last_us;
  }

  static constexpr milliseconds kApart{3};  // between two looks

  std::unique_ptr<sim::machine::VirtualClock> clock_;
  sim::machine::Stillness stillness_;
  std::unique_ptr<sim::machine::ForeignProcess> process_;
};

TEST_F(VirtualClockTest, AProgramThatSleepsForAnHourIsThereAtOnce) {
  Start("import time; time.sleep(3600)");
  EXPECT_EQ(RunToEnd(), 3'600'000'001);
}

TEST_F(VirtualClockTest, WhatItReadsIsWhatItIsTold) {
  Start(
      "import time; b = time.monotonic(); time.sleep(1.5); assert time.monotonic() - b < 1.6; "
      "assert 1800000001 < time.time() < 1800000002, time.time()");
  RunToEnd();
}

TEST_F(VirtualClockTest, WhoWaitsForFilesWakesUpToo) {
  Start(
      "import select, os; r, w = os.pipe(); select.select([r], [], [], 5); "
      "p = select.poll(); p.register(r); assert p.poll(1000) == []; "
      "e = select.epoll(); e.register(r); assert e.poll(2) == []; "
      "os.write(w, b'x'); assert e.poll(100)");
  EXPECT_EQ(RunToEnd(), 8'000'003);
}

TEST_F(VirtualClockTest, WhoWaitsForAThreadWakesUpToo) {
  Start(
      "import threading; e = threading.Event(); assert not e.wait(7); "
      "threading.Timer(2, e.set).start(); assert e.wait(100)");
  EXPECT_EQ(RunToEnd(), 9'000'002);
}

TEST_F(VirtualClockTest, ItsRandomNumbersAreTheSameInEachRun) {
  const std::string script = "import os, random; print(os.urandom(8).hex(), random.random())";
  Start(script);
  RunToEnd();
  const std::string first = process_->OutputTail(200);
  SetUp();
  Start(script);
  RunToEnd();
  EXPECT_EQ(process_->OutputTail(200), first);
}

TEST_F(VirtualClockTest, ReadingsOfTheTimeOfDayDiffer) {
  Start(
      "import time; t = [time.time_ns() // 1000 for _ in range(10)]; assert len(set(t)) == 10; "
      "assert t == sorted(t)");
  RunToEnd();
}

TEST_F(VirtualClockTest, WhoDoesNothingButAskForTheTimeIsSeen) {
  Start("import time\nwhile time.time() < 1800000000.001: pass");
  while (!clock_->Spins(0)) std::this_thread::sleep_for(milliseconds(1));
  clock_->SetTime(sim::machine::VirtualClock::kEpochUs + 2'000);
  RunToEnd();
}

TEST_F(VirtualClockTest, ChildrenHaveTheSameClock) {
  Start("import os, time\nif os.fork() == 0: time.sleep(3); os._exit(0)\nos.wait()");
  EXPECT_EQ(RunToEnd(), 3'000'001);
  Start("import subprocess; subprocess.run(['sleep', '4'], check=True)");
  EXPECT_EQ(RunToEnd(), 7'000'002);
}

TEST_F(VirtualClockTest, AProgramIsKnownByItsLibrary) {
  Start("import time; time.sleep(1)");
  NextWake();
  EXPECT_TRUE(process_->HasMapped(sim::machine::VirtualClock::kLibrary));
  EXPECT_FALSE(process_->HasMapped("no such library"));
}

TEST_F(VirtualClockTest, ATimeOfDayOfItsOwnLeavesTheMonotonicClockAlone) {
  clock_->ShiftWallClock(0, 60'000'000, 100'000);
  Start(R"(
import time
began, day = time.monotonic(), time.time()
assert 1_800_000_059 < day < 1_800_000_061, day
time.sleep(10)
assert 9.9 < time.monotonic() - began < 10.1
assert 10.9 < time.time() - day < 11.1, time.time() - day
)");
  EXPECT_NEAR(static_cast<double>(RunToEnd()), 10e6, 1e5);
}

TEST(SharedClockTest, ATimeOfDayIsFoundAgain) {
  SharedClock clock;
  clock.wall_since_ns = kBootNs;
  clock.wall_offset_ns = -5'000'000'000;
  clock.wall_rate_ppm = -100'000;
  const std::int64_t now_ns = kBootNs + 1'000'000'007'000'000;
  EXPECT_NEAR(static_cast<double>(TrueNs(clock, WallNs(clock, now_ns)) - now_ns), 0, 10);
  EXPECT_EQ(TrueNs(clock, kNoWakeUp), kNoWakeUp);
}

}  // namespace
}  // namespace interlock::sim::machine
