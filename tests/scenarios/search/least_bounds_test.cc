// SPDX-License-Identifier: MIT
//
// Each specimen says within how little it falls (Specimen::least). Here the exhaustive search holds
// that against all there is within the bound: in some way of using the lock the specimen must fall,
// and in none with fewer clients, attempts, faults or expiries.
#include "tests/scenarios/search/least_bounds.h"

#include <algorithm>
#include <string>

#include <gtest/gtest.h>

namespace interlock::scenarios {
namespace {

class LeastBoundTest : public ::testing::TestWithParam<std::string_view> {};

/// The smallest case found in this way, held against the bound. False: there is none.
bool FallsAtTheBound(ExploreOptions options, const Bound& least) {
  const Exploration exploration = Explore(options);
  EXPECT_TRUE(exploration.complete || exploration.violation.has_value() ||
              !exploration.inconclusive.empty());
  EXPECT_EQ(exploration.divergences, 0U);
  if (!exploration.violation) return false;
  const MinimalCase& found = *exploration.violation;
  EXPECT_TRUE(found.minimal);
  EXPECT_EQ(found.bounds.clients, least.clients);
  EXPECT_EQ(found.bounds.attempts, least.attempts);
  EXPECT_EQ(found.faults, options.bounds.faults);
  if (options.bounds.expiries == 0) return true;
  --options.bounds.expiries;
  EXPECT_FALSE(Explore(options).violation.has_value()) << "it falls with fewer expiries, too";
  return true;
}

TEST_P(LeastBoundTest, TheSpecimenFallsWithinItAndWithinNothingSmaller) {
  const auto specimens = Specimens();
  const Specimen& specimen =
      *std::find_if(specimens.begin(), specimens.end(),
                    [](const Specimen& one) { return one.subject->name() == GetParam(); });
  int convictions = 0;
  for (const Conviction& conviction : specimen.expected) {
    for (const Bounds& way : testing::Ways()) {
      const auto options = testing::Within(specimen, conviction, way);
      if (!options) continue;
      SCOPED_TRACE(std::string(conviction.property) + ": " + ToText(options->bounds));
      if (FallsAtTheBound(*options, specimen.least)) ++convictions;
    }
  }
  if (specimen.out_of_reach.empty()) {
    EXPECT_GT(convictions, 0);
  } else {
    EXPECT_EQ(convictions, 0) << "it is within reach";
  }
}

std::vector<std::string_view> Names() {
  static const auto specimens = Specimens();  // their names must outlive the list
  std::vector<std::string_view> names;
  for (const Specimen& specimen : specimens) names.push_back(specimen.subject->name());
  return names;
}

INSTANTIATE_TEST_SUITE_P(Specimens, LeastBoundTest, ::testing::ValuesIn(Names()),
                         [](const auto& parameter) {
                           std::string name(parameter.param.substr(7));  // without "broken/"
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

}  // namespace
}  // namespace interlock::scenarios
