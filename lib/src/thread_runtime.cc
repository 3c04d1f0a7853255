// SPDX-License-Identifier: MIT
#include <interlock/thread_runtime.h>

#include <pthread.h>
#include <sys/random.h>
#include <time.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <mutex>
#include <string>
#include <thread>
#include <utility>

namespace interlock {
namespace {

MonotonicTime ReadClock() {
  timespec now{};
#if defined(CLOCK_BOOTTIME)
  const int failed = clock_gettime(CLOCK_BOOTTIME, &now);
#else
  const int failed = clock_gettime(CLOCK_MONOTONIC, &now);
#endif
  // Without a clock no lease could ever be known to be over.
  if (failed != 0) std::abort();
  return MonotonicTime(std::chrono::seconds(now.tv_sec) + std::chrono::nanoseconds(now.tv_nsec));
}

class ThreadEvent final : public Event {
 public:
  void Set() override {
    {
      const std::lock_guard<std::mutex> guard(mutex_);
      set_ = true;
      // Notified under the lock, so that a waiter may destroy the event as soon as it sees the
      // flag.
      changed_.notify_all();
    }
  }

  bool IsSet() const override {
    const std::lock_guard<std::mutex> guard(mutex_);
    return set_;
  }

  bool WaitUntil(MonotonicTime deadline) override {
    // The condition variable counts on another clock than ours (it stands still during a suspend),
    // and very late deadlines would overflow it; so it is asked for short stretches and ours
    // decides.
    constexpr Duration kStretch = std::chrono::minutes(1);
    std::unique_lock<std::mutex> lock(mutex_);
    while (!set_) {
      const MonotonicTime now = ReadClock();
      if (now >= deadline) return false;
      changed_.wait_for(lock, std::min(deadline - now, kStretch));
    }
    return true;
  }

 private:
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  bool set_ = false;
};

class ThreadTask final : public Task {
 public:
  ThreadTask(std::string_view name, std::function<void()> body) : thread_(std::move(body)) {
    // A name that the kernel refuses is no reason to fail: it only helps debuggers.
    (void)pthread_setname_np(thread_.native_handle(), std::string(name.substr(0, 15)).c_str());
  }
  ~ThreadTask() override { ThreadTask::Join(); }

  void Join() override {
    const std::lock_guard<std::mutex> guard(mutex_);
    if (thread_.joinable()) thread_.join();
  }

 private:
  std::mutex mutex_;  ///< two joiners of one task must not both join the thread
  std::thread thread_;
};

}  // namespace

MonotonicTime ThreadRuntime::Now() { return ReadClock(); }

std::unique_ptr<Event> ThreadRuntime::NewEvent() { return std::make_unique<ThreadEvent>(); }

std::unique_ptr<Task> ThreadRuntime::Spawn(std::string_view name, std::function<void()> body) {
  return std::make_unique<ThreadTask>(name, std::move(body));
}

void ThreadRuntime::FillRandom(std::span<std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t filled = getrandom(bytes.data(), bytes.size(), 0);
    if (filled > 0) {
      bytes = bytes.subspan(static_cast<std::size_t>(filled));
    } else if (errno != EINTR) {
      // Predictable owner tokens would break every promise; there is nothing to fall back to.
      std::abort();
    }
  }
}

}  // namespace interlock
