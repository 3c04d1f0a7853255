// SPDX-License-Identifier: MIT
//
// An exploration that ends without a violation names the bounds that this kind of lock needs: for
// each row a lock of that kind which is wrong passes within smaller bounds, with the note, and
// falls within those that the note names.
#include "scenarios/search/explore/needs.h"

#include <algorithm>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "scenarios/locks/specimens/recipe.h"
#include "tests/scenarios/search/explore_fixture.h"
#include "tests/scenarios/search/least_bounds.h"

namespace interlock::scenarios {
namespace {

using ::testing::Contains;
using ::testing::Not;
using ::testing::StartsWith;

/// Releases by WATCH, GET, MULTI, DEL, EXEC, which is right but for two things: it forgets UNWATCH
/// when the lock is another's by then, and takes a refused EXEC for a touch of its own, after which
/// it looks once more and deletes. So what it forgot makes the next EXEC fail that should not, and
/// then a second pause does the harm.
Status UnlockByWatch(specimens::RedisClient& redis, specimens::Attempt& attempt) {
  const auto watched = redis.Call({"WATCH", attempt.key});
  if (!watched.ok()) return watched.status();
  const auto is_mine = [&]() -> Result<bool> {
    const auto owner = redis.Call({"GET", attempt.key});
    if (!owner.ok()) return owner.status();
    return owner->text == attempt.token;
  };
  const Result<bool> mine = is_mine();
  if (!mine.ok()) return mine.status();
  if (!*mine) return Status(StatusCode::kNotOwner, "another's lock");
  if (const auto begun = redis.Call({"MULTI"}); !begun.ok()) return begun.status();
  if (const auto queued = redis.Call({"DEL", attempt.key}); !queued.ok()) return queued.status();
  const auto done = redis.Call({"EXEC"});
  if (!done.ok()) return done.status();
  if (!done->IsNil()) return Status();
  const Result<bool> still = is_mine();
  if (!still.ok()) return still.status();
  if (!*still) return Status(StatusCode::kNotOwner, "another's lock");
  return specimens::ExpectInteger(redis.Call({"DEL", attempt.key}), 1, StatusCode::kNotOwner);
}

std::shared_ptr<const harness::Subject> LockThatUnlocksByWatch() {
  return specimens::MakeLock({.name = "test/unlocks-by-watch",
                              .summary = "unlocks by WATCH and forgets UNWATCH",
                              .unlock = UnlockByWatch});
}

using Change = std::function<void(Bounds&)>;

struct NeedCase {
  std::string name;
  std::string lock;     ///< a specimen, explored within its least bound
  Change way;           ///< how its clients go about it
  Change less;          ///< what then no exploration finds anything without
  std::string options;  ///< that the note names
};

std::vector<NeedCase> NeedCases() {
  const Change waits = [](Bounds& way) { way.waits = true; };
  const Change tries = [](Bounds&) {};
  return {
      {"del", "broken/get-compare-del", waits, [](Bounds& way) { way.pauses = 0; },
       "--expiries 1 --pauses 1"},
      {"pop", "broken/pop-then-record", waits,
       [](Bounds& way) { way.lost_replies = way.lost_requests = way.crashes = 0; },
       "--lost-replies 1"},
      {"waits", "broken/deadline-not-looked-at",
       [](Bounds& way) { way.waits = true, way.wait = 12, way.hold = 75; },
       [](Bounds& way) { way.waits = false; }, "--wait"},
      {"extends", "broken/extend-adds-up", tries, [](Bounds& way) { way.extend = false; },
       "--extend"},
      {"readers", "broken/readers-one-by-one", [](Bounds& way) { way.readers = 2; },
       [](Bounds& way) { way.readers = 0; }, "--readers 1"},
      {"stops", "broken/stopped-though-granted",
       [](Bounds& way) { way.waits = way.tasks_in_order = true, way.stops = 1, way.stop = 25; },
       [](Bounds& way) { way.stops = 0; }, "--wait --stops 1"},
      {"operators", "broken/force-takes-whoever",
       [](Bounds& way) { way.operators = 1, way.think = 0; },
       [](Bounds& way) { way.operators = 0; }, "--operators 1"},
      {"other_limits", "broken/limit-of-the-latest", [](Bounds& way) { way.other_limits = 1; },
       [](Bounds& way) { way.other_limits = 0; }, "--other-limits 1"},
      {"setters", "broken/limit-wakes-nobody",
       [](Bounds& way) {
         way.setters = 1, way.follow = true, way.waits = true, way.hold = 75, way.stagger = 25;
       },
       [](Bounds& way) { way.setters = 0; }, "--setters 1"},
  };
}

std::vector<std::string> OptionsNamed(const ExploreOptions& options) {
  sim::Universe universe;
  std::vector<std::string> named;
  for (const Need& need : UnmetNeeds(universe, options)) named.push_back(need.options);
  return named;
}

class NeedsTest : public ::testing::TestWithParam<NeedCase> {};

TEST_P(NeedsTest, NothingIsFoundWithinLessAndTheNoteSaysWhatItTakes) {
  const NeedCase& one = GetParam();
  Bounds way;
  one.way(way);
  int convictions = 0;
  for (const Specimen& specimen : Specimens()) {
    if (specimen.subject->name() != one.lock) continue;
    for (const Conviction& conviction : specimen.expected) {
      auto enough = testing::Within(specimen, conviction, way);
      if (!enough) continue;
      enough->minimise = false;
      if (!Explore(*enough).violation) continue;
      ++convictions;
      EXPECT_THAT(OptionsNamed(*enough), Not(Contains(StartsWith(one.options))));
      ExploreOptions less = *enough;
      one.less(less.bounds);
      EXPECT_FALSE(Explore(less).violation.has_value());
      EXPECT_THAT(OptionsNamed(less), Contains(StartsWith(one.options)));
    }
  }
  EXPECT_GT(convictions, 0);
}

INSTANTIATE_TEST_SUITE_P(Kinds, NeedsTest, ::testing::ValuesIn(NeedCases()),
                         [](const auto& parameter) { return parameter.param.name; });

TEST(NeedsOfWatchTest, AnUnlockByWatchFallsToTheSecondPauseOnly) {
  const auto subject = LockThatUnlocksByWatch();
  ExploreOptions options;
  options.run_case = {subject.get(), FindScenario("pause"), SynchronyClass::kArbitrary};
  options.bounds = Waiting(Of(2, 2));
  options.only = {Judged::kForeignRelease};
  options.minimise = false;
  options.jobs = 2;
  for (const bool twice : {false, true}) {
    options.bounds.expiries = options.bounds.pauses = twice ? 2 : 1;
    const Exploration exploration = Explore(options);
    EXPECT_TRUE(exploration.complete || exploration.violation.has_value());
    EXPECT_EQ(exploration.violation.has_value(), twice);
    EXPECT_EQ(std::ranges::count(OptionsNamed(options), "--attempts 2 --expiries 2 --pauses 2"),
              twice ? 0 : 1);
  }
}

TEST(NeedsTextTest, WhatIsMetIsNotNamedAndWhatTheScenarioLacksIsSaid) {
  const auto subject = LockThatUnlocksByWatch();
  ExploreOptions options;
  options.run_case = {subject.get(), FindScenario("contention"), SynchronyClass::kNone};
  options.bounds = Of(2, 1);
  const std::vector<std::string> named = OptionsNamed(options);
  EXPECT_THAT(named, Contains("--attempts 2 --expiries 2 --pauses 2, in a scenario with such "
                              "faults, as chaos"));
  EXPECT_THAT(named, Contains("--wait"));
  EXPECT_EQ(ToText(Need{"nobody waits", "--wait"}), "beyond these bounds: nobody waits: --wait");
}

}  // namespace
}  // namespace interlock::scenarios
