// SPDX-License-Identifier: MIT
//
// Which specimens have to be convicted on real servers: what no client does there convicts nobody.
#include "scenarios/run/processes/expectations.h"
#include "scenarios/cases/kind_model.h"
#include "scenarios/judge/property.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <optional>

#include "scenarios/cases/scenario.h"
#include "scenarios/locks/specimen.h"
#include "scenarios/run/processes/real_plan.h"

namespace interlock::scenarios::real {
namespace {

TEST(ExpectationsTest, WhatNoRealClientDoesConvictsNobodyThere) {
  int excused = 0;
  for (const Specimen& specimen : Specimens()) {
    const harness::Traits traits = specimen.subject->traits();
    if (!traits.stops && !traits.operators && !LimitStands(traits.kind).has_value()) continue;
    for (const Conviction& conviction : specimen.expected) {
      const Scenario& scenario = *FindScenario(conviction.scenario);
      if (!WhyNotHere(scenario, true).empty()) continue;
      const std::optional<Judged> property = JudgedFromSlug(conviction.property);
      ASSERT_TRUE(property.has_value()) << conviction.property;
      const bool judged = WhyNotJudged(*property, scenario, traits).empty();
      EXPECT_FALSE(judged && WhyItMayEscape(specimen.expected, *property).empty())
          << specimen.subject->name() << " " << conviction.property;
      EXPECT_FALSE(IsSeenByChance(specimen.expected, *property));
      ++excused;
    }
  }
  EXPECT_GT(excused, 10);
}

TEST(ExpectationsTest, WhoeverStandsInTheWayOfNobodyMustBeConvicted) {
  const auto specimens = Specimens();
  const auto naive = std::find_if(specimens.begin(), specimens.end(), [](const Specimen& one) {
    return one.subject->name() == "broken/del-without-owner";
  });
  ASSERT_NE(naive, specimens.end());
  EXPECT_TRUE(WhyItMayEscape(naive->expected, Judged::kForeignRelease).empty());
  EXPECT_TRUE(WhyItMayEscape({}, Judged::kDeadlock).empty());
}

}  // namespace
}  // namespace interlock::scenarios::real
