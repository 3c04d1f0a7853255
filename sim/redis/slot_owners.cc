// SPDX-License-Identifier: MIT
#include "sim/redis/slot_owners.h"

#include <algorithm>
#include <utility>

namespace interlock::sim::redis {

std::int16_t SlotOwners::operator[](std::size_t slot) const {
  return std::ranges::lower_bound(runs_, slot, {}, &Run::last)->node;
}

void SlotOwners::SetRange(std::size_t first, std::size_t last, std::int16_t node) {
  std::vector<Run> changed;
  for (const Run& run : runs_) {
    if (run.first < first) Add({run.first, std::min(run.last, first - 1), run.node}, changed);
    if (run.first <= first && first <= run.last) Add({first, last, node}, changed);
    if (run.last > last) Add({std::max(run.first, last + 1), run.last, run.node}, changed);
  }
  runs_ = std::move(changed);
}

void SlotOwners::Replace(std::int16_t from, std::int16_t to) {
  std::vector<Run> changed;
  for (const Run& run : runs_)
    Add({run.first, run.last, run.node == from ? to : run.node}, changed);
  runs_ = std::move(changed);
}

void SlotOwners::Add(const Run& run, std::vector<Run>& runs) {
  if (!runs.empty() && runs.back().node == run.node) {
    runs.back().last = run.last;
  } else {
    runs.push_back(run);
  }
}

}  // namespace interlock::sim::redis
