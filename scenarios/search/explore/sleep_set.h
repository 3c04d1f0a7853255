// SPDX-License-Identifier: MIT
//
// Steps to skip because they were taken earlier and commute with everything since: when two
// clients' steps are independent, one order is enough (Godefroid's sleep sets). Two steps commute
// by what they did, not by what they are: see sim/redis/footprint.h. Thread safety: none.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/redis/footprint.h"
#include "sim/world_probe.h"

namespace interlock::scenarios {

/// A step without faults, identified by its task: what a task does next depends on its state alone.
struct Sleeper {
  sim::ReadyTask task;
  sim::redis::Footprint footprint;
};

class SleepSet {
 public:
  void Add(Sleeper sleeper) { sleepers_.push_back(std::move(sleeper)); }
  bool Has(const sim::ReadyTask& task) const;
  /// This step was taken: wakes tasks that depend on it.
  void Wake(const sim::ReadyTask& task, const sim::redis::Footprint& footprint);
  /// The bits of the sleepers that have one; `ranks`: see World::Fingerprint.
  std::uint64_t Mask(const std::vector<int>& ranks) const;
  /// Keeps only sleepers with one of these bits.
  void Keep(std::uint64_t mask, const std::vector<int>& ranks);

  const std::vector<Sleeper>& sleepers() const { return sleepers_; }

 private:
  std::vector<Sleeper> sleepers_;
};

/// Identifies a task in a state independently of its process number; 0: it has no bit.
std::uint64_t BitOf(const sim::ReadyTask& task, const std::vector<int>& ranks);

}  // namespace interlock::scenarios
