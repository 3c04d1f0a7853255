// SPDX-License-Identifier: MIT
#include "scenarios/cases/sources.h"

#include <algorithm>

namespace interlock::scenarios {
namespace {

constexpr std::uint32_t kStickiness = 16;
constexpr std::uint64_t kInitially = std::uint64_t{1} << 32;  // above every lowered priority
constexpr std::uint32_t kAnyPriority = 0xffffffff;

/// `count` distinct numbers from 1 to `last`, ascending; fewer if there are not that many.
template <typename Random>
std::vector<std::uint32_t> Points(int count, std::uint32_t last, Random random) {
  std::vector<std::uint32_t> points;
  while (points.size() < std::min<std::size_t>(static_cast<std::size_t>(count), last)) {
    const std::uint32_t point = 1 + random(last);
    const auto at = std::lower_bound(points.begin(), points.end(), point);
    if (at == points.end() || *at != point) points.insert(at, point);
  }
  return points;
}

}  // namespace

// Measured over the generated runs of the sound locks: half of them make between 42 and 85 choices,
// one in ten fewer than 28, one in ten more than 116, one in a hundred more than 184; of the 61 at
// the median, at most 4 are choices of a task.
std::uint32_t StrategySource::GuessLength() { return 32U << Random(3); }

std::uint32_t StickySource::PickTask(std::span<const sim::Candidate> candidates) {
  const auto same = std::ranges::find_if(candidates, [&](const sim::Candidate& candidate) {
    return candidate.process == last_process_;
  });
  std::uint32_t pick = 0;
  if (same != candidates.end() && Random(kStickiness) != 0) {
    pick = static_cast<std::uint32_t>(same - candidates.begin());
  } else {
    pick = StrategySource::PickTask(candidates);
  }
  last_process_ = candidates[pick].process;
  return pick;
}

PctSource::PctSource(std::uint64_t seed, int depth)
    : StrategySource(seed), task_order_(sim::MixSeed(seed, 4)) {
  change_points_ =
      Points(depth - 1, GuessLength(), [this](std::uint32_t bound) { return Random(bound); });
}

bool PctSource::AtChangePoint() {
  if (changes_ == change_points_.size() || choices() < change_points_[changes_]) return false;
  ++changes_;
  return true;
}

std::uint64_t PctSource::PriorityOf(int process) {
  const auto index = static_cast<std::size_t>(process);
  while (priorities_.size() <= index) priorities_.push_back(kInitially + Random(kAnyPriority));
  return priorities_[index];
}

void PctSource::Lower(int process) {
  PriorityOf(process);
  priorities_[static_cast<std::size_t>(process)] = change_points_.size() - changes_;
}

std::size_t PctSource::Highest(std::span<const sim::Candidate> candidates) {
  const auto key = [this](const sim::Candidate& candidate) {
    return std::pair(PriorityOf(candidate.process), sim::MixSeed(task_order_, candidate.task));
  };
  const auto highest = std::ranges::max_element(candidates, {}, key);
  return static_cast<std::size_t>(highest - candidates.begin());
}

std::uint32_t PctSource::PickTask(std::span<const sim::Candidate> candidates) {
  if (!Searching()) return StrategySource::PickTask(candidates);
  std::size_t pick = Highest(candidates);
  if (AtChangePoint()) {
    Lower(candidates[pick].process);
    pick = Highest(candidates);
  }
  return static_cast<std::uint32_t>(pick);
}

// The range of latencies is divided into as many bands as there are clients; the client with the
// highest priority gets the first band.
std::uint32_t PctSource::PickLatency(int process, std::uint32_t bound) {
  if (!Searching()) return StrategySource::PickLatency(process, bound);
  if (AtChangePoint()) Lower(process);
  const std::uint64_t own = PriorityOf(process);
  const auto before =
      std::ranges::count_if(priorities_, [own](std::uint64_t other) { return other > own; });
  const std::uint64_t place = static_cast<std::uint64_t>(before) * bound + Random(bound);
  return static_cast<std::uint32_t>(place / priorities_.size());
}

PosSource::Event& PosSource::EventOf(const sim::Candidate& candidate) {
  if (events_.size() <= candidate.task) events_.resize(candidate.task + std::size_t{1});
  Event& event = events_[candidate.task];
  if (!event.drawn || event.pending != candidate.pending) {
    event = {candidate.pending, candidate.resource, Random(kAnyPriority), true};
  }
  return event;
}

std::uint32_t PosSource::PickTask(std::span<const sim::Candidate> candidates) {
  if (!Searching()) return StrategySource::PickTask(candidates);
  std::uint32_t pick = 0;
  for (std::uint32_t i = 1; i < candidates.size(); ++i) {
    const std::uint32_t other = EventOf(candidates[i]).priority;
    if (other > EventOf(candidates[pick]).priority) pick = i;
  }
  const std::uint64_t resource = candidates[pick].resource;
  EventOf(candidates[pick]).drawn = false;
  for (const sim::Candidate& candidate : candidates) {
    if (resource != 0 && candidate.resource == resource) EventOf(candidate).drawn = false;
  }
  return pick;
}

// The world cubes the number drawn here to make short times likelier; the highest of three draws
// compensates.
std::uint32_t PosSource::PickLatency(int process, std::uint32_t bound) {
  if (!Searching()) return StrategySource::PickLatency(process, bound);
  return std::max({Random(bound), Random(bound), Random(bound)});
}

DelaySource::DelaySource(std::uint64_t seed) : StrategySource(seed) {
  const int delays = 1 + static_cast<int>(Random(kMostDelays));
  points_ = Points(delays, GuessLength(), [this](std::uint32_t bound) { return Random(bound); });
}

std::uint32_t DelaySource::Pick(std::uint32_t bound) {
  if (spent_ == points_.size() || choices() < points_[spent_]) return 0;
  ++spent_;
  return 1 + Random(bound - 1);
}

std::uint32_t DelaySource::PickTask(std::span<const sim::Candidate> candidates) {
  if (!Searching()) return StrategySource::PickTask(candidates);
  return Pick(static_cast<std::uint32_t>(candidates.size()));
}

std::uint32_t DelaySource::PickLatency(int process, std::uint32_t bound) {
  if (!Searching()) return StrategySource::PickLatency(process, bound);
  return Pick(bound);
}

}  // namespace interlock::scenarios
