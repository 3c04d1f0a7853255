// SPDX-License-Identifier: MIT
//
// Which specimens have to be convicted on real servers: what no client does there convicts nobody.
#include "scenarios/real/expectations.h"

#include <gtest/gtest.h>

#include <optional>

#include "scenarios/real/real_plan.h"
#include "scenarios/scenario.h"
#include "scenarios/specimen.h"

namespace interlock::scenarios::real {
namespace {

TEST(ExpectationsTest, WhatNoRealClientDoesConvictsNobodyThere) {
  int excused = 0;
  for (const Specimen& specimen : Specimens()) {
    const harness::Traits traits = specimen.subject->traits();
    if (!traits.stops && !traits.operators && !traits.limit_stands.has_value()) continue;
    for (const Conviction& conviction : specimen.expected) {
      const Scenario& scenario = *FindScenario(conviction.scenario);
      if (!WhyNotHere(scenario, true).empty()) continue;
      const std::optional<Judged> property = JudgedFromSlug(conviction.property);
      ASSERT_TRUE(property.has_value()) << conviction.property;
      const bool judged = WhyNotJudged(*property, scenario, traits).empty();
      EXPECT_FALSE(judged && WhyItMayEscape(specimen.subject->name(), *property).empty())
          << specimen.subject->name() << " " << conviction.property;
      EXPECT_FALSE(IsSeenByChance(specimen.subject->name(), *property));
      ++excused;
    }
  }
  EXPECT_GT(excused, 10);
}

TEST(ExpectationsTest, WhoeverStandsInTheWayOfNobodyMustBeConvicted) {
  EXPECT_TRUE(WhyItMayEscape("broken/del-without-owner", Judged::kForeignRelease).empty());
  EXPECT_TRUE(WhyItMayEscape("no such specimen", Judged::kDeadlock).empty());
}

}  // namespace
}  // namespace interlock::scenarios::real
