// SPDX-License-Identifier: MIT
#include "scenarios/run/load/load.h"

namespace interlock::scenarios::contend {

std::string_view ToString(FaultProfile profile) {
  switch (profile) {
    case FaultProfile::kNone:
      return "none";
    case FaultProfile::kPauses:
      return "pauses";
    case FaultProfile::kPartitions:
      return "partitions";
  }
  return "?";
}

Draws::Draws(std::uint64_t seed, int client)
    : source_(sim::MixSeed(seed, static_cast<std::uint64_t>(client) + 1)) {}

std::uint32_t Draws::Below(std::uint32_t bound) {
  return bound <= 1 ? 0 : source_.Draw(sim::Lane::kSchedule, bound);
}

// Numbers are drawn as long as they fall. A run of odd length ends the draw: its first number is
// the fraction, and the number of runs of even length before it is the whole part.
Duration Draws::Exponential(Duration mean) {
  constexpr std::uint32_t kBits = 20;
  constexpr std::uint32_t kOne = 1U << kBits;
  for (std::int64_t whole = 0;; ++whole) {
    const std::uint32_t first = Below(kOne);
    std::uint32_t last = first;
    bool odd = true;
    for (std::uint32_t next = Below(kOne); next < last; next = Below(kOne)) {
      last = next;
      odd = !odd;
    }
    if (!odd) continue;
    return mean * whole +
           Duration(mean.count() / kOne * first + mean.count() % kOne * first / kOne);
  }
}

Duration Draws::Spread(const Load& load, Duration mean) {
  return load.exponential ? Exponential(mean) : mean;
}

}  // namespace interlock::scenarios::contend
