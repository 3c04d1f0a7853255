// SPDX-License-Identifier: MIT
//
// The memory of one Lua state. Scripts make and drop thousands of short strings and small tables,
// so small blocks come from free lists of their size and stay there when Lua frees them.
//
// Lua names the size of a block when it returns it, so blocks need no header. Everything is
// released with this object. Thread safety: none.
#pragma once

#include <array>
#include <cstddef>

namespace interlock::sim::redis {

class LuaMemory {
 public:
  LuaMemory() = default;
  ~LuaMemory();
  LuaMemory(const LuaMemory&) = delete;
  LuaMemory& operator=(const LuaMemory&) = delete;

  /// As lua_Alloc has it: null and 0 for a new block, and size 0 for none any more. Null: there is
  /// no memory, and the block stays as it was.
  void* Resize(void* block, std::size_t old_size, std::size_t new_size);
  /// What Lua holds at present.
  std::size_t bytes() const { return bytes_; }

 private:
  static constexpr std::size_t kUnit = 16;
  static constexpr std::size_t kClasses = 32;
  static constexpr std::size_t kLargest = kUnit * kClasses;
  static constexpr std::size_t kPage = std::size_t{64} << 10;

  struct FreeBlock {
    FreeBlock* next;
  };
  /// The head of a page; blocks follow it.
  struct alignas(kUnit) Page {
    Page* before;
  };

  static std::size_t ClassOf(std::size_t size) { return (size - 1) / kUnit; }
  void* Take(std::size_t size);
  void Give(void* block, std::size_t size);
  void* TakeFromPage(std::size_t size);

  std::size_t bytes_ = 0;
  std::array<FreeBlock*, kClasses> free_{};
  Page* newest_ = nullptr;
  std::byte* rest_ = nullptr;  // Of the newest page.
  std::size_t left_ = 0;
};

}  // namespace interlock::sim::redis
