// SPDX-License-Identifier: MIT
//
// An exploration's verdict as text, always with its bounds, and its progress while it runs.
#pragma once

#include <cstdint>
#include <string>

#include "scenarios/search/explore/exhaustive.h"

namespace interlock::scenarios {

/// "no violation: <= 2 clients, ..., 0 pauses: 1,234 states (complete, hash collision < 1e-32)"
std::string VerdictText(const Exploration& exploration, const Bounds& bounds);

/// New states met on random paths after a complete search. Whether they were the same on repetition
/// tells a nondeterministic run from states mistaken for each other. REQUIRES: there were
/// divergences.
std::string DivergenceText(const Exploration& exploration);

/// "63 % of an estimated 110,000 states, 4 s left"
std::string ProgressText(const ExploreProgress& progress, double seconds);

/// Shows progress on stderr: in place on a terminal, a line every ten seconds elsewhere. Thread
/// safety: one call at a time.
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
