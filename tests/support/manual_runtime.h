// SPDX-License-Identifier: MIT
//
// A Runtime for tests of one task: time stands still until something waits, and then jumps to the
// deadline. Nothing ever sleeps for real.
//
// Thread safety: none; one thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include <interlock/runtime.h>
#include <interlock/time.h>

namespace interlock::testing {

class ManualRuntime final : public Runtime {
 public:
  MonotonicTime Now() override {
    const MonotonicTime seen = now_;
    if (looks_ > 0 && --looks_ == 0) now_ += pause_;
    return seen;
  }
  /// WaitUntil of an event that is not set advances the clock to the deadline, or to the action
  /// that sets it. REQUIRES: one of both comes.
  std::unique_ptr<Event> NewEvent() override;
  /// Runs `body` to its end before it returns.
  std::unique_ptr<Task> Spawn(std::string_view name, std::function<void()> body) override;
  /// A counter in every 8 bytes: never repeats, the same in every run.
  void FillRandom(std::span<std::byte> bytes) override;

  void Advance(Duration by) { now_ += by; }
  /// Behind the n-th next look at the clock, as if the process stood still there.
  void AdvanceAfterLooks(int looks, Duration by) {
    looks_ = looks;
    pause_ = by;
  }
  /// As if nothing happened meanwhile but what was set for a time before.
  void AdvanceTo(MonotonicTime time);
  /// The same, but no further than to the action that makes `done` true; answers `done()`.
  bool AdvanceTo(MonotonicTime time, const std::function<bool()>& done);
  /// `action` happens when so much time has elapsed, while somebody waits.
  void At(Duration elapsed, std::function<void()> action);
  Duration elapsed() const { return now_ - kStart; }
  /// The length of each wait so far.
  const std::vector<Duration>& waits() const { return waits_; }

 private:
  class ManualEvent;

  /// Far from zero, so that a forgotten epoch shows.
  static constexpr MonotonicTime kStart{std::chrono::hours(1000)};
  MonotonicTime now_ = kStart;
  int looks_ = 0;
  Duration pause_{};
  std::uint64_t counter_ = 0;
  std::vector<Duration> waits_;
  std::multimap<MonotonicTime, std::function<void()>> actions_;
};

}  // namespace interlock::testing
