// SPDX-License-Identifier: MIT
//
// The choice sources of the strategies. In the simulated world message latencies decide the order
// of most events, and the scheduler only that of simultaneous ones, so a strategy that orders
// clients must choose latencies too.
//
// All are eventually fair: a client held back for ever would look like a lock that never grants, so
// after kFairAfter choices every source continues at random. Determinism: a function of the seed
// and the sequence of queries. Thread safety: one run, one thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "sim/choices.h"

namespace interlock::scenarios {

inline constexpr std::uint64_t kFairAfter = 2000;  // choices

/// Common base of the strategies. Draws at random whatever a strategy leaves open.
class StrategySource : public sim::ChoiceSource {
 public:
  std::uint32_t Draw(sim::Lane lane, std::uint32_t bound) override {
    return random_.Draw(lane, bound);
  }
  bool sees_candidates() const final { return true; }

 protected:
  explicit StrategySource(std::uint64_t seed) : random_(seed), own_(sim::MixSeed(seed, 3)) {}

  /// Counts one choice of task or latency; false once in the fair suffix.
  bool Searching() { return ++choices_ <= kFairAfter; }
  /// Counted from 1.
  std::uint64_t choices() const { return choices_; }
  /// Randomness of the strategy itself.
  std::uint32_t Random(std::uint32_t bound) { return own_.Draw(sim::Lane::kSchedule, bound); }
  /// Estimated length of the run, in choices; see sources.cc.
  std::uint32_t GuessLength();

 private:
  sim::SeededSource random_;
  sim::SeededSource own_;
  std::uint64_t choices_ = 0;
};

/// Stays with the client that ran last, except for one choice in sixteen.
class StickySource final : public StrategySource {
 public:
  explicit StickySource(std::uint64_t seed) : StrategySource(seed) {}
  std::uint32_t PickTask(std::span<const sim::Candidate> candidates) override;

 private:
  int last_process_ = -1;
};

/// PCT: each client has a random priority; the highest goes first, and its messages are the
/// fastest. At depth - 1 random choices, the highest drops below all others.
class PctSource final : public StrategySource {
 public:
  /// REQUIRES: depth >= 1
  PctSource(std::uint64_t seed, int depth);
  std::uint32_t PickTask(std::span<const sim::Candidate> candidates) override;
  std::uint32_t PickLatency(int process, std::uint32_t bound) override;

  /// The choices (counted from 1, ascending, distinct) at which a priority drops.
  const std::vector<std::uint32_t>& change_points() const { return change_points_; }

 private:
  bool AtChangePoint();
  std::uint64_t PriorityOf(int process);
  std::size_t Highest(std::span<const sim::Candidate> candidates);
  void Lower(int process);

  std::uint64_t task_order_;
  std::vector<std::uint32_t> change_points_;
  std::size_t changes_ = 0;
  std::vector<std::uint64_t> priorities_;  // by process
};

/// POS: each pending event has a random priority; the highest goes first, then those racing with it
/// on the same resource get new ones. Message latencies are uniformly random.
class PosSource final : public StrategySource {
 public:
  explicit PosSource(std::uint64_t seed) : StrategySource(seed) {}
  std::uint32_t PickTask(std::span<const sim::Candidate> candidates) override;
  std::uint32_t PickLatency(int process, std::uint32_t bound) override;

 private:
  struct Event {
    std::uint64_t pending = 0;
    std::uint64_t resource = 0;
    std::uint32_t priority = 0;
    bool drawn = false;
  };
  Event& EventOf(const sim::Candidate& candidate);
  std::vector<Event> events_;  // by task
};

/// Calm, except for at most delays() choices, each of which takes any other value.
class DelaySource final : public StrategySource {
 public:
  static constexpr int kMostDelays = 5;

  explicit DelaySource(std::uint64_t seed);
  std::uint32_t PickTask(std::span<const sim::Candidate> candidates) override;
  std::uint32_t PickLatency(int process, std::uint32_t bound) override;

  int delays() const { return static_cast<int>(points_.size()); }

 private:
  std::uint32_t Pick(std::uint32_t bound);
  std::vector<std::uint32_t> points_;  // ascending, distinct
  std::size_t spent_ = 0;
};

}  // namespace interlock::scenarios
