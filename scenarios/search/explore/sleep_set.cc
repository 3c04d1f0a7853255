// SPDX-License-Identifier: MIT
#include "scenarios/search/explore/sleep_set.h"

#include <algorithm>

namespace interlock::scenarios {

bool SleepSet::Has(const sim::ReadyTask& task) const {
  return std::ranges::any_of(sleepers_,
                             [&task](const Sleeper& sleeper) { return sleeper.task == task; });
}

void SleepSet::Wake(const sim::ReadyTask& task, const sim::redis::Footprint& footprint) {
  std::erase_if(sleepers_, [&](const Sleeper& sleeper) {
    return sleeper.task.process == task.process || !Independent(sleeper.footprint, footprint);
  });
}

std::uint64_t SleepSet::Mask(const std::vector<int>& ranks) const {
  std::uint64_t mask = 0;
  for (const Sleeper& sleeper : sleepers_) mask |= BitOf(sleeper.task, ranks);
  return mask;
}

void SleepSet::Keep(std::uint64_t mask, const std::vector<int>& ranks) {
  std::erase_if(sleepers_,
                [&](const Sleeper& sleeper) { return (BitOf(sleeper.task, ranks) & mask) == 0; });
}

std::uint64_t BitOf(const sim::ReadyTask& task, const std::vector<int>& ranks) {
  constexpr std::uint32_t kSide = 8;
  const auto rank = static_cast<std::uint32_t>(ranks[static_cast<std::size_t>(task.process)]);
  if (rank >= kSide || task.ordinal >= kSide) return 0;
  return std::uint64_t{1} << (rank * kSide + task.ordinal);
}

}  // namespace interlock::scenarios
