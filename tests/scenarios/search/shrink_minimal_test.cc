// SPDX-License-Identifier: MIT
//
// How good is the shrinker? The exhaustive search knows the least numbers of clients, operations
// and faults with which a specimen can fall in the world that it explores. What a campaign finds at
// random in the same scenario, and shrinks, is held against them. Size: clients + operations +
// faults + switches of the schedule; of switches no least number is known, so none count as least.
#include <algorithm>
#include <string>

#include <gtest/gtest.h>

#include "scenarios/search/campaign.h"
#include "scenarios/search/shrink/trial.h"
#include "tests/scenarios/search/least_bounds.h"

namespace interlock::scenarios {
namespace {

/// What a local minimum may have above the least size: parts that would have to go or change
/// together, such as a client with its fault, and switches, of which some are needed.
constexpr std::size_t kMostAbove = 3;

/// The smallest case within the bound, over all ways. Nothing: there is none.
std::optional<MinimalCase> Smallest(const Specimen& specimen, const Conviction& conviction) {
  std::optional<MinimalCase> smallest;
  for (const Bounds& way : testing::Ways()) {
    const auto options = testing::Within(specimen, conviction, way);
    if (!options) continue;
    const auto found = ExploreMinimal(*options);
    if (found && (!smallest || found->faults < smallest->faults)) smallest = found;
  }
  return smallest;
}

/// Every client does something, and one of them all that the bound has.
std::size_t LeastSize(const MinimalCase& minimal) {
  const int clients = minimal.bounds.clients;
  return static_cast<std::size_t>(clients + (clients - 1 + minimal.bounds.attempts) +
                                  minimal.faults);
}

std::optional<Found> Shrunk(const Specimen& specimen, const Conviction& conviction) {
  Scenario scenario = *FindScenario(conviction.scenario);
  scenario.classes = {conviction.synchrony};
  for (const std::uint64_t runs : {200U, 10'000U}) {
    CampaignOptions options;
    options.runs = runs;
    options.jobs = 2;
    options.entries = {{specimen.subject, true, {conviction}}};
    options.scenarios = {&scenario};
    for (const Found& found : RunCampaign(options).found) {
      if (Slug(found.property) == conviction.property) return found;
    }
  }
  return std::nullopt;
}

std::string Name(const Specimen& specimen, const Conviction& conviction) {
  return std::string(specimen.subject->name()) + " " + std::string(conviction.property) + " in " +
         std::string(conviction.scenario);
}

TEST(ShrinkMinimalTest, WhatIsShrunkIsHardlyLargerThanTheSmallestThereIs) {
  std::size_t all = 0;
  std::size_t least = 0;
  std::size_t cases = 0;
  std::size_t at_least_size = 0;
  for (const Specimen& specimen : Specimens()) {
    for (const Conviction& conviction : specimen.expected) {
      const auto minimal = Smallest(specimen, conviction);
      if (!minimal) continue;
      SCOPED_TRACE(Name(specimen, conviction));
      const auto found = Shrunk(specimen, conviction);
      ASSERT_TRUE(found.has_value());
      const CaseSize size = SizeOf({found->workload, found->tape});
      const std::size_t total = LeastSize(*minimal);
      EXPECT_LE(size.total(), total + kMostAbove) << found->token;
      all += size.total();
      least += total;
      ++cases;
      if (size.total() <= total) ++at_least_size;
    }
  }
  RecordProperty("size_ratio_percent", static_cast<int>(100 * all / least));
  RecordProperty("cases", static_cast<int>(cases));
  RecordProperty("of_them_at_least_size", static_cast<int>(at_least_size));
  EXPECT_LE(10 * all, 11 * least) << all << " instead of " << least;
  EXPECT_GE(10 * at_least_size, 8 * cases) << at_least_size << " of " << cases;
}

}  // namespace
}  // namespace interlock::scenarios
