// SPDX-License-Identifier: MIT
//
// The one source of nondeterminism of a run: every decision that is not data (which task goes
// first, how long a message travels, what becomes of requests in flight when a client dies) is one
// draw.
//
// - 0 is always the calm choice: go on, least delay, oldest first, nothing goes wrong.
// - Any tape is a valid run: a recorded value beyond the bound is clamped, past the end it is 0. So
// a
//   shrinker may cut, zero and edit tapes freely.
// - Lanes keep unrelated decisions apart: deleting a scheduling decision does not shift the
// network's.
//
// Random bytes for the code under test are *not* drawn here (see SimRuntime::FillRandom).
// Thread safety: one run, one thread.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace interlock::sim {

enum class Lane : std::uint8_t { kSchedule, kNetwork, kFault };
inline constexpr std::size_t kLanes = 3;

/// Recorded choices. Equality of tapes is equality of runs (given the same workload and fault
/// plan).
struct Tape {
  std::array<std::vector<std::uint32_t>, kLanes> lanes;
  std::size_t size() const { return lanes[0].size() + lanes[1].size() + lanes[2].size(); }
  bool operator==(const Tape&) const = default;
};

/// splitmix64 (Steele, Lea, Flood 2014): turns one seed into well mixed, independent ones.
std::uint64_t MixSeed(std::uint64_t seed, std::uint64_t stream);

class Choices {
 public:
  static Choices FromSeed(std::uint64_t seed);  ///< xoshiro256**, one generator per lane
  static Choices FromTape(Tape tape);           ///< replays; total, see above

  /// A value in [0, bound). REQUIRES: 1 <= bound <= 2^32 - 1. A bound of 1 draws nothing.
  std::uint32_t Draw(Lane lane, std::uint32_t bound);

  /// What has been drawn so far, in either mode; trailing zeros of a lane are cut.
  Tape TakeTape();

  std::uint64_t draws() const { return draws_; }

 private:
  using Generator = std::array<std::uint64_t, 4>;
  bool replaying_ = false;
  std::array<Generator, kLanes> generators_{};
  Tape replayed_;
  Tape recorded_;
  std::array<std::size_t, kLanes> positions_{};
  std::uint64_t draws_ = 0;
};

}  // namespace interlock::sim
