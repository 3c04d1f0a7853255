// SPDX-License-Identifier: MIT
//
// This program is linked with the operators new and delete of the program `interlock`.
#include <gtest/gtest.h>
#include <malloc.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace {

/// As one who knows the size, where the compiler tells it.
void GiveBack(void* block, [[maybe_unused]] std::size_t size) {
#ifdef __cpp_sized_deallocation
  ::operator delete(block, size);
#else
  ::operator delete(block);
#endif
}

std::size_t HeapInUse() { return mallinfo2().uordblks; }

TEST(ProgramMemoryTest, ABlockServesTheNextRequestOfItsSize) {
  for (const std::size_t size : {1UL, 8UL, 24UL, 25UL, 100UL, 8192UL}) {
    void* const first = ::operator new(size);
    GiveBack(first, size);
    void* const second = ::operator new(size);
    EXPECT_EQ(second, first) << size;
    ::operator delete(second);  // without its size, as by who does not know it
    void* const third = ::operator new(size);
    EXPECT_EQ(third, first) << size;
    GiveBack(third, size);
  }
}

TEST(ProgramMemoryTest, BlocksOfEachSizeAreAlignedAndApart) {
  constexpr std::size_t kLargest = 9000;
  std::vector<unsigned char*> blocks;
  for (int round = 0; round < 2; ++round) {
    for (std::size_t size = 0; size <= kLargest; ++size) {
      auto* const block = static_cast<unsigned char*>(::operator new(size));
      ASSERT_EQ(reinterpret_cast<std::uintptr_t>(block) % alignof(std::max_align_t), 0U) << size;
      std::memset(block, static_cast<int>(size % 251), size);
      blocks.push_back(block);
    }
    for (std::size_t size = 0; size <= kLargest; ++size) {
      const auto wrote = static_cast<unsigned char>(size % 251);
      ASSERT_EQ(std::count(blocks[size], blocks[size] + size, wrote),
                static_cast<std::ptrdiff_t>(size));
      ::operator delete(blocks[size]);
    }
    blocks.clear();
  }
}

// Else what one thread makes and another one drops, as the results of workers, would never be
// given back.
TEST(ProgramMemoryTest, AThreadKeepsOnlySoMuchOfWhatOthersHaveMade) {
  constexpr std::size_t kBlocks = 20'000;
  constexpr std::size_t kSize = 1000;
  std::vector<std::unique_ptr<char[]>> made(kBlocks);
  std::thread([&made] {
    for (auto& block : made) block = std::make_unique<char[]>(kSize);
  }).join();
  const std::size_t before = HeapInUse();
  made.clear();
  EXPECT_LT(HeapInUse() + kBlocks * kSize * 9 / 10, before);
}

TEST(ProgramMemoryTest, AThreadFreesAtItsEndWhatItHasKept) {
  const std::size_t before = HeapInUse();
  for (int i = 0; i < 200; ++i) {
    std::thread([] { std::vector<std::string> texts(60, std::string(1000, 'x')); }).join();
  }
  EXPECT_LT(HeapInUse(), before + 200 * 1000);
}

}  // namespace
