// SPDX-License-Identifier: MIT
#include "scenarios/explore/visited.h"

#include <cmath>
#include <utility>

namespace interlock::scenarios {
namespace {

bool IsFree(const sim::Digest& slot) { return slot.low == 0 && slot.high == 0; }

sim::Digest Storable(const sim::Digest& state) { return IsFree(state) ? sim::Digest{1, 0} : state; }

}  // namespace

void Visited::Table::Grow() {
  std::vector<sim::Digest> old(slots_.empty() ? 64 : slots_.size() * 2, sim::Digest{0, 0});
  std::swap(old, slots_);
  used_ = 0;
  for (const sim::Digest& state : old) {
    if (!IsFree(state)) Insert(state);
  }
}

std::size_t Visited::Table::PlaceOf(const sim::Digest& state) const {
  const std::size_t mask = slots_.size() - 1;
  std::size_t at = static_cast<std::size_t>(state.low) & mask;
  while (!IsFree(slots_[at]) && !(slots_[at] == state)) at = (at + 1) & mask;
  return at;
}

bool Visited::Table::Insert(const sim::Digest& state) {
  if (used_ * 2 >= slots_.size()) Grow();
  const sim::Digest wanted = Storable(state);
  sim::Digest& slot = slots_[PlaceOf(wanted)];
  if (!IsFree(slot)) return false;
  slot = wanted;
  ++used_;
  return true;
}

bool Visited::Table::Contains(const sim::Digest& state) const {
  return !slots_.empty() && !IsFree(slots_[PlaceOf(Storable(state))]);
}

bool Visited::Insert(const sim::Digest& state) {
  Shard& shard = shards_[static_cast<std::size_t>(state.high >> 58)];
  const std::lock_guard<std::mutex> lock(shard.mutex);
  return shard.table.Insert(state);
}

bool Visited::Contains(const sim::Digest& state) const {
  const Shard& shard = shards_[static_cast<std::size_t>(state.high >> 58)];
  const std::lock_guard<std::mutex> lock(shard.mutex);
  return shard.table.Contains(state);
}

std::uint64_t Visited::size() const {
  std::uint64_t sum = 0;
  for (const Shard& shard : shards_) {
    const std::lock_guard<std::mutex> lock(shard.mutex);
    sum += shard.table.used();
  }
  return sum;
}

std::vector<sim::Digest> Visited::All() const {
  std::vector<sim::Digest> all;
  for (const Shard& shard : shards_) {
    for (const sim::Digest& state : shard.table.slots()) {
      if (!IsFree(state)) all.push_back(state);
    }
  }
  return all;
}

double CollisionBound(std::uint64_t states) {
  const double count = static_cast<double>(states);
  return std::ldexp(count * count, -129);
}

}  // namespace interlock::scenarios
