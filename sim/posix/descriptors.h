// SPDX-License-Identifier: MIT
//
// The open descriptors of one process, and waiting for them, as poll(2) does it. Numbers begin at
// kFirst, the lowest free one first; what is below, such as standard error, is the program's own.
// Internal to sim/posix. Thread safety: none; one world, one OS thread.
#pragma once

#include <poll.h>

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "sim/engine.h"
#include "sim/posix/pollable.h"

namespace interlock::sim::posix {

class Descriptors {
 public:
  /// Leaves room for select, whose sets end at 1024.
  static constexpr int kFirst = 512;

  Descriptors(Engine& engine, Process& process) : engine_(engine), process_(process) {}

  static bool Owns(int descriptor) { return descriptor >= kFirst; }

  /// null: it is not open. A call keeps what it uses: another task may close it meanwhile, and a
  /// dead task lives until teardown.
  std::shared_ptr<Pollable> Find(int descriptor) const;
  int Add(std::shared_ptr<Pollable> one);
  /// False: it is not open.
  bool Close(int descriptor);
  void Forget() { open_.clear(); }

  /// How many are ready, or -ECANCELED in teardown. YIELDS.
  int Poll(std::span<pollfd> entries, MonotonicTime deadline);
  /// Waits until one of them may be ready. Whoever else holds them may let them go. YIELDS.
  void AwaitAny(std::span<const std::weak_ptr<Pollable>> awaited, MonotonicTime deadline);

 private:
  int CountReady(std::span<pollfd> entries);

  Engine& engine_;
  Process& process_;
  std::vector<std::shared_ptr<Pollable>> open_;
};

}  // namespace interlock::sim::posix
