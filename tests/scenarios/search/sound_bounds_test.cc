// SPDX-License-Identifier: MIT
//
// Each sound lock on one server has bounds within which every order of steps and every placing of
// faults is tried, and nothing that the scenario demands is violated.
#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "scenarios/cases/kind_model.h"
#include "tests/scenarios/search/explore_fixture.h"

#include "scenarios/judge/property.h"
#include "scenarios/locks/specimen.h"

namespace interlock::scenarios {
namespace {

Bounds OneCrash() { return WithCrash(Of(2, 2)); }

/// Two clients that try twice, and two that wait twice.
std::vector<Case> AllCases() {
  std::vector<Case> all;
  for (const auto& subject : SoundSubjects()) {
    if (subject->traits().quorum) continue;
    const std::string lock(subject->name());
    all.push_back({"tries", lock, "chaos", WithLostReply(OneCrash())});
    all.push_back({"waits", lock, "chaos", Waiting(OneCrash())});
  }
  // What is counted in the instant in which somebody is let through counts as counted before.
  Bounds apart = WithLostReply(OneCrash());
  apart.stagger = 10;
  all.push_back({"apart", "count-down-latch", "chaos", apart});
  all.push_back({"waits_apart", "count-down-latch", "chaos", Waiting(apart)});
  // One of them counts for nobody, and comes after the others.
  apart.readers = 1;
  all.push_back({"watched", "count-down-latch", "chaos", apart});
  all.push_back({"watched_waits", "count-down-latch", "chaos", Waiting(apart)});
  // A reply may be lost whose command has been executed, and waits: it is a state of its own.
  for (const char* lock : {"fair-mutex", "mutex", "semaphore"}) {
    all.push_back({"lost_wake_up", lock, "chaos", WithLostReply(Waiting(WithCrash(Of(3, 1))))});
  }
  Bounds with_readers = Waiting(WithCrash(Of(3, 1)));
  with_readers.readers = 2;
  all.push_back({"readers", "shared-mutex", "chaos", with_readers});
  all.push_back({"readers", "shared-mutex.unpreferred", "chaos", with_readers});
  return all;
}

class SoundBoundsTest : public ExploreTest, public ::testing::WithParamInterface<Case> {};

TEST_P(SoundBoundsTest, NothingIsViolatedInAnyOrderWithAnyFaults) {
  const ExploreOptions options = Options(GetParam());
  const Exploration all = Explore(options);
  EXPECT_TRUE(all.complete);
  EXPECT_EQ(all.inconclusive, "");
  EXPECT_EQ(all.divergences, 0U);
  const bool permits = ModelOf(options.run_case.subject->traits().kind).permits;
  EXPECT_GT(all.exercised[permits ? Judged::kPermitsServer : Judged::kServerExclusion], 0U);
  EXPECT_GT(all.exercised[Judged::kKeys], 0U);
  for (const Judged property : LookedFor(options)) {
    EXPECT_FALSE(all.violated[property]) << Slug(property);
  }
}

INSTANTIATE_TEST_SUITE_P(Locks, SoundBoundsTest, ::testing::ValuesIn(AllCases()),
                         [](const auto& parameter) {
                           std::string name = parameter.param.lock + "_" + parameter.param.name;
                           std::replace(name.begin(), name.end(), '-', '_');
                           std::replace(name.begin(), name.end(), '.', '_');
                           return name;
                         });

TEST(SoundBoundsListTest, EverySoundLockOnOneServerHasSome) {
  std::set<std::string> listed;
  for (const Case& one : AllCases()) listed.insert(one.lock);
  std::set<std::string> sound;
  for (const auto& subject : SoundSubjects()) {
    if (!subject->traits().quorum) sound.emplace(subject->name());
  }
  EXPECT_EQ(listed, sound);
}

}  // namespace
}  // namespace interlock::scenarios
