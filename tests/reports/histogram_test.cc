// SPDX-License-Identifier: MIT
//
// Counts of durations: exact where they are said to be, and never more than 0.1 % too high.
#include "reports/histogram.h"

#include <algorithm>
#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

namespace interlock::reports {
namespace {

TEST(HistogramTest, OfNothingAllIsNothing) {
  const Histogram empty;
  EXPECT_EQ(empty.count(), 0U);
  EXPECT_EQ(empty.mean(), 0);
  EXPECT_EQ(empty.IfTelling(500'000), std::nullopt);
  EXPECT_EQ(empty.IfTelling(1'000'000), std::nullopt);
}

TEST(HistogramTest, SmallValuesAreExact) {
  Histogram histogram;
  for (std::int64_t value = 1; value <= 2'000; ++value) histogram.Add(value);
  EXPECT_EQ(histogram.AtMillionth(500'000), 1'000);
  EXPECT_EQ(histogram.AtMillionth(999'000), 1'998);
  EXPECT_EQ(histogram.AtMillionth(1'000'000), 2'000);
  EXPECT_EQ(histogram.AtMillionth(1), 1);
  EXPECT_EQ(histogram.mean(), 1'000);
}

TEST(HistogramTest, LargeValuesAreAtMostAThousandthTooHigh) {
  for (std::int64_t value = 2'048; value < (std::int64_t{1} << 50); value = value * 3 + 7) {
    Histogram histogram;
    histogram.Add(value);
    histogram.Add(value * 2);
    const std::int64_t low = histogram.AtMillionth(500'000);
    EXPECT_GE(low, value);
    EXPECT_LE(low - value, value / 1'000);
    EXPECT_EQ(histogram.AtMillionth(1'000'000), value * 2) << "the greatest is exact";
    EXPECT_EQ(histogram.least(), value);
  }
}

TEST(HistogramTest, MergedCountsGiveThePercentilesOfAll) {
  Histogram one;
  Histogram other;
  Histogram both;
  for (std::int64_t i = 0; i < 1'000; ++i) {
    const std::int64_t value = i * i * 977;
    (i % 3 == 0 ? one : other).Add(value);
    both.Add(value);
  }
  one.Merge(other);
  EXPECT_EQ(one, both);
}

TEST(HistogramTest, APercentileThatNoValueCanBeAboveTellsNothing) {
  Histogram histogram;
  histogram.Add(5, 999);
  EXPECT_EQ(histogram.IfTelling(999'000), std::nullopt);
  EXPECT_EQ(histogram.IfTelling(990'000), 5);
  histogram.Add(7);
  EXPECT_EQ(histogram.IfTelling(999'000), 5);
}

TEST(HistogramTest, NegativeTimesCountAsNone) {
  Histogram histogram;
  histogram.Add(-3);
  EXPECT_EQ(histogram.greatest(), 0);
  EXPECT_EQ(histogram.sum(), 0);
}

TEST(HistogramTest, WhatWasStoredComesBackAndNothingThatCannotBe) {
  Histogram histogram;
  for (const std::int64_t value : {3, 70'000, 70'001, 900'000'000}) histogram.Add(value);
  const auto same =
      Histogram::Of(histogram.counts(), histogram.sum(), histogram.least(), histogram.greatest());
  ASSERT_TRUE(same.has_value());
  EXPECT_EQ(*same, histogram);
  EXPECT_FALSE(Histogram::Of({{5, 0}}, 0, 5, 5)) << "no count";
  EXPECT_FALSE(Histogram::Of({{5, 1}}, 5, 4, 5)) << "its least is another";
  EXPECT_FALSE(Histogram::Of({{70'000, 1}}, 70'000, 70'000, 70'000)) << "no value is kept as this";
  EXPECT_FALSE(Histogram::Of({}, 1, 0, 0));
}

}  // namespace
}  // namespace interlock::reports
