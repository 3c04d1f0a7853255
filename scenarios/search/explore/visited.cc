// SPDX-License-Identifier: MIT
#include "scenarios/search/explore/visited.h"

#include <cmath>
#include <utility>

namespace interlock::scenarios {
namespace {

bool IsFree(const sim::Digest& digest) { return digest.low == 0 && digest.high == 0; }

sim::Digest Storable(const sim::Digest& state) { return IsFree(state) ? sim::Digest{1, 0} : state; }

}  // namespace

void Visited::Table::Grow() {
  std::vector<State> old(slots_.empty() ? 64 : slots_.size() * 2, State{{0, 0}, 0});
  std::swap(old, slots_);
  for (const State& state : old) {
    if (!IsFree(state.digest)) slots_[PlaceOf(state.digest)] = state;
  }
}

std::size_t Visited::Table::PlaceOf(const sim::Digest& state) const {
  const std::size_t mask = slots_.size() - 1;
  std::size_t at = static_cast<std::size_t>(state.low) & mask;
  while (!IsFree(slots_[at].digest) && !(slots_[at].digest == state)) at = (at + 1) & mask;
  return at;
}

Visited::State& Visited::Table::At(const sim::Digest& state, bool& fresh) {
  if (used_ * 2 >= slots_.size()) Grow();
  const sim::Digest wanted = Storable(state);
  State& slot = slots_[PlaceOf(wanted)];
  fresh = IsFree(slot.digest);
  if (fresh) {
    slot.digest = wanted;
    ++used_;
  }
  return slot;
}

bool Visited::Table::Contains(const sim::Digest& state) const {
  return !slots_.empty() && !IsFree(slots_[PlaceOf(Storable(state))].digest);
}

// Paths that reach one state with different sleep sets explore it together: tasks asleep on all of
// them stay asleep, and each other step is taken by the first path on which its task is awake.
Visited::Entry Visited::Enter(const sim::Digest& state, std::uint64_t asleep) {
  Shard& shard = shards_[static_cast<std::size_t>(state.high >> 58)];
  const std::lock_guard<std::mutex> lock(shard.mutex);
  Entry entry;
  State& stored = shard.table.At(state, entry.fresh);
  entry.explore = (entry.fresh ? ~std::uint64_t{0} : stored.asleep) & ~asleep;
  entry.asleep = entry.fresh ? asleep : stored.asleep & asleep;
  stored.asleep = entry.asleep;
  return entry;
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

std::vector<Visited::State> Visited::All() const {
  std::vector<State> all;
  for (const Shard& shard : shards_) {
    for (const State& state : shard.table.slots()) {
      if (!IsFree(state.digest)) all.push_back(state);
    }
  }
  return all;
}

double CollisionBound(std::uint64_t states) {
  const double count = static_cast<double>(states);
  return std::ldexp(count * count, -129);
}

}  // namespace interlock::scenarios
