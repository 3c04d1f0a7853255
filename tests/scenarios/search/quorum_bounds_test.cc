// SPDX-License-Identifier: MIT
//
// Locks by quorum, over three masters: Redlock has bounds within which every order of its calls is
// tried, and nothing that the scenario demands is violated; its broken relatives fall within bounds
// of that kind.
#include <ostream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/scenarios/search/explore_fixture.h"

#include "scenarios/judge/property.h"

namespace interlock::scenarios {
namespace {

Bounds OfThreeMasters(int clients, int attempts = 1) {
  Bounds bounds = Of(clients, attempts);
  bounds.masters = 3;
  bounds.expiries = 0;
  return bounds;
}

Bounds InOrder(Bounds bounds) {
  bounds.tasks_in_order = true;
  return bounds;
}

Bounds Expiring(Bounds bounds) {
  bounds.expiries = 1;
  return bounds;
}

Bounds Extending(Bounds bounds) {
  bounds.extend = true;
  return bounds;
}

/// It has a task for each that it connects to: all their orders within a client make millions of
/// states of two, so several of them have theirs in order.
std::vector<Case> RedlockCases() {
  const Bounds two = InOrder(OfThreeMasters(2));
  Bounds apart = two;
  apart.stagger = 10;
  return {{"alone_in_any_order", "redlock", "quorum-contention", OfThreeMasters(1)},
          {"three_at_once", "redlock", "quorum-contention", InOrder(OfThreeMasters(3))},
          {"two_attempts", "redlock", "quorum-contention", InOrder(OfThreeMasters(2, 2))},
          {"apart", "redlock", "quorum-contention", apart},
          {"waits", "redlock", "quorum-contention", Waiting(two)},
          {"waits_apart", "redlock", "quorum-contention", Waiting(apart)},
          {"crash", "redlock", "quorum-chaos", Expiring(WithCrash(two))},
          {"lost_reply", "redlock", "quorum-chaos", Expiring(WithLostReply(two))},
          {"extended", "redlock", "quorum-chaos", Extending(Expiring(WithPause(two)))}};
}

class SoundRedlockTest : public ExploreTest, public ::testing::WithParamInterface<Case> {};

TEST_P(SoundRedlockTest, NothingIsViolatedInAnyOrderOfCalls) {
  ExploreOptions options = Options(GetParam());
  options.jobs = 2;
  const Exploration all = Explore(options);
  EXPECT_TRUE(all.complete);
  EXPECT_EQ(all.inconclusive, "");
  EXPECT_EQ(all.divergences, 0U);
  EXPECT_GT(all.exercised[Judged::kKeys], 0U);
  if (options.bounds.clients > 1) {
    EXPECT_GT(all.exercised[Judged::kServerExclusion], 0U);
  }
  for (const Judged property : LookedFor(options)) {
    EXPECT_FALSE(all.violated[property]) << Slug(property);
  }
}

INSTANTIATE_TEST_SUITE_P(ThreeMasters, SoundRedlockTest, ::testing::ValuesIn(RedlockCases()),
                         [](const auto& parameter) { return parameter.param.name; });

struct Fall {
  std::string lock;
  std::string scenario;
  Bounds bounds;
  Judged property;
};

std::ostream& operator<<(std::ostream& out, const Fall& fall) {
  return out << fall.lock << " in " << fall.scenario << ": " << Slug(fall.property);
}

std::vector<Fall> Falls() {
  const Bounds extended = Extending(Expiring(WithPause(OfThreeMasters(2))));
  return {{"broken/votes-half", "quorum-contention", OfThreeMasters(2), Judged::kBeliefExclusion},
          {"broken/votes-kept-by-losers", "quorum-contention", OfThreeMasters(2), Judged::kKeys},
          {"broken/votes-not-heard-of", "quorum-chaos", WithLostReply(OfThreeMasters(1)),
           Judged::kKeys},
          {"broken/votes-cast-anew", "quorum-chaos", extended, Judged::kForeignExtend}};
}

class BrokenQuorumTest : public ExploreTest, public ::testing::WithParamInterface<Fall> {};

TEST_P(BrokenQuorumTest, FallsWithinThem) {
  const Fall& fall = GetParam();
  ExploreOptions options = Options({"", fall.lock, fall.scenario, fall.bounds});
  options.only = {fall.property};
  const Exploration exploration = Explore(options);
  EXPECT_TRUE(exploration.violated[fall.property]);
}

INSTANTIATE_TEST_SUITE_P(ThreeMasters, BrokenQuorumTest, ::testing::ValuesIn(Falls()));

}  // namespace
}  // namespace interlock::scenarios
