// SPDX-License-Identifier: MIT
#include "scenarios/run/parallel.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>
#include <vector>

#include "scenarios/run/guard.h"

namespace interlock::scenarios {

void InParallel(int jobs, std::size_t count, const std::function<Piece()>& new_piece,
                const std::function<void()>& tick) {
  std::atomic<std::size_t> next{0};
  std::mutex mutex;
  std::condition_variable all_done;
  int running = std::max(1, jobs);
  std::vector<std::thread> threads;
  for (int i = 0; i < std::max(1, jobs); ++i) {
    threads.emplace_back([&] {
      const GuardedThread guarded;
      {
        const Piece piece = new_piece();
        for (std::size_t index = next++; index < count; index = next++) piece(index);
      }
      const std::lock_guard lock(mutex);
      if (--running == 0) all_done.notify_all();
    });
  }
  {
    std::unique_lock lock(mutex);
    while (!all_done.wait_for(lock, std::chrono::milliseconds(100), [&] { return running == 0; })) {
      lock.unlock();
      tick();
      lock.lock();
    }
  }
  for (std::thread& thread : threads) thread.join();
}

}  // namespace interlock::scenarios
