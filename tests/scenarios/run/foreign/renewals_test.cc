// SPDX-License-Identifier: MIT
#include "scenarios/run/foreign/renewals.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>

namespace interlock::scenarios::drive {
namespace {

using Kind = HoldChange::Kind;

/// A client with a lease of 100 ms, in its section.
class RenewalsTest : public ::testing::Test {
 protected:
  void Note(Kind kind, std::optional<std::int64_t> end_ms, bool by_owner = true,
            bool by_force = false, bool inside = true) {
    renewals_.Note({kind, {0, 0, "lock"}, 0, end_ms, by_owner, by_force}, inside, now_ms_);
  }
  void GrantAt(std::int64_t now_ms) {
    now_ms_ = now_ms;
    Note(Kind::kGranted, now_ms + 100);
  }
  void RenewAt(std::int64_t now_ms, bool by_owner = true) {
    now_ms_ = now_ms;
    Note(Kind::kEndMoved, now_ms + 100, by_owner);
  }
  void ExpireAt(std::int64_t end_ms, bool by_force = false, bool inside = true) {
    now_ms_ = end_ms + 1;
    Note(Kind::kExpired, end_ms, true, by_force, inside);
  }

  Findings findings_;
  Renewals renewals_{2, findings_};
  std::int64_t now_ms_ = 0;
};

TEST_F(RenewalsTest, WhoRenewsMustNotStopToAsLongAsItIsInside) {
  GrantAt(0);
  RenewAt(50);
  ExpireAt(150);
  ASSERT_EQ(findings_.size(), 1U);
  EXPECT_EQ(findings_.front().slug, "false-validity");
  EXPECT_EQ(findings_.front().sentence,
            "lock ran out while C1, which held it, was in its section, though this client renews "
            "its leases and no fault has met it");
}

TEST_F(RenewalsTest, NotEvenTheNextTime) {
  GrantAt(0);
  RenewAt(50);
  Note(Kind::kGivenBack, 150);
  EXPECT_FALSE(renewals_.outlasted());
  GrantAt(200);
  ExpireAt(300);
  EXPECT_EQ(findings_.size(), 1U);
}

TEST_F(RenewalsTest, WhoKeepsItsLeaseOutlastsTheFirstEnd) {
  GrantAt(0);
  RenewAt(60);
  RenewAt(120);
  EXPECT_TRUE(renewals_.outlasted());
  now_ms_ = 180;
  Note(Kind::kGivenBack, 220);
  EXPECT_TRUE(findings_.empty());
}

TEST_F(RenewalsTest, WhoDoesNotRenewIsOnlySlow) {
  GrantAt(0);
  Note(Kind::kEndMoved, 40);  // shorter
  ExpireAt(40);
  GrantAt(100);
  RenewAt(150, false);  // by somebody else
  ExpireAt(250);
  EXPECT_TRUE(findings_.empty());
}

TEST_F(RenewalsTest, NorIsItJudgedOutsideOrByAFault) {
  GrantAt(0);
  RenewAt(50);
  ExpireAt(150, false, false);
  GrantAt(200);
  RenewAt(250);
  ExpireAt(350, true);
  renewals_.Disturbed(1);
  renewals_.Disturbed(0);
  GrantAt(400);
  RenewAt(450);
  ExpireAt(550);
  EXPECT_TRUE(findings_.empty());
}

TEST_F(RenewalsTest, ALeaseThatAnotherHasPutOffEndsByItsDoing) {
  GrantAt(0);
  RenewAt(50);
  RenewAt(60, false);
  ExpireAt(160);
  EXPECT_TRUE(findings_.empty());
}

TEST_F(RenewalsTest, AnEndThatIsWrittenDownIsNotTheServers) {
  GrantAt(0);
  RenewAt(50);
  now_ms_ = 100;
  Note(Kind::kExpired, 150);
  EXPECT_TRUE(findings_.empty());
  ExpireAt(150);
  EXPECT_EQ(findings_.size(), 1U);
}

TEST_F(RenewalsTest, ASharedKeyIsNobodysLease) {
  GrantAt(0);
  RenewAt(50);
  renewals_.Note({Kind::kGranted, {0, 0, "lock"}, 1, 150}, true, now_ms_);
  ExpireAt(150);
  EXPECT_TRUE(findings_.empty());
}

}  // namespace
}  // namespace interlock::scenarios::drive
