// SPDX-License-Identifier: MIT
//
// What an exploration says, in words: never without its bounds, and while it runs, how far it is.
#pragma once

#include <cstdint>
#include <string>

#include "scenarios/search/explore/exhaustive.h"

namespace interlock::scenarios {

/// "no violation: <= 2 clients, ..., 0 pauses: 1,234 states (complete, hash collision < 1e-32)"
std::string VerdictText(const Exploration& exploration, const Bounds& bounds);

/// What random paths after a complete search have met that it had not: whether they were the same
/// when they were repeated tells a run that is not deterministic from states that were mistaken for
/// each other. REQUIRES: there were divergences.
std::string DivergenceText(const Exploration& exploration);

/// "63 % of an estimated 110,000 states, 4 s left"
std::string ProgressText(const ExploreProgress& progress, double seconds);

/// Shows it on stderr: in place on a terminal, a line every ten seconds elsewhere. Thread safety:
/// one call at a time.
class ExploreProgressLine {
 public:
  explicit ExploreProgressLine(const Bounds& bounds);
  void Update(const ExploreProgress& progress);
  void Finish();

 private:
  const bool terminal_;
  std::int64_t started_ms_ = 0;
  std::int64_t shown_ms_ = 0;
  bool shown_ = false;
};

}  // namespace interlock::scenarios
