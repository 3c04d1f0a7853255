// SPDX-License-Identifier: MIT
//
// The computed bound of the second phase: what it adds up, and what it says of itself.
#include "scenarios/judge/liveness_bound.h"

#include <gtest/gtest.h>

namespace interlock::scenarios {
namespace {

using std::chrono::milliseconds;

LivenessTerms Terms() {
  LivenessTerms terms;
  terms.lease = milliseconds(1000);
  terms.hold = milliseconds(300);
  terms.hand_over = milliseconds(50);
  terms.retry = milliseconds(200);
  return terms;
}

TEST(LivenessBoundTest, NobodyWaitsLongerThanOneLeaseAndOnePauseForNothing) {
  LivenessTerms terms = Terms();
  terms.waiters = 0;
  EXPECT_EQ(LivenessBound(terms), milliseconds(1200));
}

TEST(LivenessBoundTest, EveryRequestAddsAHoldAndAHandOver) {
  LivenessTerms terms = Terms();
  EXPECT_EQ(LivenessBound(terms), milliseconds(1200 + 350));
  terms.waiters = 3;
  EXPECT_EQ(LivenessBound(terms), milliseconds(1200 + 3 * 350));
}

TEST(LivenessBoundTest, ASlowClockStretchesLeasesAndHoldsButNoHandOver) {
  LivenessTerms terms = Terms();
  terms.waiters = 2;
  const Duration exact = LivenessBound(terms);
  terms.rate_ppm = 500'000;
  // Half of 1000 ms + 2 x 300 ms more, rounded up by less than a microsecond.
  EXPECT_GE(LivenessBound(terms), exact + milliseconds(800));
  EXPECT_LT(LivenessBound(terms), exact + milliseconds(800) + std::chrono::microseconds(1000));
}

TEST(LivenessBoundTest, TheTextHasTheSumAndEveryPart) {
  LivenessTerms terms = Terms();
  terms.waiters = 3;
  EXPECT_EQ(LivenessInWords(terms),
            "2250.000 ms = (lease 1000.000 ms + 3 x hold 300.000 ms) + 3 x hand-over 50.000 ms + "
            "retry 200.000 ms");
  terms.rate_ppm = 2500;
  EXPECT_NE(LivenessInWords(terms).find(" x (1 + 2500 ppm)"), std::string::npos)
      << LivenessInWords(terms);
}

Workload Of(Operation operation) {
  Workload workload;
  workload.lease = milliseconds(1000);
  workload.clients.resize(1);
  workload.clients.front().operations = {operation};
  return workload;
}

TEST(LivenessBoundTest, ASectionIsInUseForItsLengthAndNoLongerThanItsLease) {
  EXPECT_EQ(LongestUse(Of({.hold = milliseconds(600)}), false), milliseconds(600));
  EXPECT_EQ(LongestUse(Of({.hold = milliseconds(9000)}), false), milliseconds(1000));
  EXPECT_EQ(LongestUse(Of({.hold = milliseconds(9000), .extend = true}), false),
            milliseconds(2000));
}

TEST(LivenessBoundTest, WhoOverstaysKeepsItsLeaseToTheEnd) {
  EXPECT_EQ(LongestUse(Of({.hold = milliseconds(1), .overstay = milliseconds(5)}), false),
            milliseconds(1000));
}

TEST(LivenessBoundTest, WhoWritesMayWaitForTheAnswerToTheEndOfItsLease) {
  Workload workload = Of({.hold = milliseconds(1)});
  workload.guard = GuardKind::kFenced;
  EXPECT_EQ(LongestUse(workload, false), milliseconds(1000));
}

TEST(LivenessBoundTest, AProbeIsInUseForAQuarterOfALease) {
  EXPECT_EQ(LongestUse(Of({.hold = milliseconds(1)}), false), milliseconds(250));
}

}  // namespace
}  // namespace interlock::scenarios
