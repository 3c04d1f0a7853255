// SPDX-License-Identifier: MIT
//
// What the clients of a measurement do: acquire the lock, work in the section, release it, again
// and again. In a closed loop each thinks before it asks again; in an open loop requests have their
// own schedule, however long the last one took, so that a slow lock cannot hide behind clients that
// wait for it (coordinated omission).
//
// Thread safety: pure values.
#pragma once

#include <chrono>
#include <cstdint>
#include <string_view>

#include <interlock/time.h>

#include "sim/choices.h"
#include "sim/redis/dialect.h"

namespace interlock::scenarios::contend {

enum class FaultProfile : std::uint8_t {
  kNone,
  kPauses,      ///< a client is paused for 1.5 leases, some twenty leases apart
  kPartitions,  ///< a client is cut off for half a lease, some twenty leases apart
};

struct Load {
  Duration hold = std::chrono::milliseconds(5);  ///< the section, exactly
  Duration think{};                              ///< mean, for a closed loop
  Duration interval{};      ///< mean, between a client's requests; 0: a closed loop
  bool exponential = true;  ///< think times and intervals; false: constant
  Duration patience = std::chrono::seconds(30);  ///< after which a client gives up
  std::chrono::milliseconds lease{10'000};
  Duration duration = std::chrono::seconds(10);  ///< measured, after the warm-up
  Duration warm_up = std::chrono::seconds(1);
  int permits = 1;    ///< for a semaphore
  int resources = 1;  ///< each request is for one of them, drawn at random
  FaultProfile faults = FaultProfile::kNone;
  const sim::redis::Dialect* server = &sim::redis::DefaultDialect();  ///< in virtual time

  bool open() const { return interval > Duration(0); }
  Duration whole() const { return warm_up + duration; }
};

std::string_view ToString(FaultProfile profile);

/// A client's own randomness. Integers only: the same numbers on every machine.
class Draws {
 public:
  Draws(std::uint64_t seed, int client);

  /// In [0, bound). REQUIRES: bound > 0.
  std::uint32_t Below(std::uint32_t bound);
  /// Exponentially distributed with this mean, by comparisons alone (von Neumann, 1951).
  Duration Exponential(Duration mean);
  /// A value with this mean, distributed as the load says.
  Duration Spread(const Load& load, Duration mean);

 private:
  sim::SeededSource source_;
};

}  // namespace interlock::scenarios::contend
