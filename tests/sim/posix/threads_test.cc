// SPDX-License-Identifier: MIT
//
// Threads of a simulated process, by what the C++ library makes of them.
#include <dlfcn.h>
#include <hiredis/hiredis.h>
#include <pthread.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/posix/sanitizers.h"
#include "tests/sim/posix/one_process.h"

namespace interlock::sim {
namespace {

using std::chrono::hours;

/// In how many of so many worlds, each with another schedule, `main` says yes.
int CountRuns(int runs, const std::function<bool()>& main) {
  int yes = 0;
  for (int seed = 0; seed < runs; ++seed) {
    Bench bench(1, {}, Bench::Exact(), Choices::FromSeed(static_cast<std::uint64_t>(seed) + 1));
    RunOne(bench, [&] { yes += main() ? 1 : 0; });
  }
  return yes;
}

TEST(PosixThreadTest, JoiningWaitsForTheEndInVirtualTime) {
  RunOne([] {
    const auto before = std::chrono::steady_clock::now();
    std::thread thread([] { std::this_thread::sleep_for(hours(1)); });
    EXPECT_NE(thread.get_id(), std::this_thread::get_id());
    thread.join();
    EXPECT_GE(std::chrono::steady_clock::now() - before, hours(1));
  });
}

TEST(PosixThreadTest, AThreadGivesItsResultToOneJoinerOnly) {
  RunOne([] {
    pthread_t thread{};
    void* result = nullptr;
    int answer = 0;
    const auto body = [](void* into) -> void* { pthread_exit(into); };
    ASSERT_EQ(pthread_create(&thread, nullptr, body, &answer), 0);
    EXPECT_EQ(pthread_join(thread, &result), 0);
    EXPECT_EQ(result, &answer);
    EXPECT_EQ(pthread_join(thread, &result), EINVAL);
    EXPECT_EQ(pthread_join(pthread_self(), &result), ESRCH);
    EXPECT_EQ(pthread_join(thread + 100, &result), ESRCH);
  });
}

// The read and the write of a counter without a lock: some schedules lose an increment, if a
// thread is switched in between; with a mutex none does.
TEST(PosixThreadTest, TheOrderOfThreadsIsDrawn) {
  const auto count = [](bool locked) {
    int counter = 0;
    std::mutex mutex;
    std::mutex other;
    const auto increment = [&] {
      std::unique_lock<std::mutex> lock(mutex, std::defer_lock);
      if (locked) lock.lock();
      const int read = counter;
      { const std::lock_guard<std::mutex> switches_here(other); }
      counter = read + 1;
    };
    std::thread first(increment);
    std::thread second(increment);
    first.join();
    second.join();
    return counter == 1;
  };
  const int lost = CountRuns(200, [&] { return count(false); });
  EXPECT_GT(lost, 0);
  EXPECT_LT(lost, 200);
  EXPECT_EQ(CountRuns(200, [&] { return count(true); }), 0);
}

std::vector<int> destroyed_locals;

struct Noted {
  ~Noted() { destroyed_locals.push_back(number); }
  int number = 7;
};

thread_local Noted noted;
thread_local int plain = 5;

TEST(PosixThreadTest, EachThreadHasThreadLocalsOfItsOwn) {
  destroyed_locals.clear();
  RunOne([] {
    noted.number = 1;
    plain = 1;
    std::thread other([] {
      EXPECT_EQ(noted.number, 7);
      EXPECT_EQ(plain, 5);
      noted.number = 2;
      plain = 2;
      std::this_thread::sleep_for(seconds(2));
      EXPECT_EQ(noted.number, 2);
      EXPECT_EQ(plain, 2);
    });
    std::this_thread::sleep_for(seconds(1));
    EXPECT_EQ(noted.number, 1);
    EXPECT_EQ(plain, 1);
    other.join();
  });
  EXPECT_THAT(destroyed_locals, ::testing::ElementsAre(2, 1));
}

TEST(PosixThreadTest, ALibraryThatIsClosedStaysUntilItsThreadLocalsAreDestroyed) {
  int ends = 0;
  RunOne([&ends] {
    std::thread([&ends] {
      void* const late = dlopen(INTERLOCK_LATE_OBJECT, RTLD_NOW);
      ASSERT_NE(late, nullptr);
      reinterpret_cast<void (*)(int*)>(dlsym(late, "InterlockLateCountEnds"))(&ends);
      dlclose(late);
      EXPECT_EQ(ends, 0);
    }).join();
  });
  EXPECT_EQ(ends, 1);
  EXPECT_EQ(dlopen(INTERLOCK_LATE_OBJECT, RTLD_NOW | RTLD_NOLOAD), nullptr) << "no longer";
}

// The allocator's caches of freed blocks are thread_local variables, too, but those of the heap. An
// OS thread has a cache of its own, so these share one in each mode.
TEST(PosixThreadTest, ABlockThatOneThreadFreedIsTheNextOneOfAnother) {
  if (posix::kWithAsan) GTEST_SKIP() << "its heap keeps freed blocks back";
  Bench bench(1);
  bench.world->ServePosix(0);
  bench.world->Start(0, [] {
    constexpr std::size_t kRare = 9000;
    std::uintptr_t freed = 0;
    const auto use = [&freed] {
      void* const block = std::malloc(kRare);
      const auto at = reinterpret_cast<std::uintptr_t>(block);
      EXPECT_TRUE(freed == 0 || at == freed);
      freed = at;
      std::free(block);
    };
    use();
    std::thread other(use);
    other.join();
  });
  EXPECT_EQ(bench.world->Run(kHorizon), StopReason::kFinished);
}

TEST(PosixThreadTest, EachThreadHasItsErrno) {
  RunOne([] {
    errno = EDOM;
    std::thread other([] {
      EXPECT_EQ(errno, 0);
      errno = ERANGE;
    });
    other.join();
    EXPECT_EQ(errno, EDOM);
  });
}

TEST(PosixThreadTest, KeysHaveAValuePerThreadAndADestructor) {
  static int destroyed = 0;
  destroyed = 0;
  RunOne([] {
    pthread_key_t key{};
    ASSERT_EQ(pthread_key_create(&key, [](void* value) { destroyed += *static_cast<int*>(value); }),
              0);
    int one = 1;
    EXPECT_EQ(pthread_setspecific(key, &one), 0);
    std::thread other([key] {
      static int ten = 10;
      EXPECT_EQ(pthread_getspecific(key), nullptr);
      EXPECT_EQ(pthread_setspecific(key, &ten), 0);
    });
    other.join();
    EXPECT_EQ(destroyed, 10);
    EXPECT_EQ(pthread_getspecific(key), &one);
    ASSERT_EQ(pthread_key_delete(key), 0);
    pthread_key_t next{};
    ASSERT_EQ(pthread_key_create(&next, nullptr), 0);
    EXPECT_EQ(next, key) << "the test shows nothing, as the place was not used again";
    EXPECT_EQ(pthread_getspecific(next), nullptr);
    pthread_key_delete(next);
  });
}

// Where they stand: what they hold is not given back, and what they wait for never comes.
TEST(PosixThreadTest, ACrashEndsAllThreadsOfTheProcess) {
  int crashes = 0;
  for (int step = 0; step < 60; ++step) {
    Bench bench(1, {{.kind = FaultKind::kCrash, .step = step}});
    bench.ServePosix(0);
    std::vector<VirtualTime> ticks;
    bench.world->Start(0, [&] {
      std::mutex mutex;
      std::condition_variable never;
      std::thread ticking([&] {
        for (int i = 0; i < 20; ++i) {
          std::this_thread::sleep_for(seconds(1));
          const std::lock_guard<std::mutex> lock(mutex);
          ticks.push_back(bench.world->now());
        }
        never.notify_all();
      });
      std::unique_lock<std::mutex> lock(mutex);
      never.wait(lock);
      lock.unlock();
      ticking.join();
    });
    EXPECT_EQ(bench.world->Run(kHorizon), StopReason::kFinished) << step;
    if (bench.world->crashed(0)) {
      ++crashes;
      const VirtualTime last = ticks.empty() ? VirtualTime{} : ticks.back();
      EXPECT_LE(last, bench.observer.fault_times.front()) << step;
      EXPECT_GE(last + seconds(1), bench.observer.fault_times.front()) << step;
    } else {
      EXPECT_EQ(ticks.size(), 20U);
    }
    bench.TearDown();
  }
  EXPECT_GT(crashes, 20);
}

TEST(PosixThreadTest, SeveralThreadsWaitForOneDescriptor) {
  RunOne([] {
    const int event = ::eventfd(0, EFD_SEMAPHORE);
    int taken = 0;
    std::vector<std::thread> readers;
    for (int i = 0; i < 3; ++i) {
      readers.emplace_back([&] {
        for (int j = 0; j < 2; ++j) {
          std::uint64_t one = 0;
          EXPECT_EQ(::read(event, &one, sizeof(one)), 8);
          ++taken;
        }
      });
    }
    for (int i = 0; i < 6; ++i) {
      std::this_thread::sleep_for(seconds(1));
      const std::uint64_t one = 1;
      EXPECT_EQ(::write(event, &one, sizeof(one)), 8);
    }
    for (std::thread& reader : readers) reader.join();
    EXPECT_EQ(taken, 6);
    ::close(event);
  });
}

// A loop that never ends is usual for a thread that nobody joins.
TEST(PosixThreadTest, ADetachedThreadEndsWithItsWorld) {
  Bench bench(1);
  bench.ServePosix(0);
  int turns = 0;
  bench.world->Start(0, [&turns] {
    std::thread([&turns] {
      for (;; ++turns) std::this_thread::sleep_for(seconds(1));
    }).detach();
    pthread_exit(nullptr);
  });
  EXPECT_EQ(bench.world->Run(seconds(20)), StopReason::kTime);
  const int before = turns;
  EXPECT_GE(before, 19);
  bench.TearDown();
  // It is ended by the number of its calls; each of them returns at once.
  EXPECT_GT(turns, before);
}

// As exit(3) has it: no thread goes on, and the connections are closed.
TEST(PosixThreadTest, WhenTheFirstThreadReturnsTheProcessEnds) {
  Bench bench(2);
  bench.ServePosix(0);
  int turns = 0;
  bench.world->Start(0, [&turns] {
    redisContext* const left_open = redisConnect("redis", 6379);
    ASSERT_NE(left_open, nullptr);
    freeReplyObject(redisCommand(left_open, "CLIENT SETNAME left-open"));
    std::thread([&turns] {
      for (;; ++turns) std::this_thread::sleep_for(seconds(1));
    }).detach();
    std::this_thread::sleep_for(milliseconds(3500));
  });
  std::string clients;
  bench.world->Start(1, [&] {
    bench.Sleep(1, seconds(10));
    const auto connection = bench.Connect(1);
    clients = Call(*connection, {"CLIENT", "LIST"})->text;
  });
  EXPECT_EQ(bench.world->Run(kHorizon), StopReason::kFinished);
  EXPECT_EQ(turns, 3);
  EXPECT_THAT(clients, ::testing::Not(::testing::HasSubstr("left-open")));
  bench.TearDown();
}

// The thread that ends the process by returning may instead end alone.
TEST(PosixThreadTest, TheFirstThreadMayExitBeforeTheOthers) {
  bool ended = false;
  RunOne([&ended] {
    std::thread([&ended] {
      std::this_thread::sleep_for(seconds(1));
      ended = true;
    }).detach();
    pthread_exit(nullptr);
  });
  EXPECT_TRUE(ended);
}

TEST(PosixThreadTest, ADeadlockIsSeenAndNamed) {
  Bench bench(1);
  bench.ServePosix(0);
  bench.world->Start(0, [] {
    std::mutex mutex;
    mutex.lock();
    mutex.lock();
  });
  EXPECT_EQ(bench.world->Run(kHorizon), StopReason::kIdle);
  EXPECT_THAT(bench.world->PendingTasks(),
              ::testing::ElementsAre(::testing::HasSubstr("another thread without a deadline")));
}

}  // namespace
}  // namespace interlock::sim
