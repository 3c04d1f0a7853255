// SPDX-License-Identifier: MIT
//
// Fencing tokens of two clients of one lock, whose key is granted in an order that is known, or
// whose sections tell the order.
#include "scenarios/run/foreign/fencing.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

namespace interlock::scenarios::drive {
namespace {

using Kind = HoldChange::Kind;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

class FencingTest : public ::testing::Test {
 protected:
  explicit FencingTest(int permits = 1, bool by_keys = true)
      : fencing_(2, permits, by_keys, order_, findings_) {}

  void Note(Kind kind, int client, const std::string& key = "lock") {
    order_.Note({kind, {0, 0, key}, client, std::nullopt});
  }
  void Enter(int client) {
    fencing_.Entered(client, "stock");
    order_.Entered(client);
  }
  void Leave(int client) {
    order_.Left(client);
    fencing_.Left(client);
  }
  /// Granted, and in its section.
  void Get(int client) {
    Note(Kind::kGranted, client);
    Enter(client);
  }
  void Write(int client, std::int64_t token) {
    const GuardedWrite write{"stock", token};
    fencing_.Wrote(client, write, resources_.Write(write));
  }
  std::vector<std::string> Found() const {
    std::vector<std::string> slugs;
    for (const Finding& finding : findings_) slugs.push_back(finding.slug);
    return slugs;
  }

  Findings findings_;
  GrantOrder order_{2};
  Fencing fencing_;
  GuardedResources resources_;
};

TEST_F(FencingTest, AStaleWriteThatIsRefusedDoesNoHarm) {
  Get(0);
  Note(Kind::kExpired, 0);
  Get(1);
  Write(1, 2);
  Write(0, 1);
  EXPECT_THAT(Found(), IsEmpty());
  EXPECT_TRUE(fencing_.compared());
}

TEST_F(FencingTest, NorDoesOneThatComesBeforeTheNextHoldersFirst) {
  Get(0);
  Note(Kind::kExpired, 0);
  Get(1);
  Write(0, 1);
  Write(1, 2);
  Write(0, 1);
  EXPECT_THAT(Found(), IsEmpty());
}

TEST_F(FencingTest, AStaleWriteWithALaterTokenIsAccepted) {
  Get(0);
  Note(Kind::kExpired, 0);
  Get(1);
  Write(1, 1);
  Write(0, 2);
  EXPECT_THAT(Found(), ElementsAre("tokens", "fenced-writes"));
  EXPECT_EQ(findings_.front().sentence,
            "C1 wrote to stock with fencing token 2, though it was granted the lock before C2, "
            "which had written with 1");
}

TEST_F(FencingTest, TheHolderIsRefusedForTheTokenOfAnEarlierOne) {
  Get(0);
  Note(Kind::kExpired, 0);
  Get(1);
  Write(0, 2);
  Write(1, 1);
  EXPECT_THAT(Found(), ElementsAre("tokens", "fenced-writes"));
  EXPECT_EQ(findings_.back().sentence,
            "stock refused what C2 wrote with fencing token 1, though it holds the lock: it had "
            "accepted 2 from C1, which was granted the lock before");
}

TEST_F(FencingTest, NotIfItIsTheHolderNoMore) {
  Get(0);
  Note(Kind::kExpired, 0);
  Get(1);
  Write(0, 2);
  Note(Kind::kExpired, 1);
  Write(1, 1);
  EXPECT_THAT(Found(), ElementsAre("tokens"));
}

TEST_F(FencingTest, TwoHoldersWithOneTokenAreNotToldApart) {
  Get(0);
  Write(0, 1);
  Leave(0);
  Note(Kind::kGivenBack, 0);
  Get(1);
  Write(1, 1);
  EXPECT_THAT(Found(), ElementsAre("tokens"));
}

TEST_F(FencingTest, AHolderMayShowAnotherTokenWithEachWrite) {
  Get(0);
  Write(0, 1);
  Write(0, 2);
  Note(Kind::kGranted, 0);  // it has written the key anew
  Write(0, 2);
  Leave(0);
  Note(Kind::kGivenBack, 0);
  Get(0);
  Write(0, 2);
  EXPECT_THAT(Found(), IsEmpty());
  EXPECT_FALSE(fencing_.compared());
}

TEST_F(FencingTest, WhatWasGivenBackTellsNoOrder) {
  Note(Kind::kGranted, 1, "doorman");
  Note(Kind::kGivenBack, 1, "doorman");
  Note(Kind::kGranted, 0, "doorman");
  Note(Kind::kGivenBack, 0, "doorman");
  Enter(0);
  Write(0, 1);
  Enter(1);
  Write(1, 2);
  EXPECT_THAT(Found(), IsEmpty());
  EXPECT_FALSE(fencing_.compared());
}

TEST_F(FencingTest, NorDoesAKeyThatSeveralHoldAtOnce) {
  Note(Kind::kGranted, 1, "queue");
  Note(Kind::kGranted, 0, "queue");
  Enter(0);
  Write(0, 1);
  Enter(1);
  Write(1, 2);
  EXPECT_THAT(Found(), IsEmpty());
  EXPECT_FALSE(fencing_.compared());
}

TEST_F(FencingTest, NorDoKeysThatContradictEachOther) {
  Note(Kind::kGranted, 0, "a");
  Note(Kind::kGranted, 1, "b");
  Note(Kind::kExpired, 0, "a");
  Note(Kind::kExpired, 1, "b");
  Note(Kind::kGranted, 1, "a");
  Note(Kind::kGranted, 0, "b");
  Write(0, 1);
  Write(1, 1);
  EXPECT_THAT(Found(), IsEmpty());
  EXPECT_FALSE(fencing_.compared());
}

TEST_F(FencingTest, AKeyThatWasLeftToExpireIsNotTakenForTheNextGrant) {
  Get(0);
  Leave(0);
  Note(Kind::kExpired, 0);
  EXPECT_THAT(order_.Of(0), IsEmpty());
  Note(Kind::kGranted, 0);
  Note(Kind::kExpired, 0);
  EXPECT_EQ(order_.Of(0).size(), 1U);  // it has not been inside since, and may believe in it
}

class FencingOfPermitsTest : public FencingTest {
 protected:
  FencingOfPermitsTest() : FencingTest(2) {}
};

TEST_F(FencingOfPermitsTest, HoldersHaveNoOrderInWhichTheyWrite) {
  Get(0);
  Note(Kind::kExpired, 0);
  Get(1);
  Write(1, 1);
  Write(0, 2);
  EXPECT_THAT(Found(), ElementsAre("tokens"));
}

class FencingBySectionsTest : public FencingTest {
 protected:
  FencingBySectionsTest() : FencingTest(1, false) {}
};

TEST_F(FencingBySectionsTest, WhoWasOutsideMeanwhileWasGrantedLater) {
  Enter(1);
  Write(1, 1);
  Leave(1);
  Enter(0);
  Write(0, 3);
  Enter(1);
  Write(1, 2);
  EXPECT_THAT(Found(), IsEmpty());  // it may have asked before the other one entered
  Leave(1);
  Enter(1);
  Write(1, 3);
  EXPECT_THAT(Found(), ElementsAre("tokens"));
}

TEST_F(FencingBySectionsTest, ButMayHaveEnteredAgainUnderItsFirstGrant) {
  Enter(1);
  Write(1, 1);
  Enter(0);
  Write(0, 2);
  Leave(1);
  Enter(1);
  Write(1, 1);
  EXPECT_THAT(Found(), IsEmpty());
}

}  // namespace
}  // namespace interlock::scenarios::drive
