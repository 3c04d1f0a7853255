// SPDX-License-Identifier: MIT
//
// How often one run asks for memory. A campaign consists of hundreds of thousands of runs, and what
// each of them allocates it frees again, so this is a good part of what a run costs; and unlike its
// time it is the same number on every machine.
//
// A sanitizer has an operator new of its own, which finds what this one would hide: there is
// nothing to count then.
#include <gtest/gtest.h>

#include "scenarios/locks/specimen.h"
#include "scenarios/run/run.h"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define INTERLOCK_COUNTS_ALLOCATIONS 0
#elif defined(__has_feature)
#define INTERLOCK_COUNTS_ALLOCATIONS \
  !(__has_feature(address_sanitizer) || __has_feature(thread_sanitizer))
#else
#define INTERLOCK_COUNTS_ALLOCATIONS 1
#endif

#if INTERLOCK_COUNTS_ALLOCATIONS

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <new>
#include <string_view>

namespace {

/// Of the calling thread, so that nobody waits for anybody.
thread_local std::uint64_t allocations_made = 0;

}  // namespace

// Not inlined: g++ would see the one half of a pair without the other, and warn.

[[gnu::noinline]] void* operator new(std::size_t size) {
  ++allocations_made;
  if (void* memory = std::malloc(size == 0 ? 1 : size)) return memory;
  throw std::bad_alloc();
}
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t /*size*/) noexcept {
  std::free(memory);
}

namespace interlock::scenarios {
namespace {

using std::chrono::milliseconds;

/// Three clients, one of which tries and two wait: as short as a run can be that hands over. Never
/// to be changed, or the limits below mean nothing.
Workload ShortestHandOvers() {
  Workload workload;
  workload.lease = std::chrono::seconds(1);
  workload.latency_max = milliseconds(1);
  for (int i = 0; i < 3; ++i) {
    Operation operation;
    operation.ask = i == 0 ? Ask::kTry : Ask::kWaitFor;
    operation.wait = std::chrono::seconds(1);
    operation.hold = milliseconds(4);
    workload.clients.emplace_back().operations = {operation};
  }
  return workload;
}

/// Of the run with this seed, in a universe that has seen others: their memory is used again.
std::uint64_t AllocationsOfRun(std::string_view lock, std::uint64_t seed) {
  const auto subjects = SoundSubjects();
  const auto subject = std::find_if(subjects.begin(), subjects.end(),
                                    [&](const auto& one) { return one->name() == lock; });
  const RunCase run_case{subject->get(), FindScenario("contention"), SynchronyClass::kNone};
  const Workload workload = ShortestHandOvers();
  sim::Universe universe;
  constexpr std::uint64_t kBefore = 50;
  std::uint64_t before = 0;
  for (std::uint64_t i = 0; i <= kBefore; ++i) {
    sim::Choices choices = sim::Choices::FromSeed(i < kBefore ? seed + 1 + i : seed);
    before = allocations_made;
    const RunResult result = RunOnce(universe, run_case, workload, choices);
    EXPECT_TRUE(result.violations.empty());
  }
  return allocations_made - before;
}

// The limits are what was measured, and a little more: a standard library or a compiler may leave
// out or add a few. Whoever exceeds one by more than that has made every run slower: by a copy of a
// string in what is done for each command, or something built for each run that could be built
// once, or kept. If there is a good reason for it, raise the limit, and say why.
TEST(AllocationsTest, AShortRunOfAMutexMakesFew) {
  constexpr std::uint64_t kLimit = 185;
  EXPECT_LE(AllocationsOfRun("mutex", 2024), kLimit);
}

TEST(AllocationsTest, AShortRunOfASingleFileMakesFew) {
  constexpr std::uint64_t kLimit = 238;
  EXPECT_LE(AllocationsOfRun("single-file", 2024), kLimit);
}

}  // namespace
}  // namespace interlock::scenarios

#endif  // INTERLOCK_COUNTS_ALLOCATIONS
