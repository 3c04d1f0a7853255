// SPDX-License-Identifier: MIT
//
// The allocator under a simulated process: what it does for the heap is real.
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "sim/posix/heap.h"
#include "sim/posix/sanitizers.h"
#include "tests/sim/posix/one_process.h"

namespace interlock::sim {
namespace {

/// Larger than what a thread keeps to itself, so each call takes the lock of the whole heap.
constexpr std::size_t kOfTheWholeHeap = 1 << 20;
constexpr int kTimes = posix::kWithAsan ? 100 : 20'000;  // its heap maps and poisons each of them

void UseTheHeap(int times) {
  std::vector<void*> blocks;
  for (int i = 0; i < times; ++i) {
    blocks.push_back(std::malloc(kOfTheWholeHeap));
    if (blocks.size() < 16) continue;
    for (void* block : blocks) std::free(block);
    blocks.clear();
  }
  for (void* block : blocks) std::free(block);
}

std::uint64_t HashOfARunThatAllocates() {
  Bench bench(1);
  RunOne(bench, [] {
    std::thread other([] { UseTheHeap(kTimes); });
    UseTheHeap(kTimes);
    other.join();
  });
  return bench.world->trace().hash();
}

TEST(PosixHeapTest, AnotherOsThreadInTheHeapDoesNotChangeARun) {
  const std::uint64_t alone = HashOfARunThatAllocates();
  std::atomic<bool> done = false;
  std::vector<std::thread> others;
  for (int i = 0; i < 4; ++i) {
    others.emplace_back([&done] {
      while (!done) UseTheHeap(100);
    });
  }
  for (int i = 0; i < 5; ++i) EXPECT_EQ(HashOfARunThatAllocates(), alone);
  done = true;
  for (std::thread& other : others) other.join();
}

TEST(PosixHeapTest, TheAllocatorsCodeIsKnownAndNobodyElses) {
  const bool own = !posix::kWithAsan;  // its malloc is in the program itself
  EXPECT_EQ(posix::IsOfTheHeap(reinterpret_cast<const void*>(&std::malloc)), own);
  EXPECT_FALSE(posix::IsOfTheHeap(reinterpret_cast<const void*>(&UseTheHeap)));
  EXPECT_FALSE(posix::IsOfTheHeap(reinterpret_cast<const void*>(&std::strtod)));
}

}  // namespace
}  // namespace interlock::sim
