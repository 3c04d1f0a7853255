// SPDX-License-Identifier: MIT
#include "sim/redis/small_blocks.h"

#include <new>
#include <utility>

namespace interlock::sim::redis {

SmallBlocks::~SmallBlocks() {
  while (newest_ != nullptr) std::free(std::exchange(newest_, newest_->before));
}

void* SmallBlocks::TakeFromPage(std::size_t size) {
  const std::size_t rounded = (ClassOf(size) + 1) * kUnit;
  if (left_ < rounded) {
    // The rest of the previous page is wasted: less than the largest block.
    void* memory = std::malloc(kPage);
    if (memory == nullptr) return nullptr;
    newest_ = new (memory) Page{newest_};
    rest_ = static_cast<std::byte*>(memory) + sizeof(Page);
    left_ = kPage - sizeof(Page);
  }
  left_ -= rounded;
  return std::exchange(rest_, rest_ + rounded);
}

}  // namespace interlock::sim::redis
