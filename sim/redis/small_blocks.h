// SPDX-License-Identifier: MIT
//
// Memory for numerous short-lived objects: blocks from free lists by size, to which they return.
// The caller passes the size on return, so blocks need no header.
//
// Everything is released with this object. Never throws. Thread safety: none.
#pragma once

#include <array>
#include <cstddef>
#include <cstdlib>
#include <new>

namespace interlock::sim::redis {

class SmallBlocks {
 public:
#if defined(__SANITIZE_ADDRESS__)
  static constexpr bool kChecked = true;  ///< Every block is from the heap, which ASan checks.
#elif defined(__has_feature)
  static constexpr bool kChecked = __has_feature(address_sanitizer);
#else
  static constexpr bool kChecked = false;
#endif

  SmallBlocks() = default;
  ~SmallBlocks();
  SmallBlocks(const SmallBlocks&) = delete;
  SmallBlocks& operator=(const SmallBlocks&) = delete;

  /// REQUIRES: size >= 1. Null: out of memory. Blocks above kLargest come from the heap.
  void* Take(std::size_t size) {
    if (size > kLargest) return std::malloc(size);
    FreeBlock*& list = free_[ClassOf(size)];
    if (list == nullptr) return TakeFromPage(size);
    void* block = list;
    list = list->next;
    return block;
  }
  /// REQUIRES: it was taken with this size, or with another one of SameClass.
  void Give(void* block, std::size_t size) {
    if (size > kLargest) return std::free(block);
    FreeBlock*& list = free_[ClassOf(size)];
    list = new (block) FreeBlock{list};
  }

  /// Whether a block of one size can serve for the other.
  static bool SameClass(std::size_t one, std::size_t other) {
    return one <= kLargest && other <= kLargest && ClassOf(one) == ClassOf(other);
  }
  static constexpr std::size_t kLargest = kChecked ? 0 : 4096;

 private:
  static constexpr std::size_t kUnit = 16;
  static constexpr std::size_t kClasses = 4096 / kUnit;
  static constexpr std::size_t kPage = std::size_t{64} << 10;

  struct FreeBlock {
    FreeBlock* next;
  };
  /// The header of a page; blocks follow it.
  struct alignas(kUnit) Page {
    Page* before;
  };

  static std::size_t ClassOf(std::size_t size) { return (size - 1) / kUnit; }
  void* TakeFromPage(std::size_t size);

  std::array<FreeBlock*, kClasses> free_{};
  Page* newest_ = nullptr;
  std::byte* rest_ = nullptr;  // The unused part of the newest page.
  std::size_t left_ = 0;
};

}  // namespace interlock::sim::redis
