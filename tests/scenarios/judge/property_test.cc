// SPDX-License-Identifier: MIT
//
// The table of properties is whole: a row for each of what is judged, every text a line of its own,
// and codes, slugs and neighbours as `explain` and the files on disk rely on them.
#include "scenarios/judge/property.h"

#include <algorithm>
#include <set>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace interlock::scenarios {
namespace {

using ::testing::ElementsAre;
using ::testing::MatchesRegex;

TEST(PropertyTest, EveryPropertyThatIsJudgedHasOneRow) {
  for (const Judged judged : kAllJudged) {
    EXPECT_EQ(std::ranges::count(AllProperties(), judged, &Property::judged), 1)
        << static_cast<int>(judged);
  }
}

TEST(PropertyTest, EveryTextIsOneLine) {
  const auto line = MatchesRegex("[ -~]+");
  for (const Property* property : AllProperties()) {
    EXPECT_THAT(std::string(property->code), MatchesRegex("LK0[0-9][0-9]"));
    for (const std::string_view text :
         {property->slug, property->name, property->headline, property->definition,
          property->scenario, property->story, property->fixes[0], property->fixes[1],
          property->fixes[2]}) {
      EXPECT_THAT(std::string(text), line) << property->code;
    }
  }
}

TEST(PropertyTest, NoSlugOccursTwiceAndRowsOfOneCodeAreNeighbours) {
  std::set<std::string_view> slugs;
  std::set<std::string_view> codes;
  std::string_view last;
  for (const Property* property : AllProperties()) {
    EXPECT_TRUE(slugs.insert(property->slug).second) << property->slug;
    EXPECT_TRUE(property->code == last || codes.insert(property->code).second) << property->code;
    last = property->code;
  }
}

TEST(PropertyTest, ACodeOrASlugFindsItsRowsInAnyCase) {
  const auto slugs = [](std::string_view code_or_slug) {
    std::vector<std::string_view> found;
    for (const Property* property : FindProperties(code_or_slug)) found.push_back(property->slug);
    return found;
  };
  EXPECT_THAT(slugs("lk013"), ElementsAre("permits-server", "permits-belief", "permits-section"));
  EXPECT_THAT(slugs("Deadlock"), ElementsAre("deadlock"));
  EXPECT_THAT(slugs("LK000"), ElementsAre());
}

TEST(PropertyTest, WhatNoLockIsJudgedByHasNoPlaceInTheEnumeration) {
  EXPECT_EQ(JudgedFromSlug("foreign-extend"), Judged::kForeignExtend);
  EXPECT_EQ(JudgedFromSlug("determinism"), std::nullopt);
  EXPECT_EQ(JudgedFromSlug("LK005"), std::nullopt);
}

}  // namespace
}  // namespace interlock::scenarios
