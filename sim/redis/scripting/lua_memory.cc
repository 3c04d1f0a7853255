// SPDX-License-Identifier: MIT
#include "sim/redis/scripting/lua_memory.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <new>
#include <utility>

namespace interlock::sim::redis {

LuaMemory::~LuaMemory() {
  while (newest_ != nullptr) std::free(std::exchange(newest_, newest_->before));
}

// Lua is C code: nothing here may throw.
void* LuaMemory::TakeFromPage(std::size_t size) {
  const std::size_t rounded = (ClassOf(size) + 1) * kUnit;
  if (left_ < rounded) {
    // What is left of the page before is wasted: less than the largest block.
    void* memory = std::malloc(kPage);
    if (memory == nullptr) return nullptr;
    newest_ = new (memory) Page{newest_};
    rest_ = static_cast<std::byte*>(memory) + sizeof(Page);
    left_ = kPage - sizeof(Page);
  }
  left_ -= rounded;
  return std::exchange(rest_, rest_ + rounded);
}

void* LuaMemory::Take(std::size_t size) {
  if (size > kLargest) return std::malloc(size);
  FreeBlock*& list = free_[ClassOf(size)];
  if (list == nullptr) return TakeFromPage(size);
  void* block = list;
  list = list->next;
  return block;
}

void LuaMemory::Give(void* block, std::size_t size) {
  if (size > kLargest) return std::free(block);
  FreeBlock*& list = free_[ClassOf(size)];
  list = new (block) FreeBlock{list};
}

void* LuaMemory::Resize(void* block, std::size_t old_size, std::size_t new_size) {
  if (new_size == 0) {
    if (block != nullptr) Give(block, old_size);
    bytes_ -= old_size;
    return nullptr;
  }
  void* moved = block;
  if (block == nullptr) {
    moved = Take(new_size);
  } else if (old_size > kLargest && new_size > kLargest) {
    moved = std::realloc(block, new_size);
  } else if (old_size > kLargest || new_size > kLargest || ClassOf(old_size) != ClassOf(new_size)) {
    moved = Take(new_size);
    if (moved != nullptr) {
      std::memcpy(moved, block, std::min(old_size, new_size));
      Give(block, old_size);
    }
  }
  if (moved != nullptr) bytes_ += new_size - old_size;
  return moved;
}

}  // namespace interlock::sim::redis
