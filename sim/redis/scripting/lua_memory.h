// SPDX-License-Identifier: MIT
//
// The memory of one Lua state: scripts make and drop thousands of short strings and small tables.
// Thread safety: none.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <cstring>

#include "sim/redis/small_blocks.h"

namespace interlock::sim::redis {

class LuaMemory {
 public:
  /// As for lua_Alloc: null and 0 for a new block, size 0 to free one. Null: out of memory, and the
  /// block is unchanged.
  void* Resize(void* block, std::size_t old_size, std::size_t new_size) {
    if (new_size == 0) {
      Free(block, old_size);
      return nullptr;
    }
    void* moved = block == nullptr ? blocks_.Take(new_size) : Move(block, old_size, new_size);
    if (moved != nullptr) bytes_ += new_size - old_size;
    return moved;
  }
  void Free(void* block, std::size_t size) {
    if (block != nullptr) blocks_.Give(block, size);
    bytes_ -= size;
  }
  /// Bytes held by Lua at present.
  std::size_t bytes() const { return bytes_; }

 private:
  [[gnu::noinline]] void* Move(void* block, std::size_t old_size, std::size_t new_size) {
    constexpr std::size_t kLargest = SmallBlocks::kLargest;
    if (SmallBlocks::SameClass(old_size, new_size)) return block;
    if (old_size > kLargest && new_size > kLargest) return std::realloc(block, new_size);
    void* moved = blocks_.Take(new_size);
    if (moved == nullptr) return nullptr;
    std::memcpy(moved, block, std::min(old_size, new_size));
    blocks_.Give(block, old_size);
    return moved;
  }

  SmallBlocks blocks_;
  std::size_t bytes_ = 0;
};

}  // namespace interlock::sim::redis
