// SPDX-License-Identifier: MIT
#include "tests/bench/ratio.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <utility>
#include <vector>

namespace interlock {
namespace {

constexpr int kBlocks = 30;

// Seconds per call, or a negative number if a call failed.
double TimeBlock(const std::function<bool()>& call) {
  const auto start = std::chrono::steady_clock::now();
  for (int i = 0; i < kCallsPerBlock; ++i) {
    if (!call()) return -1;
  }
  const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
  return taken.count() / kCallsPerBlock;
}

double Median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

}  // namespace

void CompareInBlocks(benchmark::State& state, const std::function<bool()>& ours,
                     const std::function<bool()>& raw, const std::function<bool()>& prepare) {
  for ([[maybe_unused]] const auto iteration : state) {
    std::vector<double> ratios;
    std::vector<double> our_times;
    for (int block = -1; block < kBlocks; ++block) {
      double times[2] = {};
      // Who goes first alternates, so that a drift of the machine favours neither.
      for (const int turn : {block & 1, 1 - (block & 1)}) {
        times[turn] = !prepare() ? -1 : TimeBlock(turn == 0 ? ours : raw);
      }
      if (times[0] < 0 || times[1] < 0) return state.SkipWithError("a command failed");
      if (block < 0) continue;  // warm-up: connections, scripts, caches
      ratios.push_back(times[0] / times[1]);
      our_times.push_back(times[0]);
    }
    const double ratio = Median(ratios);
    std::array<char, 80> label;
    std::snprintf(label.data(), label.size(), "ratio %.3f (median of %d interleaved blocks)", ratio,
                  kBlocks);
    state.SetLabel(label.data());
    state.counters["ratio"] = ratio;
    state.SetIterationTime(Median(our_times));
  }
}

}  // namespace interlock
