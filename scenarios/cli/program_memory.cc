// SPDX-License-Identifier: MIT
//
// operator new and delete of the program `interlock`. A campaign is hundreds of thousands of runs,
// each of which asks for a few hundred small blocks and gives them back, in the thread that runs
// it; so each thread keeps what it is given back, by size, and hands it out again in ten
// instructions where malloc and free need a hundred.
//
// A block is malloc's own, whether it was kept before or not: any thread may give it back, and so
// may the C library's free. What a thread keeps of one size is bounded, and freed at its end. Not
// part of the libraries, nor of a sanitizer's build, which watches the heap.
#include <malloc.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdlib>
#include <new>

namespace {

constexpr std::size_t kUnit = 16;
constexpr std::size_t kLargest = 8192;      // in bytes; larger blocks are not kept
constexpr std::size_t kMost = 64UL << 10U;  // in bytes; what a thread keeps of one class

struct FreeBlock {
  FreeBlock* next;
};

struct Kept {
  FreeBlock* first;
  std::size_t bytes;
};

// A block of class c has room for 16 c + 8 bytes, as malloc's blocks do.
constexpr std::size_t RoomOf(std::size_t size_class) { return size_class * kUnit + kUnit / 2; }
constexpr std::size_t ClassFor(std::size_t size) {
  return (std::max(size, kUnit / 2 + 1) + kUnit / 2 - 1) / kUnit;
}
static_assert(ClassFor(0) == 1 && ClassFor(24) == 1 && ClassFor(25) == 2);
static_assert(RoomOf(1) == 24 && RoomOf(2) == 40);

constexpr std::size_t kClasses = ClassFor(kLargest) + 1;

// Zero at the beginning of each thread, and without a destructor, so that no access has to look
// whether it is there.
constinit thread_local std::array<Kept, kClasses> all_kept{};
constinit thread_local bool keeps = true;

// Frees at the end of a thread what it has kept.
struct AtThreadEnd {
  AtThreadEnd() = default;
  AtThreadEnd(const AtThreadEnd&) = delete;
  AtThreadEnd& operator=(const AtThreadEnd&) = delete;
  ~AtThreadEnd() {
    keeps = false;
    for (Kept& kept : all_kept) {
      while (FreeBlock* block = kept.first) {
        kept.first = block->next;
        std::free(block);
      }
    }
  }
  void Await() const {}
};
thread_local const AtThreadEnd at_thread_end;

[[gnu::noinline]] void* NewBlock(std::size_t size) {
  at_thread_end.Await();
  const std::size_t room = size <= kLargest ? RoomOf(ClassFor(size)) : size;
  for (;;) {
    if (void* memory = std::malloc(room)) return memory;
    const std::new_handler handler = std::get_new_handler();
    if (handler == nullptr) throw std::bad_alloc();
    handler();
  }
}

void GiveBack(void* memory, std::size_t size_class) {
  if (size_class >= kClasses || !keeps) return std::free(memory);
  Kept& kept = all_kept[size_class];
  if (kept.bytes >= kMost) return std::free(memory);
  kept.bytes += RoomOf(size_class);
  kept.first = new (memory) FreeBlock{kept.first};
}

}  // namespace

// Not inlined: g++ would see the one half of a pair without the other, and warn.

[[gnu::noinline]] void* operator new(std::size_t size) {
  if (size > kLargest) return NewBlock(size);
  const std::size_t size_class = ClassFor(size);
  Kept& kept = all_kept[size_class];
  FreeBlock* const block = kept.first;
  if (block == nullptr) return NewBlock(size);
  kept.first = block->next;
  kept.bytes -= RoomOf(size_class);
  return block;
}

[[gnu::noinline]] void operator delete(void* memory) noexcept {
  if (memory == nullptr) return;
  GiveBack(memory, (malloc_usable_size(memory) - kUnit / 2) / kUnit);
}

[[gnu::noinline]] void operator delete(void* memory, std::size_t size) noexcept {
  if (memory == nullptr) return;
  GiveBack(memory, ClassFor(size));
}
