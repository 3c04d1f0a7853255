// SPDX-License-Identifier: MIT
#include "sim/choices.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "sim/check.h"
#include "sim/run_mirror.h"

namespace interlock::sim {

namespace {

constexpr std::uint64_t kGolden = 0x9e3779b97f4a7c15;

std::uint64_t SplitMix(std::uint64_t& state) {
  std::uint64_t z = (state += kGolden);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

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

SeededSource::SeededSource(std::uint64_t seed) {
  for (std::size_t lane = 0; lane < kLanes; ++lane) {
    std::uint64_t state = MixSeed(seed, lane);
    for (std::uint64_t& word : generators_[lane]) word = SplitMix(state);
  }
}

std::uint32_t SeededSource::Draw(Lane lane, std::uint32_t bound) {
  // The product maps 32 random bits onto the bound without a division; its bias is below 2^-20 for
  // every bound in use, and the result is the same on every machine.
  const std::uint64_t bits = Next(generators_[static_cast<std::size_t>(lane)]) >> 32;
  return static_cast<std::uint32_t>((bits * bound) >> 32);
}

TapeSource::TapeSource(Tape tape) : tape_(std::move(tape)) {}

std::uint32_t TapeSource::Draw(Lane lane, std::uint32_t bound) {
  const auto index = static_cast<std::size_t>(lane);
  const std::vector<std::uint32_t>& values = tape_.lanes[index];
  const std::size_t position = positions_[index]++;
  return position < values.size() ? std::min(values[position], bound - 1) : 0;
}

Choices::Choices(std::unique_ptr<ChoiceSource> source)
    : source_(std::move(source)),
      sees_candidates_(source_->sees_candidates()),
      injects_faults_(source_->injects_faults()) {
  // Number of choices that a short run draws from a lane.
  constexpr std::size_t kFew = 128;
  for (std::vector<std::uint32_t>& lane : recorded_.lanes) lane.reserve(kFew);
}

Choices Choices::FromSeed(std::uint64_t seed) {
  return Choices(std::make_unique<SeededSource>(seed));
}

Choices Choices::FromTape(Tape tape) {
  return Choices(std::make_unique<TapeSource>(std::move(tape)));
}

Choices Choices::FromSource(std::unique_ptr<ChoiceSource> source) {
  Require(source != nullptr, "choices without a source");
  return Choices(std::move(source));
}

std::uint32_t Choices::Record(Lane lane, std::uint32_t bound, std::uint32_t value) {
  Require(value < bound, "a choice is out of its bound");
  recorded_.lanes[static_cast<std::size_t>(lane)].push_back(value);
  ++draws_;
  if (mirror_ != nullptr) mirror_->OnDraw(lane, value);
  return value;
}

std::optional<Fault> Choices::InjectFault(int process, int step, StepKind kind) {
  std::optional<Fault> fault = source_->InjectFault(process, step, kind);
  if (!fault) return fault;
  fault->process = process;
  fault->step = step;
  injected_.push_back(*fault);
  if (mirror_ != nullptr) mirror_->OnFault(*fault);
  return fault;
}

Tape Choices::TakeTape() {
  Tape tape = recorded_;
  for (std::vector<std::uint32_t>& lane : tape.lanes) {
    while (!lane.empty() && lane.back() == 0) lane.pop_back();
  }
  return tape;
}

}  // namespace interlock::sim
