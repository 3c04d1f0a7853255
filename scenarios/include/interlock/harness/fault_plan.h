// SPDX-License-Identifier: MIT
//
// What may go wrong for a program, as a value that a property is given: a seed from which faults
// and schedules are drawn and, once a program has failed with them, the smallest case of that.
//
// interlock/harness/rapidcheck.h generates them. Thread safety: copies share what they remember, so
// they belong to one thread.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <memory>
#include <string>

#include <interlock/harness/simulate.h>

namespace interlock::harness {

class FaultPlan {
 public:
  explicit FaultPlan(std::uint64_t seed);
  /// The case of this token; and if a program does not fail with that, as FaultPlan(seed).
  FaultPlan(std::uint64_t seed, std::string token);

  std::uint64_t seed() const;
  /// Of the smallest case with which a program has failed; empty: none has.
  const std::string& token() const;
  /// "seed 17"; or the faults of that case, and how to replay it.
  std::string ToString() const;

 private:
  friend SimulateVerdict Simulate(const Program& program, const FaultPlan& plan,
                                  const SimulateOptions& options);
  struct Memory;
  std::shared_ptr<Memory> memory_;
};

std::ostream& operator<<(std::ostream& out, const FaultPlan& plan);

/// Simulate with the plan's seed in place of the options', after its case, if it has one. A
/// violation is shrunk, and the plan remembers the smallest case.
SimulateVerdict Simulate(const Program& program, const FaultPlan& plan,
                         const SimulateOptions& options);

}  // namespace interlock::harness
