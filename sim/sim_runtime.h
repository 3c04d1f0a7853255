// SPDX-License-Identifier: MIT
//
// The Runtime of one simulated process. Objects made by it must not outlive the World; outside its
// tasks (before and after Run) only Event::Set has an effect, and nothing waits. Thread safety:
// none; one world, one OS thread.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <string_view>

#include <interlock/runtime.h>

#include "sim/engine.h"
#include "sim/pooled.h"

namespace interlock::sim {

class SimEvent final : public Event, public Pooled {
 public:
  SimEvent(Engine& engine, Process& process) : engine_(engine), process_(process) {}
  void Set() override;
  bool IsSet() const override { return set_; }
  /// In teardown returns at once.
  bool WaitUntil(MonotonicTime deadline) override;

 private:
  Engine& engine_;
  Process& process_;
  bool set_ = false;
  WaitList waiters_;
};

class SimTask final : public Task, public Pooled {
 public:
  SimTask(Engine& engine, Process& process, ScheduledTask* task)
      : engine_(engine), process_(process), task_(task) {}
  ~SimTask() override { Wait(/*may_throw=*/false); }
  /// Waits in teardown, too: what the body refers to may end with the caller.
  void Join() override { Wait(/*may_throw=*/true); }

 private:
  void Wait(bool may_throw);
  Engine& engine_;
  Process& process_;
  ScheduledTask* task_;
};

class SimRuntime final : public Runtime, public Pooled {
 public:
  SimRuntime(Engine& engine, Process& process) : engine_(engine), process_(process) {}
  /// The process's own clock. Another task runs meanwhile only if a fault strikes here.
  MonotonicTime Now() override;
  std::unique_ptr<Event> NewEvent() override;
  std::unique_ptr<Task> Spawn(std::string_view name, std::function<void()> body) override;
  /// A function of (entropy seed, process, count of earlier blocks). If 8 or more bytes are
  /// requested at once, the first 8 differ from those of any other call in the world, unless a
  /// fault (kEntropyRepeat, kRestartSameIdentity) repeats them.
  void FillRandom(std::span<std::byte> bytes) override;

 private:
  Engine& engine_;
  Process& process_;
};

}  // namespace interlock::sim
