// SPDX-License-Identifier: MIT
#include "scenarios/run/foreign/lock_words.h"

#include <gtest/gtest.h>

#include <string>

namespace interlock::scenarios::drive {
namespace {

constexpr std::int64_t kNowMs = 1'800'000'000'000;

std::int64_t TimeMs(const std::string& word) {
  const auto time = TimeOf(word, kNowMs);
  return time ? time->ms - kNowMs : -1;
}

TEST(LockWordsTest, LocksAreAskedForByWhatRefuses) {
  EXPECT_EQ(AskedFor({"set", "k", "v", "px", "5", "nx"}), "k");
  EXPECT_EQ(AskedFor({"SETNX", "k", "v"}), "k");
  EXPECT_EQ(AskedFor({"HSETNX", "k", "f", "v"}), "k");
  EXPECT_FALSE(AskedFor({"SET", "k", "nx"}).has_value());
  EXPECT_FALSE(AskedFor({"GET", "k"}).has_value());
}

TEST(LockWordsTest, ATimeIsANumberOfTodayInAnyUsualUnit) {
  EXPECT_EQ(TimeMs("1800000010"), 10'000);
  EXPECT_EQ(TimeMs("1800000010.25"), 10'250);
  EXPECT_EQ(TimeMs("1800000010250"), 10'250);
  EXPECT_EQ(TimeMs("1800000010250000"), 10'250);
  EXPECT_EQ(TimeMs("1700000000"), -1);
  EXPECT_EQ(TimeMs("1"), -1);
  EXPECT_EQ(TimeMs("token"), -1);
  EXPECT_TRUE(TimeOf("1800000010", kNowMs)->whole_seconds);
  EXPECT_FALSE(TimeOf("1800000010.5", kNowMs)->whole_seconds);
}

TEST(LockWordsTest, ATimeToComeMayStandAmongOtherWords) {
  EXPECT_EQ(TimeToComeIn("host:77:1800000010", kNowMs)->ms, kNowMs + 10'000);
  EXPECT_EQ(TimeToComeIn("{\"until\":1800000010250}", kNowMs)->ms, kNowMs + 10'250);
  EXPECT_FALSE(TimeToComeIn("host:77:1799999990", kNowMs).has_value());
  EXPECT_FALSE(TimeToComeIn("3f9a-1234", kNowMs).has_value());
}

TEST(LockWordsTest, WhoTakesOutWhatIsOldTellsHowOldThingsMayBe) {
  const auto purge = PurgeOf({"ZREMRANGEBYSCORE", "k", "-inf", "(1799999995000"}, kNowMs);
  ASSERT_TRUE(purge.has_value());
  EXPECT_EQ(purge->key, "k");
  EXPECT_EQ(purge->age_ms, 5'000);
  EXPECT_FALSE(PurgeOf({"ZREMRANGEBYSCORE", "k", "0", "3"}, kNowMs).has_value());
}

}  // namespace
}  // namespace interlock::scenarios::drive
