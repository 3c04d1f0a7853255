// SPDX-License-Identifier: MIT
//
// Keys that live too long, judged on hand-written histories: without a TTL, orphaned, left over.
#include "scenarios/judge/keys.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/scenarios/judge/histories.h"

namespace interlock::scenarios {
namespace {

using std::chrono::milliseconds;
using testing::Answered;
using testing::Asked;
using testing::Believes;
using testing::Crash;
using ::testing::ElementsAre;
using testing::Ended;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::Ms;
using testing::NewHistory;
using testing::Owns;
using testing::PropertiesOf;
using testing::Released;
using Keys = std::vector<sim::redis::Server::KeyInfo>;

constexpr std::int64_t kNow = 5'000'000;

sim::redis::Server::KeyInfo Key(std::string name, std::optional<std::int64_t> expires_at_ms) {
  sim::redis::Server::KeyInfo info{};
  info.key = std::move(name);
  info.expires_at_ms = expires_at_ms;
  return info;
}

/// Judges each key after one command, up to the first that lives too long.
void JudgeTtls(const Keys& keys, std::optional<std::int64_t> now_ms, const KeyLimits& limits,
               std::vector<Violation>& violations) {
  for (const auto& key : keys) {
    if (JudgeTtl(key.key, key.expires_at_ms, now_ms, limits, 1, Ms(7), violations)) return;
  }
}

std::vector<Violation> JudgeTtl(const Keys& keys) {
  std::vector<Violation> violations;
  JudgeTtls(keys, kNow, {1000, {{"signal*", milliseconds(3000)}}}, violations);
  return violations;
}

TEST(TtlsTest, AKeyWithoutTtlIsReportedOnceWithItsName) {
  const auto violations = JudgeTtl({Key("good", kNow), Key("bad", {}), Key("worse", {})});
  ASSERT_THAT(PropertiesOf(violations), ElementsAre(Judged::kKeys));
  EXPECT_THAT(violations[0].what, HasSubstr("\"bad\""));
  EXPECT_EQ(violations[0].at, Ms(7));
  EXPECT_EQ(violations[0].client, 1);
}

TEST(TtlsTest, WhatIsDeclaredToStayForEverMayStay) {
  std::vector<Violation> violations;
  const KeyLimits limits{1000, {{"fence", milliseconds::max()}}};
  JudgeTtls({Key("fence", {}), Key("fence", kNow + 9000)}, kNow, limits, violations);
  JudgeLeftovers({Key("fence", {})}, kNow, limits, NewHistory(), violations);
  EXPECT_THAT(violations, IsEmpty());
  JudgeTtls({Key("fences", {})}, kNow, limits, violations);
  EXPECT_THAT(PropertiesOf(violations), ElementsAre(Judged::kKeys));
}

TEST(TtlsTest, KeysWithTtlAreFine) {
  EXPECT_THAT(JudgeTtl({}), IsEmpty());
  EXPECT_THAT(JudgeTtl({Key("good", kNow), Key("also-good", kNow + 1000)}), IsEmpty());
}

TEST(TtlsTest, AnOwnershipKeyMayNotOutliveTheLease) {
  const auto violations = JudgeTtl({Key("good", kNow + 1000), Key("lock", kNow + 1001)});
  ASSERT_THAT(PropertiesOf(violations), ElementsAre(Judged::kKeys));
  EXPECT_THAT(violations[0].what, HasSubstr("\"lock\" has 1001 ms to live"));
}

TEST(TtlsTest, AnAuxiliaryKeyMayLiveAsLongAsItWasDeclared) {
  EXPECT_THAT(JudgeTtl({Key("signal:1", kNow + 3000)}), IsEmpty());
  EXPECT_THAT(PropertiesOf(JudgeTtl({Key("signal:1", kNow + 3001)})), ElementsAre(Judged::kKeys));
}

TEST(TtlsTest, WhenTheServersClockWasSetOnlyAKeyWithoutTtlIsJudged) {
  std::vector<Violation> violations;
  JudgeTtls({Key("lock", kNow + 9000)}, std::nullopt, {1000, {}}, violations);
  EXPECT_THAT(violations, IsEmpty());
  JudgeTtls({Key("lock", {})}, std::nullopt, {1000, {}}, violations);
  EXPECT_THAT(PropertiesOf(violations), ElementsAre(Judged::kKeys));
}

TEST(DeadlinesTest, AnOwnershipEntryMayNotOutliveTheLease) {
  Ledger::Look look;
  look.now_ms = kNow;
  look.owners = {{"t1", kOpen, kNow + 1000}, {"t2", kOpen, kNoDeadline}};
  std::vector<Violation> violations;
  JudgeDeadlines(look, {1000, {}}, 1, Ms(7), violations);
  EXPECT_THAT(violations, IsEmpty());
  look.owners.push_back({"t3", kOpen, kNow + 1001});
  JudgeDeadlines(look, {1000, {}}, 1, Ms(7), violations);
  EXPECT_THAT(PropertiesOf(violations), ElementsAre(Judged::kKeys));
}

std::vector<Violation> JudgeOrphansOf(const History& history) {
  std::vector<Violation> violations;
  JudgeOrphans(history, violations);
  return violations;
}

/// C1 asked at 5 ms and was answered at 20 ms; the server had made an entry at 10 ms.
History GrantAndAnswer(StatusCode answer) {
  History history = NewHistory();
  history.attempts = {Answered(Asked(0, Ask::kTry, Ms(5)), Ms(20), answer)};
  history.server_holds = {Ended(Owns(0, Ms(10), Ms(1010)), ServerHoldEnd::kExpired, Ms(1010))};
  return history;
}

TEST(OrphansTest, AnEntryOfAClientThatWasRefusedIsAnOrphan) {
  const auto violations = JudgeOrphansOf(GrantAndAnswer(StatusCode::kNotAcquired));
  ASSERT_THAT(PropertiesOf(violations), ElementsAre(Judged::kKeys));
  EXPECT_EQ(violations[0].at, Ms(10));
}

// PTTL says 0 of it: nothing is left that could be cleaned up.
TEST(OrphansTest, AnEntryInItsLastMillisecondIsFine) {
  History history = GrantAndAnswer(StatusCode::kNotAcquired);
  history.attempts[0].answered = Ms(1009);
  EXPECT_THAT(JudgeOrphansOf(history), IsEmpty());
  history.attempts[0].answered = Ms(1009) - Duration(1);
  EXPECT_THAT(PropertiesOf(JudgeOrphansOf(history)), ElementsAre(Judged::kKeys));
}

TEST(OrphansTest, AnEntryThatWasCleanedUpIsFine) {
  History history = GrantAndAnswer(StatusCode::kNotAcquired);
  history.server_holds[0] = Ended(history.server_holds[0], ServerHoldEnd::kReleased, Ms(30));
  EXPECT_THAT(JudgeOrphansOf(history), IsEmpty());
}

TEST(OrphansTest, AnEntryOfAClientThatWasToldUnknownIsFine) {
  EXPECT_THAT(JudgeOrphansOf(GrantAndAnswer(StatusCode::kUnknownOutcome)), IsEmpty());
}

TEST(OrphansTest, AnEntryOfAClientThatIsStillAskingIsFine) {
  History history = GrantAndAnswer(StatusCode::kOk);
  history.attempts[0].answered = kOpen;
  EXPECT_THAT(JudgeOrphansOf(history), IsEmpty());
}

TEST(OrphansTest, AnEntryOfADeadClientIsFine) {
  History history = GrantAndAnswer(StatusCode::kNotAcquired);
  Crash(history, 0, Ms(600));
  EXPECT_THAT(JudgeOrphansOf(history), IsEmpty());
}

/// C1 was told no at 20 ms, and its request, its first command, arrives at 900 ms.
History RefusedAndLate(Duration barred_for) {
  History history = GrantAndAnswer(StatusCode::kUnavailable);
  history.barred_for = barred_for;
  history.attempts[0].Sends(1);
  history.server_holds = {Ended(Owns(0, Ms(900), Ms(1900)), ServerHoldEnd::kExpired, Ms(1900))};
  history.server_holds[0].client = -1;  // as the ledger has it once its request is over
  history.server_holds[0].made_by = 0;
  history.server_holds[0].made_with = 1;
  history.delays = {{0, {Ms(5), Ms(950)}}};
  return history;
}

TEST(BarredTest, ARequestThatWasHeldUpExcusesItsEntryUnlessTheLockSaysThatItIsBarred) {
  EXPECT_THAT(JudgeOrphansOf(RefusedAndLate(milliseconds(0))), IsEmpty());
  const auto violations = JudgeOrphansOf(RefusedAndLate(milliseconds(5000)));
  ASSERT_THAT(PropertiesOf(violations), ElementsAre(Judged::kKeys));
  EXPECT_EQ(violations[0].at, Ms(900));
  EXPECT_THAT(JudgeOrphansOf(RefusedAndLate(milliseconds(895))), IsEmpty()) << "since 5 ms";
}

TEST(BarredTest, AServerThatHasLostDataMayHaveForgottenIt) {
  History history = RefusedAndLate(milliseconds(5000));
  history.server_changed = true;
  EXPECT_THAT(JudgeOrphansOf(history), IsEmpty());
}

TEST(BarredTest, WhoWasToldUnknownWasNotToldThatItIsBarred) {
  History history = RefusedAndLate(milliseconds(5000));
  history.attempts[0].answer = StatusCode::kUnknownOutcome;
  EXPECT_THAT(JudgeOrphansOf(history), IsEmpty());
}

TEST(BarredTest, AnotherRequestOfTheClientIsJudgedByItsOwnAnswer) {
  History history = RefusedAndLate(milliseconds(5000));
  history.server_holds[0].made_with = 2;
  EXPECT_THAT(JudgeOrphansOf(history), IsEmpty());
}

/// The same token is granted again when it has been given back at 300 ms, to nobody's joy.
History ReleasedAndLate() {
  History history = RefusedAndLate(milliseconds(5000));
  history.attempts[0].answer = StatusCode::kOk;
  history.attempts[0].queued_with = "EVALSHA ask " + history.server_holds[0].token;
  history.holds = {Released(Believes(0, Ms(20), Ms(1000)), Ms(300), Ms(310), StatusCode::kOk)};
  history.holds[0].token = history.server_holds[0].token;
  return history;
}

TEST(BarredTest, WhatWasReleasedMustNotBeGrantedToItsTokenAgain) {
  const auto violations = JudgeOrphansOf(ReleasedAndLate());
  ASSERT_THAT(PropertiesOf(violations), ElementsAre(Judged::kKeys));
  EXPECT_EQ(violations[0].client, 0);
  EXPECT_THAT(violations[0].what, HasSubstr("C1's release was told \"ok\" at 310.000 ms"));
}

TEST(BarredTest, AFaultThatMetTheReleaseExcusesIt) {
  History history = ReleasedAndLate();
  history.disturbances = {{1, Ms(305)}, {0, Ms(200)}};
  EXPECT_THAT(PropertiesOf(JudgeOrphansOf(history)), ElementsAre(Judged::kKeys));
  history.disturbances = {{0, Ms(305)}};
  EXPECT_THAT(JudgeOrphansOf(history), IsEmpty());
  history.disturbances.clear();
  history.outages = {{0, {Ms(200), Ms(305)}}};
  EXPECT_THAT(JudgeOrphansOf(history), IsEmpty());
}

TEST(BarredTest, OnesThatAreTakenAwayByOthersAreNoBetter) {
  History history = RefusedAndLate(milliseconds(5000));
  history.server_holds[0] = Ended(history.server_holds[0], ServerHoldEnd::kReleased, Ms(950));
  EXPECT_THAT(PropertiesOf(JudgeOrphansOf(history)), ElementsAre(Judged::kKeys));
  history.server_holds[0].granted =
      Ms(15);  // and the answer at 20 ms comes of its being taken away
  EXPECT_THAT(JudgeOrphansOf(history), IsEmpty());
}

TEST(BarredTest, AHoldThatIsNotReleasedIsGrantedToItsTokenWithReason) {
  History history = ReleasedAndLate();
  history.holds[0].release_returned = kOpen;
  EXPECT_THAT(JudgeOrphansOf(history), IsEmpty());
}

TEST(BarredTest, AnEarlierTryOfAGrantedRequestIsBarredToo) {
  History history = ReleasedAndLate();
  history.holds[0].token = "another";
  EXPECT_THAT(PropertiesOf(JudgeOrphansOf(history)), ElementsAre(Judged::kKeys));
}

TEST(OrphansTest, AnUnknownAnswerToALaterQuestionExcusesNothing) {
  History history = GrantAndAnswer(StatusCode::kNotAcquired);
  history.attempts.push_back(
      Answered(Asked(0, Ask::kTry, Ms(100)), Ms(120), StatusCode::kUnknownOutcome));
  EXPECT_THAT(PropertiesOf(JudgeOrphansOf(history)), ElementsAre(Judged::kKeys));
}

History HeldAndReleased(StatusCode answer) {
  History history = GrantAndAnswer(StatusCode::kOk);
  history.holds = {Released(Believes(0, Ms(20), Ms(1000)), Ms(300), Ms(310), answer)};
  return history;
}

TEST(OrphansTest, AnEntryThatOutlivesAConfirmedReleaseIsAnOrphan) {
  const auto violations = JudgeOrphansOf(HeldAndReleased(StatusCode::kOk));
  ASSERT_THAT(PropertiesOf(violations), ElementsAre(Judged::kKeys));
  EXPECT_EQ(violations[0].at, Ms(310));
}

TEST(OrphansTest, AnEntryThatOutlivesAnAnswerOfNotOwnerIsAnOrphan) {
  EXPECT_THAT(PropertiesOf(JudgeOrphansOf(HeldAndReleased(StatusCode::kNotOwner))),
              ElementsAre(Judged::kKeys));
}

// Two servers take writes, and the release is led to the other one, where others have come since.
TEST(OrphansTest, AnAnswerOfNotOwnerMayComeFromASupersededServer) {
  History history = HeldAndReleased(StatusCode::kNotOwner);
  history.server_holds[0].node = 1;
  history.supersessions = {{0, Ms(8)}};
  EXPECT_THAT(PropertiesOf(JudgeOrphansOf(history)), ElementsAre(Judged::kKeys))
      << "the other one is asked by nobody";
  ServerHold other = Ended(Owns(1, Ms(200), Ms(400)), ServerHoldEnd::kReleased, Ms(210));
  history.server_holds.push_back(other);
  EXPECT_THAT(JudgeOrphansOf(history), IsEmpty());
  history.server_holds.back().granted = Ms(5);
  EXPECT_THAT(PropertiesOf(JudgeOrphansOf(history)), ElementsAre(Judged::kKeys))
      << "somebody else was there before";
  history.server_holds.back().client = 0;
  EXPECT_THAT(JudgeOrphansOf(history), IsEmpty()) << "it has a connection from then";
  history.holds[0].release_status = StatusCode::kLeaseLost;
  EXPECT_THAT(JudgeOrphansOf(history), IsEmpty()) << "it has released another one, too";
  history.holds[0].release_status = StatusCode::kOk;
  EXPECT_THAT(PropertiesOf(JudgeOrphansOf(history)), ElementsAre(Judged::kKeys));
}

// Not to know is excused by a broken connection only.
TEST(OrphansTest, AnEntryAfterAReleaseThatDoesNotKnowNeedsAFaultForAnExcuse) {
  for (const StatusCode answer : {StatusCode::kUnknownOutcome, StatusCode::kUnavailable}) {
    History history = HeldAndReleased(answer);
    EXPECT_THAT(PropertiesOf(JudgeOrphansOf(history)), ElementsAre(Judged::kKeys));
    history.disturbances = {{1, Ms(300)}, {0, Ms(400)}};  // another client's; too late
    EXPECT_THAT(PropertiesOf(JudgeOrphansOf(history)), ElementsAre(Judged::kKeys));
    history.disturbances = {{0, Ms(300)}};
    EXPECT_THAT(JudgeOrphansOf(history), IsEmpty());
  }
}

TEST(OrphansTest, ALeaseThatRanOutBeforeTheReleaseIsFine) {
  History history = GrantAndAnswer(StatusCode::kOk);
  history.holds = {
      Released(Believes(0, Ms(20), Ms(1000)), Ms(1500), Ms(1510), StatusCode::kLeaseLost)};
  EXPECT_THAT(JudgeOrphansOf(history), IsEmpty());
}

/// Released at 310 ms; a command executed at `renewed` prolonged the entry all the same.
History ProlongedAfterItsRelease(VirtualTime renewed) {
  History history = HeldAndReleased(StatusCode::kUnknownOutcome);
  history.disturbances = {{0, Ms(300)}};  // an excuse for the entry to be there
  history.server_holds[0].renewed = renewed;
  history.server_holds[0].promised_until = renewed + testing::kLease;
  return history;
}

TEST(OrphansTest, AnEntryThatIsProlongedAfterItsReleaseIsAnOrphan) {
  const auto violations = JudgeOrphansOf(ProlongedAfterItsRelease(Ms(331)));
  ASSERT_THAT(PropertiesOf(violations), ElementsAre(Judged::kKeys));
  EXPECT_EQ(violations[0].at, Ms(331));
  EXPECT_THAT(violations[0].what, HasSubstr("prolonged its ownership entry all the same"));
}

TEST(OrphansTest, AnEntryThatAnotherOneProlongsIsNotItsOwnersFault) {
  History history = ProlongedAfterItsRelease(Ms(331));
  history.server_holds[0].renewed_by_others = true;
  EXPECT_THAT(JudgeOrphansOf(history), IsEmpty());
}

TEST(OrphansTest, AnEntryThatWasProlongedBeforeItsReleaseIsFine) {
  EXPECT_THAT(JudgeOrphansOf(ProlongedAfterItsRelease(Ms(290))), IsEmpty());
}

// Sent before the release, executed a little later: a fiftieth of the lease is granted for that.
TEST(OrphansTest, AnExtensionThatWasOnItsWayIsFine) {
  EXPECT_THAT(JudgeOrphansOf(ProlongedAfterItsRelease(Ms(330))), IsEmpty());
}

TEST(OrphansTest, AnExtensionThatTheNetworkHeldUpIsFine) {
  History history = ProlongedAfterItsRelease(Ms(700));
  history.delays = {{0, {Ms(250), Ms(705)}}};
  EXPECT_THAT(JudgeOrphansOf(history), IsEmpty());
  history.delays = {{1, {Ms(250), Ms(705)}}, {0, {Ms(250), Ms(699)}}};  // another's; too early
  EXPECT_THAT(PropertiesOf(JudgeOrphansOf(history)), ElementsAre(Judged::kKeys));
}

std::vector<Violation> JudgeLeft(const Keys& keys,
                                 const std::vector<harness::AuxiliaryKey>& auxiliary = {}) {
  std::vector<Violation> violations;
  JudgeLeftovers(keys, kNow, {1000, auxiliary}, NewHistory(), violations);
  return violations;
}

TEST(LeftoversTest, NothingLeftIsFine) { EXPECT_THAT(JudgeLeft({}), IsEmpty()); }

TEST(LeftoversTest, AKeyThatEndsWithinTheLeaseIsFine) {
  EXPECT_THAT(JudgeLeft({Key("lock", kNow + 1000)}), IsEmpty());
}

TEST(LeftoversTest, AKeyThatOutlivesTheLeaseIsLeftOver) {
  const auto violations = JudgeLeft({Key("lock", kNow + 1001)});
  ASSERT_THAT(PropertiesOf(violations), ElementsAre(Judged::kKeys));
  EXPECT_THAT(violations[0].what, HasSubstr("\"lock\""));
  EXPECT_THAT(violations[0].what, HasSubstr("1001 ms"));
}

TEST(LeftoversTest, AKeyWithoutTtlIsLeftOverEvenIfDeclared) {
  EXPECT_THAT(PropertiesOf(JudgeLeft({Key("fence", {})}, {{"fence", milliseconds(9000)}})),
              ElementsAre(Judged::kKeys));
}

TEST(LeftoversTest, ADeclaredKeyMayLiveAsLongAsDeclared) {
  const std::vector<harness::AuxiliaryKey> auxiliary = {{"fence", milliseconds(9000)}};
  EXPECT_THAT(JudgeLeft({Key("fence", kNow + 9000)}, auxiliary), IsEmpty());
  EXPECT_THAT(PropertiesOf(JudgeLeft({Key("fence", kNow + 9001)}, auxiliary)),
              ElementsAre(Judged::kKeys));
  EXPECT_THAT(PropertiesOf(JudgeLeft({Key("fence2", kNow + 9000)}, auxiliary)),
              ElementsAre(Judged::kKeys));
}

TEST(LeftoversTest, AStarMatchesAnySuffix) {
  const std::vector<harness::AuxiliaryKey> auxiliary = {{"lock:cancelled:*", milliseconds(9000)}};
  EXPECT_THAT(JudgeLeft({Key("lock:cancelled:abc", kNow + 9000)}, auxiliary), IsEmpty());
  EXPECT_THAT(PropertiesOf(JudgeLeft({Key("lock:cancel", kNow + 9000)}, auxiliary)),
              ElementsAre(Judged::kKeys));
}

}  // namespace
}  // namespace interlock::scenarios
