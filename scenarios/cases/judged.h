// SPDX-License-Identifier: MIT
//
// The judged properties, as an enumeration to index tables with. Everything else about a property
// is in its row (property.h).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace interlock::scenarios {

enum class Judged : std::uint8_t {
  kServerExclusion,   // LK001
  kBeliefExclusion,   // LK002
  kSectionExclusion,  // LK003
  kPermitsServer,     // LK013, at the server
  kPermitsBelief,     // LK013, as the clients believe
  kPermitsSection,    // LK013, in the sections
  kForeignRelease,    // LK005
  kForeignExtend,     // LK006
  kCrashRecovery,     // LK008
  kDeadlock,          // LK009
  kKeys,              // LK011
  kFencedWrites,      // LK004
  kTokens,            // LK007
  kSpuriousRefusal,   // LK010
  kOrder,             // LK012
  kFalseValidity,     // LK014
  kTermination,       // LK015
  kCrash,             // LK017; of the process running the lock: no scenario lists it, no run has it
};
/// kCrash must stay last: add new ones before it.
inline constexpr std::size_t kJudgedCount = static_cast<std::size_t>(Judged::kCrash) + 1;

/// Whether it is of semaphores alone, see KindModel::exclusion.
constexpr bool IsOfPermits(Judged judged) {
  return judged == Judged::kPermitsServer || judged == Judged::kPermitsBelief ||
         judged == Judged::kPermitsSection;
}

template <typename T>
class PerJudged {
 public:
  T& operator[](Judged judged) { return values_[static_cast<std::size_t>(judged)]; }
  const T& operator[](Judged judged) const { return values_[static_cast<std::size_t>(judged)]; }

 private:
  std::array<T, kJudgedCount> values_{};
};

/// In enumeration order, which is also the order of rows in a report.
inline constexpr std::array<Judged, kJudgedCount> kAllJudged = [] {
  std::array<Judged, kJudgedCount> all{};
  for (std::size_t i = 0; i < kJudgedCount; ++i) all[i] = static_cast<Judged>(i);
  return all;
}();

}  // namespace interlock::scenarios
