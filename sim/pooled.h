// SPDX-License-Identifier: MIT
//
// Base for classes of which every world creates and drops many objects: `new (blocks) T(...)` takes
// memory shared by successive worlds of one Universe; delete works as usual.
//
// The blocks outlive the objects. Thread safety: that of the blocks, which is none.
#pragma once

#include <cstddef>
#include <new>

#include "sim/redis/small_blocks.h"

namespace interlock::sim {

class Pooled {
 public:
  static void* operator new(std::size_t size, redis::SmallBlocks& blocks) {
    void* memory = blocks.Take(size + sizeof(Head));
    if (memory == nullptr) throw std::bad_alloc();
    return new (memory) Head{&blocks} + 1;
  }
  static void operator delete(void* object, std::size_t size) {
    Head* head = static_cast<Head*>(object) - 1;
    head->blocks->Give(head, size + sizeof(Head));
  }

 protected:
  Pooled() = default;
  ~Pooled() = default;

 private:
  /// Precedes the object: where it came from.
  struct alignas(std::max_align_t) Head {
    redis::SmallBlocks* blocks;
  };
};

}  // namespace interlock::sim
