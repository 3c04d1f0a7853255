// SPDX-License-Identifier: MIT
//
// Steps that need not be taken now, because they were taken earlier and commute with all that has
// happened since: where two clients do what does not concern the other, one order is enough
// (Godefroid's sleep sets). Two steps commute by what they have done, not by what they are: see
// sim/redis/footprint.h. Thread safety: none.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "sim/redis/footprint.h"
#include "sim/world_probe.h"

namespace interlock::scenarios {

/// A step without faults, known by the task that takes it: what a task does next depends on its
/// state alone.
struct Sleeper {
  sim::ReadyTask task;
  sim::redis::Footprint footprint;
};

class SleepSet {
 public:
  void Add(Sleeper sleeper) { sleepers_.push_back(std::move(sleeper)); }
  bool Has(const sim::ReadyTask& task) const;
  /// This step has been taken: tasks that depend on it are asleep no more.
  void Wake(const sim::ReadyTask& task, const sim::redis::Footprint& footprint);
  /// The bits of those that have one; `ranks`: see World::Fingerprint.
  std::uint64_t Mask(const std::vector<int>& ranks) const;
  /// Keeps those with one of these bits.
  void Keep(std::uint64_t mask, const std::vector<int>& ranks);

  const std::vector<Sleeper>& sleepers() const { return sleepers_; }

 private:
  std::vector<Sleeper> sleepers_;
};

/// Names a task in a state, whatever its process is called there; 0: it has no bit.
std::uint64_t BitOf(const sim::ReadyTask& task, const std::vector<int>& ranks);

}  // namespace interlock::scenarios
