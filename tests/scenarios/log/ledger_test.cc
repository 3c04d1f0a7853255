// SPDX-License-Identifier: MIT
//
// What the ledger makes of ownership entries that come, change and go, each judgement shown both
// ways: a history that breaks the property and its nearest neighbour that does not.
#include "scenarios/log/ledger.h"

#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/scenarios/judge/histories.h"
#include "tests/scenarios/log/ledger_fixture.h"

namespace interlock::scenarios {
namespace {

using testing::Answered;
using testing::Asked;
using testing::Believes;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::Ms;
using testing::PropertiesOf;

TEST_F(LedgerTest, RecordsAGrantFromItsCommandToItsRelease) {
  Grant(0, Ms(10), Ms(1010));
  Sync(0, Doing::kReleasing, Ms(300), {});
  ASSERT_EQ(history_.server_holds.size(), 1U);
  const ServerHold& hold = history_.server_holds[0];
  EXPECT_EQ(hold.client, 0);
  EXPECT_EQ(hold.token, "t0");
  EXPECT_EQ(hold.granted, Ms(10));
  EXPECT_EQ(hold.promised_until, Ms(1010));
  EXPECT_EQ(hold.end, ServerHoldEnd::kReleased);
  EXPECT_EQ(hold.promise_end(), Ms(300));
  EXPECT_THAT(violations_, IsEmpty());
}

TEST_F(LedgerTest, ASecondGrantWithinThePromiseIsServerExclusion) {
  Grant(0, Ms(10), Ms(1010));
  Sync(1, Doing::kAsking, Ms(500), {{"t0", Ms(1010)}, {"t1", Ms(1500)}});
  ASSERT_THAT(PropertiesOf(violations_), ElementsAre(Judged::kServerExclusion));
  EXPECT_EQ(violations_[0].at, Ms(500));
  EXPECT_EQ(violations_[0].client, 1);
  EXPECT_THAT(violations_[0].what, HasSubstr("C2"));
  EXPECT_THAT(violations_[0].what, HasSubstr("C1"));
}

// A release script may grant to the next waiter: the entry is the waiter's, not the releaser's.
TEST_F(LedgerTest, AHandOverBelongsToWhoShowsItsToken) {
  Grant(0, Ms(10), Ms(1010));
  Sync(0, Doing::kReleasing, Ms(300), {{"t1", Ms(1300)}});
  ASSERT_EQ(history_.server_holds.size(), 2U);
  EXPECT_EQ(history_.server_holds[0].end, ServerHoldEnd::kReleased);
  EXPECT_EQ(history_.server_holds[1].client, -1);
  Ledger::Claim(1, "t1", Ms(100), history_);
  EXPECT_EQ(history_.server_holds[1].client, 1);
  Sync(1, Doing::kReleasing, Ms(400), {});
  EXPECT_THAT(violations_, IsEmpty());
}

TEST_F(LedgerTest, AGrantAfterAReleaseIsFine) {
  Grant(0, Ms(10), Ms(1010));
  Sync(0, Doing::kReleasing, Ms(300), {});
  Grant(1, Ms(300), Ms(1300));
  EXPECT_THAT(violations_, IsEmpty());
}

// A promise is half open: at its end the lock may be granted, one nanosecond before it may not.
TEST_F(LedgerTest, AGrantAtTheEndOfThePromiseIsFine) {
  Grant(0, Ms(10), Ms(1010));
  Grant(1, Ms(1010), Ms(2010));
  EXPECT_THAT(violations_, IsEmpty());
  EXPECT_EQ(history_.server_holds[0].end, ServerHoldEnd::kExpired);
  EXPECT_EQ(history_.server_holds[0].ended, Ms(1010));
}

TEST_F(LedgerTest, AGrantJustBeforeTheEndOfThePromiseIsServerExclusion) {
  Grant(0, Ms(10), Ms(1010));
  Grant(1, Ms(1010) - Duration(1), Ms(2010));
  EXPECT_THAT(PropertiesOf(violations_), ElementsAre(Judged::kServerExclusion));
}

TEST_F(LedgerTest, OverwritingAnEntryIsAGrantAndNotAForeignRelease) {
  Grant(0, Ms(10), Ms(1010));
  Grant(1, Ms(20), Ms(1020));
  EXPECT_THAT(PropertiesOf(violations_), ElementsAre(Judged::kServerExclusion));
  EXPECT_EQ(history_.server_holds[0].end, ServerHoldEnd::kForeign);
}

// Tokens need not be unique: a client that overwrites with the very same token is seen all the
// same, because the deadline moved under another client's request.
TEST_F(LedgerTest, OverwritingAnEntryWithTheSameTokenIsServerExclusion) {
  Sync(0, Doing::kAsking, Ms(10), {{"locked", Ms(1010)}});
  Sync(1, Doing::kAsking, Ms(20), {{"locked", Ms(1020)}});
  EXPECT_THAT(PropertiesOf(violations_), ElementsAre(Judged::kServerExclusion));
}

TEST_F(LedgerTest, ADeletionByAnotherClientIsForeignRelease) {
  Grant(0, Ms(10), Ms(1010));
  Sync(1, Doing::kReleasing, Ms(500), {});
  ASSERT_THAT(PropertiesOf(violations_), ElementsAre(Judged::kForeignRelease));
  EXPECT_EQ(violations_[0].client, 1);
  EXPECT_EQ(history_.server_holds[0].end, ServerHoldEnd::kForeign);
}

TEST_F(LedgerTest, ADeletionByAnotherClientAfterTheDeadlineIsAnExpiry) {
  Grant(0, Ms(10), Ms(1010));
  Sync(1, Doing::kReleasing, Ms(1010), {});
  EXPECT_THAT(violations_, IsEmpty());
  EXPECT_EQ(history_.server_holds[0].end, ServerHoldEnd::kExpired);
}

// Whoever deletes another's entry does not end the promise that the owner was given.
TEST_F(LedgerTest, ThePromiseGoesOnAfterAForeignDeletion) {
  Grant(0, Ms(10), Ms(1010));
  Sync(1, Doing::kReleasing, Ms(500), {});
  EXPECT_EQ(history_.server_holds[0].promise_end(), Ms(1010));
  Grant(2, Ms(600), Ms(1600));
  EXPECT_THAT(PropertiesOf(violations_),
              ElementsAre(Judged::kForeignRelease, Judged::kServerExclusion));
}

TEST_F(LedgerTest, AGrantAfterTheForeignlyDeletedPromiseIsFine) {
  Grant(0, Ms(10), Ms(1010));
  Sync(1, Doing::kReleasing, Ms(500), {});
  violations_.clear();
  Grant(2, Ms(1010), Ms(2010));
  EXPECT_THAT(violations_, IsEmpty());
}

TEST_F(LedgerTest, AnEntryWithoutDeadlineIsPromisedForEver) {
  Grant(0, Ms(10), kOpen);
  Grant(1, Ms(90'000), kOpen);
  EXPECT_THAT(PropertiesOf(violations_), ElementsAre(Judged::kServerExclusion));
}

TEST_F(LedgerTest, AnExtensionByItsOwnerIsFineAndProlongsThePromise) {
  Grant(0, Ms(10), Ms(1010));
  Sync(0, Doing::kExtending, Ms(500), {{"t0", Ms(1500)}});
  EXPECT_THAT(violations_, IsEmpty());
  EXPECT_EQ(history_.server_holds[0].promised_until, Ms(1500));
  EXPECT_EQ(history_.server_holds[0].renewed, Ms(500));
  Grant(1, Ms(1200), Ms(2200));
  EXPECT_THAT(PropertiesOf(violations_), ElementsAre(Judged::kServerExclusion));
}

TEST_F(LedgerTest, AnExtensionOfAnothersLeaseIsForeignExtend) {
  Grant(0, Ms(10), Ms(1010));
  Sync(1, Doing::kExtending, Ms(500), {{"t0", Ms(1500)}});
  ASSERT_THAT(PropertiesOf(violations_), ElementsAre(Judged::kForeignExtend));
  EXPECT_EQ(violations_[0].client, 1);
  // It lives on, though its client has not prolonged it.
  EXPECT_EQ(history_.server_holds[0].renewed, Ms(500));
  EXPECT_TRUE(history_.server_holds[0].renewed_by_others);
}

// Readers in a hash with one TTL: client 0 still holds "t0", and its release of "u0" was lost.
TEST_F(LedgerTest, WhoProlongsTheOnlyTtlRenewsWhatItHoldsAndNothingElse) {
  const auto sync = [&](int client, Doing doing, VirtualTime now, VirtualTime until,
                        std::vector<std::string> tokens) {
    std::vector<SeenOwner> owners;
    for (std::string& token : tokens) owners.push_back({std::move(token), until});
    for (SeenOwner& owner : owners) owner.shared = true;
    Ledger::Look look = LookAt(now, std::move(owners));
    look.ttl_ms = InMs(until);
    SyncWith(ledger_, client, doing, now, look);
  };
  for (const std::string token : {"u0", "t0", "t1"}) {
    Attempt attempt = Asked(token == "t1" ? 1 : 0, Ask::kTry, Ms(1));
    attempt.Executed(token, 1, Ms(1));
    history_.attempts.push_back(std::move(attempt));
  }
  sync(0, Doing::kAsking, Ms(10), Ms(1010), {"u0"});
  sync(0, Doing::kAsking, Ms(20), Ms(1020), {"u0", "t0"});
  history_.holds = {Believes(0, Ms(20), Ms(1020))};
  sync(1, Doing::kAsking, Ms(50), Ms(1050), {"u0", "t0", "t1"});
  sync(0, Doing::kExtending, Ms(500), Ms(1500), {"u0", "t0", "t1"});
  EXPECT_THAT(violations_, IsEmpty());
  const auto& entries = history_.server_holds;
  ASSERT_EQ(entries.size(), 3U);
  EXPECT_EQ(entries[0].renewed, Ms(10));
  EXPECT_EQ(entries[1].renewed, Ms(500));
  EXPECT_EQ(entries[2].renewed, Ms(50));
  EXPECT_FALSE(entries[1].renewed_by_others);
}

// A client that has not the lock gives its holder a new deadline: what it did that for names it.
TEST_F(LedgerTest, ShorteningAnothersLeaseIsAForeignReleaseIfAReleaseDoesIt) {
  Grant(0, Ms(10), Ms(1010));
  Sync(1, Doing::kReleasing, Ms(500), {{"t0", Ms(600)}});
  EXPECT_THAT(PropertiesOf(violations_), ElementsAre(Judged::kForeignRelease));
}

TEST_F(LedgerTest, ShorteningAnothersLeaseByAnExtensionIsForeignExtend) {
  Grant(0, Ms(10), Ms(1010));
  Sync(1, Doing::kExtending, Ms(500), {{"t0", Ms(600)}});
  EXPECT_THAT(PropertiesOf(violations_), ElementsAre(Judged::kForeignExtend));
}

TEST_F(LedgerTest, AnExtensionJustBeforeTheDeadlineIsFine) {
  Grant(0, Ms(10), Ms(1010));
  Sync(0, Doing::kExtending, Ms(1010) - Duration(1), {{"t0", Ms(2009)}});
  EXPECT_THAT(violations_, IsEmpty());
}

TEST_F(LedgerTest, AnExtensionThatMakesADeadEntryAgainIsForeignExtend) {
  Grant(0, Ms(10), Ms(1010));
  Sync(0, Doing::kExtending, Ms(1010), {{"t0", Ms(2010)}});
  ASSERT_THAT(PropertiesOf(violations_), ElementsAre(Judged::kForeignExtend));
  EXPECT_EQ(history_.server_holds[0].end, ServerHoldEnd::kExpired);
  ASSERT_EQ(history_.server_holds.size(), 2U);
  EXPECT_EQ(history_.server_holds[1].granted, Ms(1010));
}

TEST_F(LedgerTest, SoItIsThoughTheServerWasSeenWithoutItMeanwhile) {
  Grant(0, Ms(10), Ms(1010));
  Sync(1, Doing::kReleasing, Ms(1100), {});
  EXPECT_EQ(history_.server_holds[0].end, ServerHoldEnd::kExpired);
  Sync(0, Doing::kExtending, Ms(1200), {{"t0", Ms(2200)}});
  EXPECT_THAT(PropertiesOf(violations_), ElementsAre(Judged::kForeignExtend));
}

/// Clients 0 and 1 are users of one process, and 2 is in another one.
class MatesLedgerTest : public LedgerTest {
 protected:
  MatesLedgerTest() {
    history_.mates = {{0, 1}};
    Grant(0, Ms(10), Ms(1010));
  }
};

TEST_F(MatesLedgerTest, ADeletionInAnotherUsersReleaseIsForeignRelease) {
  history_.holds = {Believes(0, Ms(11), Ms(1000))};
  Sync(1, Doing::kReleasing, Ms(500), {});
  EXPECT_THAT(PropertiesOf(violations_), ElementsAre(Judged::kForeignRelease));
}

TEST_F(MatesLedgerTest, SoItIsWhileTheGrantIsOnItsWayToItsUser) {
  history_.attempts = {Asked(0, Ask::kTry, Ms(5))};
  Sync(1, Doing::kReleasing, Ms(11), {});
  EXPECT_THAT(PropertiesOf(violations_), ElementsAre(Judged::kForeignRelease));
}

TEST_F(MatesLedgerTest, AnotherUsersRequestMayCleanUpWhatNobodyHolds) {
  history_.attempts = {Answered(Asked(0, Ask::kTry, Ms(5)), Ms(20), StatusCode::kUnknownOutcome)};
  Sync(1, Doing::kAsking, Ms(500), {});
  EXPECT_THAT(violations_, IsEmpty());
  EXPECT_EQ(history_.server_holds[0].end, ServerHoldEnd::kReleased);
}

TEST_F(MatesLedgerTest, WhatTheLockDoesOfItsOwnAccordIsNobodysFault) {
  history_.holds = {Believes(0, Ms(11), Ms(1000))};
  Sync(1, Doing::kNothing, Ms(500), {{"t0", Ms(1500)}});
  EXPECT_THAT(violations_, IsEmpty());
  EXPECT_EQ(history_.server_holds[0].promised_until, Ms(1500));
}

TEST_F(MatesLedgerTest, WhoAsksMayRenewForOthersAndWhoExtendsMayNot) {
  history_.holds = {Believes(0, Ms(11), Ms(1000))};
  history_.attempts = {Answered(Asked(0, Ask::kTry, Ms(5)), Ms(11))};
  history_.attempts[0].queued_with = "t0";
  Sync(1, Doing::kAsking, Ms(300), {{"t0", Ms(1300)}});
  EXPECT_THAT(violations_, IsEmpty());
  Sync(1, Doing::kExtending, Ms(500), {{"t0", Ms(1500)}});
  EXPECT_THAT(PropertiesOf(violations_), ElementsAre(Judged::kForeignExtend));
}

TEST_F(MatesLedgerTest, AnotherProcessIsAsForeignAsEver) {
  Sync(2, Doing::kNothing, Ms(500), {});
  EXPECT_THAT(PropertiesOf(violations_), ElementsAre(Judged::kForeignRelease));
}

class SemaphoreLedgerTest : public LedgerTest {
 protected:
  SemaphoreLedgerTest() { history_.limits = Limits(2); }

  void SyncTwo(int client, VirtualTime now, const std::vector<SeenOwner>& owners) {
    SyncWith(semaphore_, client, Doing::kAsking, now, LookAt(now, owners), harness::Permits{});
  }

  Ledger semaphore_;
};

TEST_F(SemaphoreLedgerTest, AsManyGrantsAsPermitsAreFine) {
  SyncTwo(0, Ms(10), {{"t0", Ms(1010)}});
  SyncTwo(1, Ms(20), {{"t0", Ms(1010)}, {"t1", Ms(1020)}});
  EXPECT_THAT(violations_, IsEmpty());
}

TEST_F(SemaphoreLedgerTest, OneGrantMoreThanPermitsIsPermitsAtTheServer) {
  SyncTwo(0, Ms(10), {{"t0", Ms(1010)}});
  SyncTwo(1, Ms(20), {{"t0", Ms(1010)}, {"t1", Ms(1020)}});
  SyncTwo(2, Ms(30), {{"t0", Ms(1010)}, {"t1", Ms(1020)}, {"t2", Ms(1030)}});
  EXPECT_THAT(PropertiesOf(violations_), ElementsAre(Judged::kPermitsServer));
}

TEST_F(SemaphoreLedgerTest, AnExpiredPermitMayBeGrantedAgain) {
  SyncTwo(0, Ms(10), {{"t0", Ms(1010)}});
  SyncTwo(1, Ms(20), {{"t0", Ms(1010)}, {"t1", Ms(1020)}});
  SyncTwo(2, Ms(1010), {{"t1", Ms(1020)}, {"t2", Ms(2010)}});
  EXPECT_THAT(violations_, IsEmpty());
}

}  // namespace
}  // namespace interlock::scenarios
