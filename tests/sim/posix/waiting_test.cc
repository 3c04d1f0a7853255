// SPDX-License-Identifier: MIT
//
// Where threads of a simulated process wait for each other: mutexes, condition variables, rwlocks,
// barriers, and what is built on futexes.
#include <linux/futex.h>
#include <pthread.h>
#include <semaphore.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <future>
#include <mutex>
#include <semaphore>
#include <shared_mutex>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "tests/sim/posix/one_process.h"

namespace interlock::sim {
namespace {

using std::chrono::hours;

TEST(PosixConditionTest, AWaitEndsBySignalOrByDeadlineOfItsClock) {
  RunOne([] {
    std::mutex mutex;
    std::condition_variable changed;
    bool ready = false;
    std::thread other([&] {
      std::this_thread::sleep_for(seconds(5));
      const std::lock_guard<std::mutex> lock(mutex);
      ready = true;
      changed.notify_one();
    });
    std::unique_lock<std::mutex> lock(mutex);
    const auto before = std::chrono::steady_clock::now();
    EXPECT_FALSE(changed.wait_for(lock, seconds(1), [&] { return ready; }));
    EXPECT_EQ(std::chrono::steady_clock::now() - before, seconds(1));
    EXPECT_FALSE(changed.wait_until(lock, std::chrono::system_clock::now() + seconds(1),
                                    [&] { return ready; }));
    EXPECT_EQ(std::chrono::steady_clock::now() - before, seconds(2));
    changed.wait(lock, [&] { return ready; });
    EXPECT_EQ(std::chrono::steady_clock::now() - before, seconds(5));
    lock.unlock();
    other.join();
  });
}

TEST(PosixMutexTest, OfAnyKindKeepsOthersOutAndKnowsItsOwner) {
  RunOne([] {
    std::recursive_mutex recursive;
    std::timed_mutex timed;
    recursive.lock();
    EXPECT_TRUE(recursive.try_lock());
    timed.lock();
    std::thread other([&] {
      EXPECT_FALSE(recursive.try_lock());
      EXPECT_FALSE(timed.try_lock_for(seconds(1)));
      EXPECT_TRUE(timed.try_lock_for(hours(1)));
      timed.unlock();
    });
    std::this_thread::sleep_for(seconds(2));
    timed.unlock();
    other.join();
    recursive.unlock();
    recursive.unlock();
    pthread_mutex_t checked = PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP;
    EXPECT_EQ(pthread_mutex_unlock(&checked), EPERM);
    EXPECT_EQ(pthread_mutex_lock(&checked), 0);
    EXPECT_EQ(pthread_mutex_lock(&checked), EDEADLK);
    EXPECT_EQ(pthread_mutex_unlock(&checked), 0);
  });
}

TEST(PosixMutexTest, SharedByReadersAndNotWithAWriter) {
  RunOne([] {
    std::shared_mutex mutex;
    mutex.lock_shared();
    std::thread reader([&] {
      EXPECT_TRUE(mutex.try_lock_shared());
      EXPECT_FALSE(mutex.try_lock());
      mutex.unlock_shared();
    });
    reader.join();
    bool written = false;
    std::thread writer([&] {
      const std::lock_guard<std::shared_mutex> lock(mutex);
      written = true;
    });
    std::this_thread::sleep_for(seconds(1));
    EXPECT_FALSE(written);
    mutex.unlock_shared();
    writer.join();
    EXPECT_TRUE(written);
  });
}

// A reader that waits behind a writer goes on when the writer gives up.
TEST(PosixMutexTest, AWriterThatGivesUpLetsReadersIn) {
  RunOne([] {
    pthread_rwlockattr_t options{};
    pthread_rwlockattr_init(&options);
    pthread_rwlockattr_setkind_np(&options, PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP);
    pthread_rwlock_t lock{};
    ASSERT_EQ(pthread_rwlock_init(&lock, &options), 0);
    ASSERT_EQ(pthread_rwlock_rdlock(&lock), 0);
    std::thread writer([&lock] {
      timespec deadline{};
      clock_gettime(CLOCK_REALTIME, &deadline);
      deadline.tv_sec += 2;
      EXPECT_EQ(pthread_rwlock_timedwrlock(&lock, &deadline), ETIMEDOUT);
    });
    std::thread reader([&lock] {
      std::this_thread::sleep_for(seconds(1));
      EXPECT_EQ(pthread_rwlock_tryrdlock(&lock), EBUSY);
      EXPECT_EQ(pthread_rwlock_rdlock(&lock), 0);
      EXPECT_EQ(pthread_rwlock_unlock(&lock), 0);
    });
    reader.join();
    writer.join();
  });
}

TEST(PosixFutexTest, AtomicsFuturesAndSemaphoresWaitInVirtualTime) {
  RunOne([] {
    std::atomic<int> word = 0;
    std::counting_semaphore<8> permits(0);
    sem_t semaphore;
    ASSERT_EQ(sem_init(&semaphore, 0, 0), 0);
    auto later = std::async(std::launch::async, [&] {
      std::this_thread::sleep_for(seconds(3));
      word = 1;
      word.notify_all();
      permits.release(2);
      sem_post(&semaphore);
      return 42;
    });
    const auto before = std::chrono::steady_clock::now();
    EXPECT_EQ(later.wait_for(seconds(1)), std::future_status::timeout);
    EXPECT_FALSE(permits.try_acquire_for(seconds(1)));
    word.wait(0);
    permits.acquire();
    EXPECT_EQ(sem_wait(&semaphore), 0);
    EXPECT_EQ(sem_trywait(&semaphore), -1);
    EXPECT_EQ(errno, EAGAIN);
    EXPECT_EQ(later.get(), 42);
    const auto took = std::chrono::steady_clock::now() - before;
    EXPECT_GE(took, seconds(3));
    EXPECT_LT(took, seconds(4));
    sem_destroy(&semaphore);
  });
}

// The C++ library calls it or not as addresses decide.
TEST(PosixFutexTest, WakingNobodyIsNoChoice) {
  Bench bench(1, {}, Bench::Exact(), Choices::FromSeed(1));
  bench.ServePosix(0);
  bench.world->Start(0, [] {
    std::thread other([] { std::this_thread::yield(); });
    int word = 0;
    for (int i = 0; i < 100; ++i) EXPECT_EQ(syscall(SYS_futex, &word, FUTEX_WAKE, 1, nullptr), 0);
    other.join();
  });
  EXPECT_EQ(bench.world->Run(kHorizon), StopReason::kFinished);
  EXPECT_LT(bench.choices.draws(), 50U);
}

TEST(PosixThreadTest, TheLastToMeetAtABarrierIsTold) {
  RunOne([] {
    pthread_barrier_t barrier{};
    ASSERT_EQ(pthread_barrier_init(&barrier, nullptr, 3), 0);
    int last = 0;
    const auto meet = [&] {
      for (int round = 0; round < 2; ++round) {
        last += pthread_barrier_wait(&barrier) == PTHREAD_BARRIER_SERIAL_THREAD ? 1 : 0;
      }
    };
    std::thread second(meet);
    std::thread third(meet);
    std::this_thread::sleep_for(seconds(1));
    EXPECT_EQ(last, 0);
    meet();
    second.join();
    third.join();
    EXPECT_EQ(last, 2);
    EXPECT_EQ(pthread_barrier_destroy(&barrier), 0);
  });
}

}  // namespace
}  // namespace interlock::sim
