// SPDX-License-Identifier: MIT
//
// What tells one simulated process from another in the eyes of its code: its number, the name of
// its host, and its random bytes. Internal to sim/posix. Thread safety: none.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "sim/process.h"

namespace interlock::sim::posix {

class Identity {
 public:
  explicit Identity(Process& process) : process_(process) {}

  /// Differs from those of all other processes, and of its own earlier incarnations unless
  /// FaultKind::kRestartSameIdentity began this one.
  int ProcessId() const;
  /// As gettid(2): that of the process in its first thread. `ordinal`: of the running task.
  int ThreadId(std::uint32_t ordinal) const;
  /// Each client is on a host of its own.
  std::string HostName() const;
  /// See SimRuntime::FillRandom.
  void FillRandom(std::span<std::byte> bytes) { process_.runtime->FillRandom(bytes); }
  /// rand(3) and random(3), which are the same on Linux: a sequence that a seed determines.
  long Rand();
  void SeedRand(unsigned seed) { seed_ = seed; }
  /// The process begins anew.
  void Forget();

 private:
  static constexpr unsigned kFirstSeed = 1;  // C11, 7.22.2.2

  Process& process_;
  int incarnation_ = 0;
  unsigned seed_ = kFirstSeed;
};

}  // namespace interlock::sim::posix
