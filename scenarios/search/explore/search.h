// SPDX-License-Identifier: MIT
//
// One exploration within one set of bounds, by several threads. Internal to explore/.
#pragma once

#include <atomic>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "scenarios/search/explore/exhaustive.h"
#include "scenarios/search/explore/explored_run.h"
#include "scenarios/search/explore/frontier.h"
#include "scenarios/search/explore/visited.h"
#include "sim/universe.h"

namespace interlock::scenarios {

class Search {
 public:
  /// `judged`: the properties whose violations count. `stop_at_first`: stop at the first one
  /// instead of finding the smallest.
  Search(const ExploreOptions& options, const Bounds& bounds, std::vector<Judged> judged,
         bool stop_at_first);

  /// Works until all is done, `deadline` is reached, or it is stopped.
  void Run(std::optional<std::chrono::steady_clock::time_point> deadline);
  /// Walks random paths, on which every state must have been visited. REQUIRES: complete.
  void Audit(std::uint64_t paths);

  const Exploration& result() const { return result_; }

  /// For checkpoints; use only while it is not running.
  struct Saved {
    std::vector<Visited::State> visited;
    std::vector<Prefix> left;
    Exploration result;
  };
  Saved Save() const;
  void Restore(Saved saved);

 private:
  /// A random path: its number of states, how many of them were new, and the clients' outcome if it
  /// reached its end.
  struct Wandered {
    std::uint64_t states = 0;
    std::uint64_t strange = 0;
    std::string outcome;
  };
  void Work();
  void WalkFrom(sim::Universe& universe, const Prefix& prefix);
  void Note(const RunResult& run, const ExploredRun& probe);
  bool EstimateIsDue();
  void Estimate(sim::Universe& universe);
  Wandered Wander(sim::Universe& universe, std::uint64_t seed);
  void Consider(sim::Universe& universe, const RunResult& run, sim::Choices& choices, int faults);
  bool Stopped() const;

  const ExploreOptions& options_;
  ExploredCase explored_;
  const std::vector<Judged> judged_;
  const bool stop_at_first_;
  Visited visited_;
  std::optional<Frontier> frontier_;
  std::vector<Prefix> left_;
  std::optional<std::chrono::steady_clock::time_point> deadline_;
  std::mutex mutex_;  // guards result_
  Exploration result_;
  std::uint64_t next_estimate_ = 256;
  std::atomic<bool> ended_{false};
};

}  // namespace interlock::scenarios
