// SPDX-License-Identifier: MIT
//
// Requests that are not answered, or refused, though all faults have long been over: a spurious
// refusal (LK010), judged on hand-written histories.
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "scenarios/judge/refusals.h"
#include "tests/scenarios/judge/histories.h"

namespace interlock::scenarios {
namespace {

using testing::Answered;
using testing::Asked;
using testing::Believes;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::Ms;
using testing::NewHistory;
using testing::Owns;
using testing::PropertiesOf;
using testing::Released;

/// All faults end at 1000 ms. After that C1 asks three times, the third time a minute later, and is
/// told `last`.
History AskedAgain(StatusCode last) {
  History history = NewHistory();
  history.healed = Ms(1000);
  for (const auto at : {Ms(900), Ms(1100), Ms(1200), Ms(61'000)}) {
    history.attempts.push_back(
        Answered(Asked(0, Ask::kTry, at), at + Ms(2), StatusCode::kUnavailable));
  }
  history.attempts.back().answer = last;
  return history;
}

std::vector<Violation> JudgeAgain(const History& history) {
  std::vector<Violation> violations;
  JudgeRecovery(history, violations);
  return violations;
}

TEST(RecoveryTest, ALateRequestThatIsNotAnsweredIsConvicted) {
  for (const StatusCode answer :
       {StatusCode::kUnavailable, StatusCode::kUnknownOutcome, StatusCode::kProtocolError}) {
    const auto violations = JudgeAgain(AskedAgain(answer));
    ASSERT_THAT(PropertiesOf(violations), ElementsAre(Judged::kSpuriousRefusal));
    EXPECT_EQ(violations[0].at, Ms(61'002));
    EXPECT_THAT(violations[0].what, HasSubstr("though all faults had been over for 60000.000 ms"));
  }
}

TEST(RecoveryTest, AnAnswerIsFineWhateverItSays) {
  for (const StatusCode answer :
       {StatusCode::kOk, StatusCode::kNotAcquired, StatusCode::kTimeout}) {
    EXPECT_THAT(JudgeAgain(AskedAgain(answer)), IsEmpty()) << ToString(answer);
  }
}

TEST(RecoveryTest, TheFirstTwoRequestsMayMeetWhatTheFaultsLeft) {
  History history = AskedAgain(StatusCode::kUnavailable);
  history.attempts.erase(history.attempts.begin() + 1);
  EXPECT_THAT(JudgeAgain(history), IsEmpty());
}

// A circuit breaker may stay open for a while.
TEST(RecoveryTest, ARestOfLessThanAMinuteIsFine) {
  History history = AskedAgain(StatusCode::kUnavailable);
  history.attempts.back().asked = Ms(60'999);
  EXPECT_THAT(JudgeAgain(history), IsEmpty());
}

TEST(RecoveryTest, OtherClientsRequestsDoNotCount) {
  History history = AskedAgain(StatusCode::kUnavailable);
  history.attempts.back().client = 1;
  EXPECT_THAT(JudgeAgain(history), IsEmpty());
}

/// Granted at last, and its release, called at 61,400 ms, was told `answer`.
History ReleasedAgain(StatusCode answer) {
  History history = AskedAgain(StatusCode::kOk);
  history.holds = {Released(Believes(0, Ms(61'002), Ms(62'000)), Ms(61'400), Ms(61'402), answer)};
  history.holds[0].asked = Ms(61'000);
  return history;
}

TEST(RecoveryTest, AReleaseWithoutAnAnswerIsConvictedAsWell) {
  const auto violations = JudgeAgain(ReleasedAgain(StatusCode::kUnavailable));
  ASSERT_THAT(PropertiesOf(violations), ElementsAre(Judged::kSpuriousRefusal));
  EXPECT_THAT(violations[0].what, HasSubstr("C1's release was told \"unavailable\""));
  EXPECT_THAT(JudgeAgain(ReleasedAgain(StatusCode::kOk)), IsEmpty());
}

TEST(RecoveryTest, AReleaseThatIsDeniedToTheOwnerIsConvicted) {
  History history = ReleasedAgain(StatusCode::kNotOwner);
  EXPECT_THAT(JudgeAgain(history), IsEmpty());
  history.server_holds = {Owns(0, Ms(61'001), Ms(62'001))};
  const auto violations = JudgeAgain(history);
  ASSERT_THAT(PropertiesOf(violations), ElementsAre(Judged::kSpuriousRefusal));
  EXPECT_THAT(violations[0].what, HasSubstr("while it was the owner"));
  history.server_holds[0].promised_until = Ms(61'401);
  EXPECT_THAT(JudgeAgain(history), IsEmpty());
}

std::vector<Violation> LateRefusals(const History& history) {
  std::vector<Violation> violations;
  JudgeRefusals(history, violations);
  return violations;
}

TEST(RecoveryTest, AFaultExcusesNoLateRefusalOfWhatIsFree) {
  History history = AskedAgain(StatusCode::kNotAcquired);
  history.attempts.back().commands = 1;
  history.disturbances = {{0, Ms(800)}};
  EXPECT_THAT(PropertiesOf(LateRefusals(history)), ElementsAre(Judged::kSpuriousRefusal));
  history.attempts.back().asked = Ms(60'999);
  EXPECT_THAT(LateRefusals(history), IsEmpty());
}

}  // namespace
}  // namespace interlock::scenarios
