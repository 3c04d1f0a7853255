// SPDX-License-Identifier: MIT
//
// The memory of the program: operator new and delete that keep what was given back, by size and
// thread, in front of malloc. A campaign makes and drops the same small objects again and again; a
// tenth of its time would be spent in looking for them.
//
// Every block is one of malloc's own, so it does not matter which thread gives it back, and what a
// list has no room for is freed. Sanitizers watch malloc, so with them there is none of this.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define INTERLOCK_KEEPS_BLOCKS 0
#elif defined(__has_feature)
#define INTERLOCK_KEEPS_BLOCKS \
  !(__has_feature(address_sanitizer) || __has_feature(thread_sanitizer))
#else
#define INTERLOCK_KEEPS_BLOCKS 1
#endif

#if INTERLOCK_KEEPS_BLOCKS

#include <malloc.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <new>
#include <utility>

namespace {

// Blocks of class c have room for 16 * c + 8 bytes: those are the sizes that glibc has.
constexpr std::size_t kClasses = 64;
constexpr std::size_t ClassFor(std::size_t size) { return (size + 7) / 16; }
constexpr std::size_t RoomOf(std::size_t block_class) { return 16 * block_class + 8; }
constexpr std::size_t kLargest = RoomOf(kClasses - 1);

struct Block {
  Block* next;
};

struct BlockList {
  Block* first;
  std::uint32_t room;  // for so many more
};

constexpr std::uint32_t kMostBlocks = 512;  // at most 17 MB in all

// Plain data, because it is used until the last destructor of the thread has run. Without room, as
// it is at first and in the end, every block is malloc's.
thread_local std::array<BlockList, kClasses> kept{};
thread_local bool begun = false;

/// Frees what its thread has kept.
class End {
 public:
  End() {
    for (BlockList& list : kept) list.room = kMostBlocks;
  }
  ~End() {
    for (BlockList& list : kept) {
      list.room = 0;
      while (list.first != nullptr) std::free(std::exchange(list.first, list.first->next));
    }
  }
  End(const End&) = delete;
  End& operator=(const End&) = delete;
};

void* TakeFromHeap(std::size_t size) {
  for (;;) {
    if (void* memory = std::malloc(size)) return memory;
    const std::new_handler handler = std::get_new_handler();
    if (handler == nullptr) throw std::bad_alloc();
    handler();
  }
}

[[gnu::noinline]] void* TakeFresh(std::size_t block_class) {
  if (!begun) {
    begun = true;
    static thread_local const End end;
  }
  return TakeFromHeap(RoomOf(block_class));
}

void Give(void* memory, std::size_t block_class) {
  BlockList& list = kept[block_class];
  if (list.room == 0) return std::free(memory);
  --list.room;
  list.first = new (memory) Block{list.first};
}

}  // namespace

// Not inlined: g++ would see the one half of a pair without the other, and warn.

[[gnu::noinline]] void* operator new(std::size_t size) {
  if (size > kLargest) return TakeFromHeap(size);
  const std::size_t block_class = ClassFor(size);
  BlockList& list = kept[block_class];
  Block* const block = list.first;
  if (block == nullptr) return TakeFresh(block_class);
  ++list.room;
  list.first = block->next;
  return block;
}

[[gnu::noinline]] void operator delete(void* memory, std::size_t size) noexcept {
  if (memory == nullptr || size > kLargest) return std::free(memory);
  Give(memory, ClassFor(size));
}

// Whoever does not say how large the block is leaves it to malloc to know.
[[gnu::noinline]] void operator delete(void* memory) noexcept {
  const std::size_t room = memory == nullptr ? 0 : malloc_usable_size(memory);
  if (room < RoomOf(0) || room >= RoomOf(kClasses)) return std::free(memory);
  Give(memory, (room - RoomOf(0)) / 16);
}

#endif
