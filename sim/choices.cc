// SPDX-License-Identifier: MIT
#include "sim/choices.h"

#include <bit>
#include <utility>

namespace interlock::sim {

namespace {

constexpr std::uint64_t kGolden = 0x9e3779b97f4a7c15;

std::uint64_t SplitMix(std::uint64_t& state) {
  std::uint64_t z = (state += kGolden);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

/// One output of xoshiro256** (Blackman, Vigna 2018).
std::uint64_t Next(std::array<std::uint64_t, 4>& s) {
  const std::uint64_t result = std::rotl(s[1] * 5, 7) * 9;
  const std::uint64_t t = s[1] << 17;
  s[2] ^= s[0];
  s[3] ^= s[1];
  s[1] ^= s[2];
  s[0] ^= s[3];
  s[2] ^= t;
  s[3] = std::rotl(s[3], 45);
  return result;
}

}  // namespace

std::uint64_t MixSeed(std::uint64_t seed, std::uint64_t stream) {
  std::uint64_t state = seed;
  state = SplitMix(state) ^ (stream * kGolden);
  return SplitMix(state);
}

Choices Choices::FromSeed(std::uint64_t seed) {
  Choices choices;
  for (std::size_t lane = 0; lane < kLanes; ++lane) {
    std::uint64_t state = MixSeed(seed, lane);
    for (std::uint64_t& word : choices.generators_[lane]) word = SplitMix(state);
  }
  return choices;
}

Choices Choices::FromTape(Tape tape) {
  Choices choices;
  choices.replaying_ = true;
  choices.replayed_ = std::move(tape);
  return choices;
}

std::uint32_t Choices::Draw(Lane lane, std::uint32_t bound) {
  if (bound <= 1) return 0;
  const auto index = static_cast<std::size_t>(lane);
  std::uint32_t value = 0;
  if (replaying_) {
    const std::vector<std::uint32_t>& values = replayed_.lanes[index];
    const std::size_t position = positions_[index]++;
    if (position < values.size()) value = values[position] < bound ? values[position] : bound - 1;
  } else {
    // The product maps 32 random bits onto the bound without a division; its bias is below 2^-20
    // for every bound that is used, and it is the same on every machine.
    value = static_cast<std::uint32_t>(((Next(generators_[index]) >> 32) * bound) >> 32);
  }
  recorded_.lanes[index].push_back(value);
  ++draws_;
  return value;
}

Tape Choices::TakeTape() {
  Tape tape = recorded_;
  for (std::vector<std::uint32_t>& lane : tape.lanes) {
    while (!lane.empty() && lane.back() == 0) lane.pop_back();
  }
  return tape;
}

}  // namespace interlock::sim
