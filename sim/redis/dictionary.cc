// SPDX-License-Identifier: MIT
#include "sim/redis/dictionary.h"

namespace interlock::sim::redis {

void PositionIndex::Place(Slot slot) {
  std::size_t at = slot.hash & mask();
  while (slots_[at].next_position != 0) at = (at + 1) & mask();
  slots_[at] = slot;
}

void PositionIndex::Grow() {
  constexpr std::size_t kFirstSize = 64;
  std::vector<Slot> old(slots_.empty() ? kFirstSize : slots_.size() * 2);
  old.swap(slots_);
  for (const Slot& slot : old) {
    if (slot.next_position != 0) Place(slot);
  }
}

void PositionIndex::Insert(std::uint32_t hash, std::size_t position) {
  if (2 * (used_ + 1) > slots_.size()) Grow();
  ++used_;
  Place({hash, static_cast<std::uint32_t>(position + 1)});
}

std::size_t PositionIndex::SlotOf(std::uint32_t hash, std::size_t position) const {
  std::size_t at = hash & mask();
  while (slots_[at].next_position != position + 1) at = (at + 1) & mask();
  return at;
}

// Moves back entries that probing had placed after the freed slot, so that no search stops early.
void PositionIndex::Erase(std::uint32_t hash, std::size_t position) {
  std::size_t hole = SlotOf(hash, position);
  for (std::size_t at = (hole + 1) & mask(); slots_[at].next_position != 0;
       at = (at + 1) & mask()) {
    const std::size_t home = slots_[at].hash & mask();
    if (((at - home) & mask()) < ((at - hole) & mask())) continue;
    slots_[hole] = slots_[at];
    hole = at;
  }
  slots_[hole] = Slot();
  --used_;
}

void PositionIndex::Move(std::uint32_t hash, std::size_t from, std::size_t to) {
  slots_[SlotOf(hash, from)].next_position = static_cast<std::uint32_t>(to + 1);
}

void PositionIndex::CloseGap(std::size_t position) {
  for (Slot& slot : slots_) {
    if (slot.next_position > position + 1) --slot.next_position;
  }
}

}  // namespace interlock::sim::redis
