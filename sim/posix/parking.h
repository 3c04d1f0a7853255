// SPDX-License-Identifier: MIT
//
// Where the threads of one process wait for each other: each at an address, like Linux' futex(2),
// oldest first. What blocks in the C library's mutexes and condition variables blocks here.
// Internal to sim/posix. Thread safety: none; one world, one OS thread.
#pragma once

#include <cerrno>
#include <cstdint>
#include <limits>
#include <vector>

#include "sim/engine.h"
#include "sim/posix/pace.h"

namespace interlock::sim::posix {

enum class Waking : std::uint8_t { kWoken, kTimedOut, kCancelled };

class Parking {
 public:
  static constexpr int kAll = std::numeric_limits<int>::max();

  Parking(Engine& engine, Process& process)
      : engine_(engine), process_(process), pace_(engine, process) {}

  /// Begins a call that other threads of the process can see: a step, at which faults strike, and
  /// before which one of the others may run. YIELDS. False in teardown, where no call waits.
  bool Begins();
  /// As Begins, but no step, as it waits only for threads that a fault strikes, too. Costs nothing
  /// in a process with one thread.
  bool BeginsAmongThreads();

  /// Waits until Unpark or `deadline`, which may have passed. YIELDS. kCancelled in teardown.
  Waking Park(const void* at, MonotonicTime deadline);
  /// Waits there until `take` says something else than EBUSY, which is returned: whoever is woken
  /// may find that another one was faster. ETIMEDOUT at the deadline, which in teardown is over.
  /// `owner`: returns who has it; null: several.
  template <typename Take, typename Owner>
  int ParkUntilTaken(const void* at, MonotonicTime deadline, const Take& take, const Owner& owner) {
    for (;;) {
      if (const int taken = take(); taken != EBUSY) return taken;
      if (tearing_down() && deadline == kNever) {
        AwaitInTeardown(owner());
      } else if (tearing_down() || Park(at, deadline) == Waking::kTimedOut) {
        return ETIMEDOUT;
      }
    }
  }
  /// Wakes those that wait there, and at most so many. Returns how many.
  int Unpark(const void* at, int most);
  /// How many wait there.
  unsigned CountAt(const void* at) const;
  MonotonicTime After(Duration length) const {
    return AddSaturating(process_.clock.Local(engine_.now()), length);
  }
  /// The process begins anew.
  void Forget() { parked_.clear(); }

  /// In teardown: lets others run at some of its calls.
  void YieldInTeardown() { engine_.scheduler.YieldInTeardown(); }

  ScheduledTask* current() const { return engine_.scheduler.current(); }
  bool tearing_down() const { return engine_.scheduler.tearing_down(); }

 private:
  bool LetOthersRun();
  /// The running task needs what `owner` has: it waits, or ends for good if that one has ended.
  void AwaitInTeardown(const ScheduledTask* owner);

  struct Parked {
    const void* at;
    ScheduledTask* task;
  };

  Engine& engine_;
  Process& process_;
  Pace pace_;
  std::vector<Parked> parked_;
};

}  // namespace interlock::sim::posix
