// SPDX-License-Identifier: MIT
#include "sim/sim_runtime.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <string>
#include <utility>

namespace interlock::sim {

namespace {

enum SeenOfRuntime : std::uint64_t { kClockRead = 1, kWasSet, kWasNotSet };

// Fewer bytes are not a token, but perhaps a random length of time.
constexpr std::size_t kLeastToken = 8;

}  // namespace

void SimEvent::Set() {
  if (set_) return;
  set_ = true;
  while (ScheduledTask* waiter = waiters_.PopFront()) engine_.scheduler.MakeReady(waiter);
}

bool SimEvent::WaitUntil(MonotonicTime deadline) {
  Scheduler& scheduler = engine_.scheduler;
  if (!engine_.Step(process_, StepKind::kWait)) {
    scheduler.YieldInTeardown();
    return set_;
  }
  if (set_) {
    scheduler.YieldPoint();
    return true;
  }
  if (engine_.Reached(process_, deadline)) {
    scheduler.Yield();
    return set_;
  }
  while (!set_ && !engine_.Reached(process_, deadline)) {
    ScheduledTask* self = scheduler.current();
    waiters_.Append(self);
    const bool alive = engine_.Wait(WaitKind::kEvent, process_, deadline);
    waiters_.Remove(self);
    if (!alive) break;
    if (engine_.watched()) engine_.Observe(process_, set_ ? kWasSet : kWasNotSet);
  }
  return set_;
}

void SimTask::Wait(bool may_throw) {
  Scheduler& scheduler = engine_.scheduler;
  // Outside tasks nothing could run the task that is waited for.
  const bool waits = scheduler.current() != nullptr;
  if (task_->state == ScheduledTask::State::kDone || !waits) return;
  if (may_throw || !scheduler.tearing_down()) engine_.Step(process_, StepKind::kWait);
  engine_.Join(process_, *task_, kNever, may_throw);
}

MonotonicTime SimRuntime::Now() {
  engine_.Step(process_, StepKind::kClock);
  if (engine_.watched() && engine_.scheduler.current() != nullptr) {
    engine_.Observe(process_, kClockRead);
  }
  return process_.clock.Local(engine_.now());
}

std::unique_ptr<Event> SimRuntime::NewEvent() {
  return std::unique_ptr<Event>(new (engine_.blocks()) SimEvent(engine_, process_));
}

std::unique_ptr<Task> SimRuntime::Spawn(std::string_view name, std::function<void()> body) {
  ScheduledTask* task =
      engine_.scheduler.AddTask(process_.id, std::string(name), std::move(body), engine_.now());
  return std::unique_ptr<Task>(new (engine_.blocks()) SimTask(engine_, process_, task));
}

void SimRuntime::FillRandom(std::span<std::byte> bytes) {
  // What code draws as it was compiled may be part of a token, however short.
  const bool token = bytes.size() >= kLeastToken || process_.library != nullptr;
  // In an instant world processes may be interchangeable, so a random length of time must not tell
  // them apart.
  const bool anonymous = engine_.instant() && !token;
  const std::span<std::byte> all = bytes;
  while (!bytes.empty()) {
    // The first word is a bijection of (source, count) for one seed, so only a fault makes it
    // repeat.
    const std::uint64_t block =
        (static_cast<std::uint64_t>(anonymous ? 0x7fff : process_.random_source) << 40) |
        process_.random_blocks++;
    const std::uint64_t base = MixSeed(engine_.options.entropy_seed, 0);
    std::uint64_t first = block + base;
    first = (first ^ (first >> 30)) * 0xbf58476d1ce4e5b9;
    first = (first ^ (first >> 27)) * 0x94d049bb133111eb;
    first ^= first >> 31;
    std::uint64_t words[2] = {first, MixSeed(first, base)};
    if constexpr (std::endian::native == std::endian::big) {
      for (std::uint64_t& word : words) word = __builtin_bswap64(word);
    }
    const std::size_t size = std::min(bytes.size(), sizeof(words));
    std::memcpy(bytes.data(), words, size);
    bytes = bytes.subspan(size);
  }
  if (token && !all.empty()) all.back() ^= std::byte{process_.random_twist};
  if (engine_.watched()) {
    engine_.names.Learn(process_.id, {reinterpret_cast<const char*>(all.data()), all.size()});
  }
}

}  // namespace interlock::sim
