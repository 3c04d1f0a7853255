// SPDX-License-Identifier: MIT
//
// How good is the shrinker? The exhaustive search knows the least numbers of clients, operations
// and faults with which a specimen can fall in the world that it explores. What a campaign finds at
// random in the same scenario, and shrinks, is held against them. Size: clients + operations +
// faults + switches of the schedule; of switches no least number is known, so none count as least.
#include <algorithm>
#include <string>

#include <gtest/gtest.h>

#include "scenarios/judge/property.h"
#include "scenarios/search/campaign.h"
#include "scenarios/search/shrink/trial.h"
#include "tests/scenarios/search/explore_fixture.h"
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
    const auto found = Explore(*options).violation;
    if (found && found->minimal && (!smallest || found->faults < smallest->faults))
      smallest = found;
  }
  return smallest;
}

/// Every client does something, and one of them all that the bound has.
std::size_t LeastSize(const MinimalCase& minimal) {
  const int clients = minimal.bounds.clients;
  return static_cast<std::size_t>(clients + (clients - 1 + minimal.bounds.attempts) +
                                  minimal.faults);
}

std::size_t Total(const reports::Size& size) {
  return size.clients + size.faults + size.operations + size.switches;
}

/// What a campaign over one lock finds of this property and makes small.
std::optional<Found> Shrunk(const Entry& entry, std::string_view scenario_name,
                            SynchronyClass synchrony, std::string_view property) {
  Scenario scenario = *FindScenario(scenario_name);
  scenario.classes = {synchrony};
  for (const std::uint64_t runs : {200U, 10'000U}) {
    CampaignOptions options;
    options.runs = runs;
    options.jobs = 2;
    options.entries = {entry};
    options.scenarios = {&scenario};
    for (const Found& found : RunCampaign(options).found) {
      if (Slug(found.property) == property) return found;
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
      const auto found = Shrunk({specimen.subject, true, {conviction}}, conviction.scenario,
                                conviction.synchrony, conviction.property);
      ASSERT_TRUE(found.has_value());
      const reports::Size size = SizeOf({found->workload, found->tape});
      const std::size_t total = LeastSize(*minimal);
      EXPECT_LE(Total(size), total + kMostAbove) << found->token;
      all += Total(size);
      least += total;
      ++cases;
      if (Total(size) <= total) ++at_least_size;
    }
  }
  RecordProperty("size_ratio_percent", static_cast<int>(100 * all / least));
  RecordProperty("cases", static_cast<int>(cases));
  RecordProperty("of_them_at_least_size", static_cast<int>(at_least_size));
  EXPECT_LE(all, least);  // a few ways need less than the bound counts for them
  EXPECT_GE(10 * at_least_size, 9 * cases) << at_least_size << " of " << cases;
}

/// Something that no lock of its kind can hold there, and within which bounds it shows.
struct WeaknessOfASoundLock {
  std::string lock;
  std::string scenario;
  std::string property;
  Bounds bounds;
};

std::vector<WeaknessOfASoundLock> Weaknesses() {
  const Bounds late = Waiting(WithPause(Of(2, 1)));
  const Bounds forgotten = WithRestart(Of(2, 1), sim::Persistence::kNone);
  return {{"mutex", "pause", "section-exclusion", late},
          {"mutex", "chaos", "section-exclusion", late},
          {"mutex.renewed", "pause", "section-exclusion", late},
          {"fair-mutex", "pause", "section-exclusion", late},
          {"shared-mutex", "pause", "section-exclusion", late},
          {"reentrant-mutex", "pause", "section-exclusion", late},
          {"semaphore", "pause", "permits-section", late},
          {"single-file", "pause", "permits-section", late},
          {"mutex", "data-loss", "server-exclusion", forgotten},
          {"semaphore", "data-loss", "permits-server", forgotten},
          {"mutex", "failover", "server-exclusion", WithFailover(Of(2, 1))}};
}

// Of these no switches are left over either: each is a story of who is late, or what is forgotten.
TEST(ShrinkMinimalTest, TheWeaknessesOfSoundLocksAreShrunkToTheSmallestThereIs) {
  for (const WeaknessOfASoundLock& one : Weaknesses()) {
    SCOPED_TRACE(one.lock + " " + one.property + " in " + one.scenario);
    const auto subject = Named(one.lock);
    const Scenario& scenario = *FindScenario(one.scenario);
    ExploreOptions options;
    options.run_case = {subject.get(), &scenario, scenario.classes.back()};
    options.bounds = one.bounds;
    options.only = {*JudgedFromSlug(one.property)};
    const auto minimal = Explore(options).violation;
    ASSERT_TRUE(minimal.has_value() && minimal->minimal);
    const auto found =
        Shrunk({subject, false, {}}, one.scenario, scenario.classes.back(), one.property);
    ASSERT_TRUE(found.has_value());
    const reports::Size size = SizeOf({found->workload, found->tape});
    EXPECT_LE(size.clients, static_cast<std::size_t>(minimal->bounds.clients)) << found->token;
    EXPECT_LE(size.operations, static_cast<std::size_t>(minimal->bounds.clients)) << found->token;
    EXPECT_LE(size.faults, static_cast<std::size_t>(minimal->faults)) << found->token;
    EXPECT_EQ(size.switches, 0U) << found->token;
  }
}

}  // namespace
}  // namespace interlock::scenarios
