// SPDX-License-Identifier: MIT
//
// The small parts: clocks, timers, hashes, fibers.
#include <gtest/gtest.h>

#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include "sim/choices.h"
#include "sim/clock.h"
#include "sim/faults.h"
#include "sim/fiber.h"
#include "sim/network_memory.h"
#include "sim/timer_queue.h"
#include "sim/trace.h"

namespace interlock::sim {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::seconds;

TEST(ClientClockTest, OffsetAndRateAreExact) {
  const ClientClock clock(seconds(5), 100'000);  // 10 % fast
  EXPECT_EQ(clock.Local(VirtualTime{}), MonotonicTime(seconds(5)));
  EXPECT_EQ(clock.Local(seconds(10)), MonotonicTime(seconds(16)));
  EXPECT_EQ(clock.Local(hours(24 * 365)), MonotonicTime(seconds(5) + hours(24 * 365) / 10 * 11));
}

// Global is the *earliest* moment that shows `local`: one ns before, the clock shows less.
TEST(ClientClockTest, GlobalIsTheEarliestInverse) {
  for (const std::int64_t rate : {-500'000, -333'333, -1, 0, 1, 77'777, 500'000}) {
    const ClientClock clock(seconds(-3), rate);
    for (std::int64_t ns = 1; ns < 4'000'000'000'000; ns = ns * 3 + 7) {
      const MonotonicTime local(Duration(ns) - seconds(3));
      const VirtualTime when = clock.Global(local);
      EXPECT_GE(clock.Local(when), local) << rate << " " << ns;
      EXPECT_LT(clock.Local(when - Duration(1)), local) << rate << " " << ns;
    }
  }
}

TEST(ClientClockTest, NeverAndThePast) {
  const ClientClock clock(seconds(5), -500'000);
  EXPECT_EQ(clock.Global(kNever), VirtualTime::max());
  EXPECT_EQ(clock.Global(kNever - seconds(1)), VirtualTime::max());
  EXPECT_EQ(clock.Global(MonotonicTime(seconds(4))), VirtualTime{});
  EXPECT_EQ(clock.Global(MonotonicTime::min()), VirtualTime{});
}

TEST(TimerQueueTest, FiresByTimeThenByOrderOfAdding) {
  TimerQueue heap;
  std::vector<TimerId> timers;
  for (std::uint32_t i = 0; i < 100; ++i) {
    timers.push_back(heap.Add(milliseconds((i * 37) % 10), {TimerKind::kWake, i}));
  }
  for (std::uint32_t i = 0; i < 100; i += 3) heap.Cancel(timers[i]);
  VirtualTime last{};
  std::uint32_t last_id = 0;
  int fired = 0;
  while (!heap.empty()) {
    const VirtualTime time = heap.next_time();
    const TimerQueue::Timer timer = heap.Pop();
    EXPECT_NE(timer.id % 3, 0u) << "a cancelled timer fired";
    if (time == last && fired > 0) {
      EXPECT_GT(timer.id, last_id);
    }
    EXPECT_GE(time, last);
    last = time;
    last_id = timer.id;
    ++fired;
  }
  EXPECT_EQ(fired, 66);
}

TEST(HashTest, LengthsAndOrderMatter) {
  EXPECT_NE(HashBytes("b", HashBytes("a", 0)), HashBytes("ab", 0));
  EXPECT_NE(HashBytes("", HashBytes("ab", 0)), HashBytes("ab", HashBytes("", 0)));
  EXPECT_NE(HashBytes(std::string(8, '\0'), 0), HashBytes(std::string(9, '\0'), 0));
  EXPECT_NE(HashNumber(1, HashNumber(2, 0)), HashNumber(2, HashNumber(1, 0)));
}

TEST(HashTest, LongWordsHaveTheHashOfTheirBytesWhateverWasAskedBefore) {
  const std::string first(LongWordHashes::kLeast, 'a');
  const std::string second = first.substr(1) + "b";
  LongWordHashes hashes;
  for (int round = 0; round < 2; ++round) {
    for (const std::string& word : {first, second, first + second}) {
      for (const std::uint64_t state : {0U, 1U, 64U}) {
        EXPECT_EQ(hashes.Of(word, state), HashBytes(word, state));
      }
    }
  }
}

TEST(TraceTest, HashIsTheSameWhetherOrNotEventsAreKept) {
  Choices choices = Choices::FromSeed(1);
  Trace kept(true, true, choices);
  Trace lean(false, true, choices);
  for (Trace* trace : {&kept, &lean}) {
    trace->Add(milliseconds(1), 0, TraceKind::kNote, "acquire");
    trace->Annotate(milliseconds(0), -1, TraceKind::kExpired, "key");
    trace->AddLazily(milliseconds(2), 1, TraceKind::kSend, 77, 1,
                     [] { return std::string("GET k"); });
  }
  EXPECT_EQ(kept.hash(), lean.hash());
  ASSERT_EQ(kept.events().size(), 3u);
  EXPECT_EQ(kept.events()[0].text, "key") << "an annotation is sorted in by time";
  EXPECT_TRUE(lean.events().empty());
}

// A step is a hashed event: where a replay is continued or broken off, and where two runs part.
TEST(TraceTest, EveryKeptEventKnowsItsStepItsHashAndTheChoicesBeforeIt) {
  Choices choices = Choices::FromSeed(1);
  Trace trace(true, true, choices);
  std::vector<std::uint64_t> seen;
  trace.CallAt(2, [&] { seen.push_back(trace.hash()); });
  trace.Add(milliseconds(1), 0, TraceKind::kNote, "acquire");
  const std::uint64_t first = trace.hash();
  trace.Annotate(milliseconds(1), -1, TraceKind::kExpired, "key");
  choices.Draw(Lane::kSchedule, 3);
  trace.Add(milliseconds(2), 0, TraceKind::kNote, "release");
  trace.Add(milliseconds(3), 0, TraceKind::kNote, "released");
  ASSERT_EQ(trace.events().size(), 4u);
  EXPECT_EQ(trace.events()[0].step, 1u);
  EXPECT_EQ(trace.events()[0].hash, first);
  EXPECT_EQ(trace.events()[0].draws, 0u);
  EXPECT_EQ(trace.events()[1].step, 0u) << "an annotation is no step";
  EXPECT_EQ(trace.events()[2].step, 2u);
  EXPECT_EQ(trace.events()[2].draws, 1u);
  EXPECT_EQ(trace.events()[3].hash, trace.hash());
  EXPECT_EQ(seen, std::vector<std::uint64_t>{trace.events()[2].hash});
}

TEST(FaultTest, EveryKnownFaultCanBeFoundByItsNumberAndByItsName) {
  std::set<std::string_view> names;
  int before = -1;
  for (const FaultInfo& fault : KnownFaults()) {
    EXPECT_LT(before, static_cast<int>(fault.kind)) << fault.name;
    before = static_cast<int>(fault.kind);
    EXPECT_TRUE(names.insert(fault.name).second) << fault.name;
    EXPECT_EQ(FindFault(fault.kind), &fault);
    EXPECT_EQ(FindFault(fault.name), &fault);
    EXPECT_EQ(ToString(fault.kind), fault.name);
    EXPECT_FALSE(fault.meaning.empty());
    EXPECT_FALSE(fault.incident.empty());
    const bool says_length = fault.meaning.find("`length`") != std::string_view::npos;
    EXPECT_EQ(says_length, fault.length() != FaultLength::kUnused) << fault.name;
  }
  EXPECT_EQ(FindFault("cosmic-ray"), nullptr);
  EXPECT_EQ(FindFault(static_cast<FaultKind>(255)), nullptr);
}

TEST(FaultTest, WhatIsNoticedFitsWhoIsStruck) {
  using enum FaultEffect;
  for (const FaultInfo& fault : KnownFaults()) {
    const bool of_clock = fault.family == FaultFamily::kClock;
    const bool of_servers =
        fault.family == FaultFamily::kServer || fault.family == FaultFamily::kAdmin;
    const bool unserved = fault.effect == kUnserved || fault.effect == kUnservedAndSilent;
    EXPECT_EQ(of_clock, fault.effect == kClockJump || fault.effect == kClockRate) << fault.name;
    EXPECT_EQ(of_servers, unserved || fault.kind == FaultKind::kServerPause) << fault.name;
    EXPECT_EQ(fault.scale == FaultScale::kRate, fault.effect == kClockRate) << fault.name;
  }
}

struct Ping {
  Fiber fiber;
  int count = 0;
  bool destroyed = false;
  std::vector<int> caught;
};

TEST(FiberTest, SwitchesBackAndForth) {
  StackPool pool;
  Ping ping;
  ping.fiber.Start(
      pool,
      [](void* argument) {
        auto* self = static_cast<Ping*>(argument);
        for (int i = 0; i < 3; ++i) {
          ++self->count;
          self->fiber.Suspend();
        }
      },
      &ping);
  for (int i = 1; i <= 3; ++i) {
    ping.fiber.Resume();
    EXPECT_EQ(ping.count, i);
    EXPECT_FALSE(ping.fiber.done());
  }
  ping.fiber.Resume();
  EXPECT_TRUE(ping.fiber.done());
}

TEST(FiberTest, StacksAreUsedAgain) {
  StackPool pool;
  for (int i = 0; i < 100; ++i) {
    Fiber fiber;
    fiber.Start(
        pool, [](void*) {}, nullptr);
    fiber.Resume();
  }
  EXPECT_EQ(pool.created(), 1u);
  EXPECT_EQ(pool.available(), 1u);
}

TEST(FiberTest, DestroyingASuspendedFiberUnwindsIt) {
  StackPool pool;
  Ping ping;
  {
    Fiber fiber;
    struct Context {
      Ping* ping;
      Fiber* fiber;
    } context{&ping, &fiber};
    fiber.Start(
        pool,
        [](void* argument) {
          auto* self = static_cast<Context*>(argument);
          struct Guard {
            Ping* ping;
            ~Guard() { ping->destroyed = true; }
          } guard{self->ping};
          self->fiber->Suspend();
          self->ping->count = 1;
        },
        &context);
    fiber.Resume();
    EXPECT_FALSE(ping.destroyed);
  }
  EXPECT_TRUE(ping.destroyed);
  EXPECT_EQ(ping.count, 0);
  EXPECT_EQ(pool.available(), 1u);
}

// Each fiber has its own exceptions in flight: `throw;` rethrows its own after a switch in between.
TEST(FiberTest, ExceptionsInFlightBelongToTheirFiber) {
  StackPool pool;
  Ping pings[2];
  for (int i = 0; i < 2; ++i) {
    pings[i].count = i;
    pings[i].fiber.Start(
        pool,
        [](void* argument) {
          auto* self = static_cast<Ping*>(argument);
          try {
            try {
              throw std::runtime_error(std::to_string(self->count));
            } catch (const std::exception&) {
              self->fiber.Suspend();
              throw;
            }
          } catch (const std::exception& error) {
            self->caught.push_back(std::stoi(error.what()));
          }
        },
        &pings[i]);
    pings[i].fiber.Resume();
  }
  for (Ping& ping : pings) ping.fiber.Resume();
  EXPECT_EQ(pings[0].caught, std::vector<int>{0});
  EXPECT_EQ(pings[1].caught, std::vector<int>{1});
}

TEST(FiberTest, GuardPageIsKnown) {
  StackPool pool;
  char* stack = pool.Acquire();
  EXPECT_TRUE(IsFiberGuardPage(stack - 1));
  EXPECT_FALSE(IsFiberGuardPage(stack));
  EXPECT_FALSE(IsFiberGuardPage(&pool));
  pool.Release(stack);
}

TEST(FiberDeathTest, AnEscapingExceptionEndsTheProgram) {
  EXPECT_DEATH(
      {
        StackPool pool;
        Fiber fiber;
        fiber.Start(
            pool, [](void*) { throw std::runtime_error("oops"); }, nullptr);
        fiber.Resume();
      },
      "an exception escaped a task: oops");
}

}  // namespace
}  // namespace interlock::sim
