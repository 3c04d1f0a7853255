// SPDX-License-Identifier: MIT
//
// The judged properties, as an enumeration to index tables with. Everything else about a property
// is in its row (judge/property.h).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace interlock::scenarios {

/// Every property that a lock is judged by, once. The order is that of judging (violations at one
/// instant are told in it, after those noted during the run) and of the rows of a report. The
/// enumerators, the declarations of the rows (property.h) and the table (property.cc) are made of
/// this list.
#define INTERLOCK_PROPERTIES(PROPERTY)                           \
  PROPERTY(ServerExclusion)  /* LK001 */                         \
  PROPERTY(BeliefExclusion)  /* LK002 */                         \
  PROPERTY(SectionExclusion) /* LK003 */                         \
  PROPERTY(PermitsServer)    /* LK013, at the server */          \
  PROPERTY(PermitsBelief)    /* LK013, as the clients believe */ \
  PROPERTY(PermitsSection)   /* LK013, in the sections */        \
  PROPERTY(ForeignRelease)   /* LK005 */                         \
  PROPERTY(ForeignExtend)    /* LK006 */                         \
  PROPERTY(Keys)             /* LK011 */                         \
  PROPERTY(Tokens)           /* LK007 */                         \
  PROPERTY(FencedWrites)     /* LK004 */                         \
  PROPERTY(SpuriousRefusal)  /* LK010 */                         \
  PROPERTY(FalseValidity)    /* LK014 */                         \
  PROPERTY(Termination)      /* LK015 */                         \
  PROPERTY(Order)            /* LK012 */                         \
  PROPERTY(CrashRecovery)    /* LK008 */                         \
  PROPERTY(Deadlock)         /* LK009 */                         \
  PROPERTY(Crash)            /* LK017; of the process: no scenario lists it, no run has it */

#define INTERLOCK_ENUMERATOR(name) k##name,
enum class Judged : std::uint8_t { INTERLOCK_PROPERTIES(INTERLOCK_ENUMERATOR) };
#undef INTERLOCK_ENUMERATOR

#define INTERLOCK_COUNTED(name) +1
inline constexpr std::size_t kJudgedCount = 0 INTERLOCK_PROPERTIES(INTERLOCK_COUNTED);
#undef INTERLOCK_COUNTED

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
