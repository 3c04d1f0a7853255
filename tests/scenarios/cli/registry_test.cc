// SPDX-License-Identifier: MIT
//
// Names: which are taken, which match, and what is said of those that do not.
#include "scenarios/cli/registry.h"

#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "scenarios/judge/demanded.h"
#include "sim/unknown_name.h"
#include "tests/scenarios/plain_subject.h"

namespace interlock::scenarios::cli {
namespace {

using scenarios::testing::PlainSubject;
using ::testing::HasSubstr;

std::string RefusalOf(std::vector<std::shared_ptr<const harness::Subject>> own) {
  const auto registry = Registry::Make(std::move(own));
  EXPECT_FALSE(registry.ok());
  if (registry.ok()) return {};
  EXPECT_EQ(registry.code(), StatusCode::kInvalidArgument);
  return std::string(registry.status().message());
}

Registry Default() {
  auto registry = Registry::Make({});
  EXPECT_TRUE(registry.ok());
  return std::move(registry).value();
}

TEST(RegistryTest, HoldsSoundLocksAndSpecimensUnderDistinctNames) {
  const Registry registry = Default();
  std::set<std::string_view> names;
  std::size_t specimens = 0;
  for (const Entry& entry : registry.entries()) {
    EXPECT_TRUE(names.insert(entry.subject->name()).second) << entry.subject->name();
    EXPECT_EQ(entry.specimen, !entry.expected.empty());
    EXPECT_EQ(entry.specimen, entry.subject->name().starts_with("broken/"));
    specimens += entry.specimen ? 1 : 0;
  }
  EXPECT_EQ(specimens, Specimens().size());
  EXPECT_EQ(registry.entries().size(), SoundSubjects().size() + DurableSubjects().size() +
                                           CompiledSubjects().size() + specimens);
}

TEST(RegistryTest, HoldsAUsersOwnLockAsASoundOne) {
  const auto registry = Registry::Make({PlainSubject({.name = "acme.job-lock_2/x"})});
  ASSERT_TRUE(registry.ok());
  const Entry* entry = registry->Find("acme.job-lock_2/x");
  ASSERT_NE(entry, nullptr);
  EXPECT_FALSE(entry->specimen);
  EXPECT_EQ(registry->Find("acme"), nullptr);
}

TEST(RegistryTest, ANameThatIsTakenIsRefused) {
  EXPECT_THAT(RefusalOf({PlainSubject({.name = "mutex"})}), HasSubstr("\"mutex\""));
  EXPECT_THAT(RefusalOf({PlainSubject({.name = "a"}), PlainSubject({.name = "a"})}),
              HasSubstr("two locks are called \"a\""));
  EXPECT_THAT(RefusalOf({PlainSubject({.name = "broken/del-without-owner"})}),
              HasSubstr("broken/del-without-owner"));
}

TEST(RegistryTest, OsThreadsOfALockThatHasNoCLibraryAreRefused) {
  EXPECT_THAT(RefusalOf({PlainSubject({.os_threads = true})}),
              HasSubstr("test/plain has Traits::os_threads without Traits::posix"));
}

TEST(RegistryTest, ANameThatCannotStandInATokenIsRefused) {
  for (const char* name : {"", "Mutex", "a:b", "a b", "a*", "a'b", "ä", "a\n"}) {
    EXPECT_THAT(RefusalOf({PlainSubject({.name = name})}), HasSubstr("invalid lock name")) << name;
  }
  EXPECT_THAT(RefusalOf({PlainSubject({.name = std::string(65, 'a')})}), HasSubstr("64"));
  EXPECT_TRUE(Registry::Make({PlainSubject({.name = std::string(64, 'a')})}).ok());
}

TEST(RegistryTest, ANullSubjectIsRefused) { EXPECT_THAT(RefusalOf({nullptr}), HasSubstr("null")); }

TEST(RegistryTest, SelectsByPatternInOrder) {
  const Registry registry = Default();
  const auto broken = registry.Select("broken/*");
  ASSERT_TRUE(broken.ok());
  EXPECT_EQ(broken->size(), Specimens().size());
  const auto all = registry.Select("*");
  ASSERT_TRUE(all.ok());
  EXPECT_EQ(all->size(), registry.entries().size());
  EXPECT_EQ(all->front().subject->name(), registry.entries().front().subject->name());
}

TEST(RegistryTest, SelectsByAnyOfSeveralPatternsEachLockOnce) {
  const auto registry = Registry::Make({PlainSubject({.name = "acme/door"})});
  ASSERT_TRUE(registry.ok());
  const auto selected = registry->Select("acme/*,mutex,mute?");
  ASSERT_TRUE(selected.ok());
  ASSERT_EQ(selected->size(), 2U);
  EXPECT_EQ(selected->front().subject->name(), "mutex");
  const auto wrong = Default().Select("mutex,semafore");
  ASSERT_FALSE(wrong.ok());
  EXPECT_EQ(wrong.status().message(), "unknown lock \"semafore\"; did you mean \"semaphore\"?");
  EXPECT_FALSE(Default().Select("mutex,").ok());
}

TEST(RegistryTest, AnUnknownLockGivesTheNearest) {
  const auto selected = Default().Select("mutx");
  ASSERT_FALSE(selected.ok());
  EXPECT_EQ(selected.code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(selected.status().message(), "unknown lock \"mutx\"; did you mean \"mutex\"?");
}

TEST(RegistryTest, AnUnknownScenarioGivesTheNearest) {
  const auto selected = SelectScenarios("kaos");
  ASSERT_FALSE(selected.ok());
  EXPECT_THAT(std::string(selected.status().message()), HasSubstr("did you mean \"chaos\"?"));
  EXPECT_EQ(SelectScenarios("c*")->size(), 13U);  // contention, crash, chaos, ...
  EXPECT_EQ(SelectScenarios("chaos,c*,overstay")->size(), 14U);
  EXPECT_EQ(SelectScenarios("chaos,kaos").code(), StatusCode::kInvalidArgument);
}

TEST(RegistryTest, APartOfANameGivesIt) {
  EXPECT_THAT(sim::UnknownName("lock", "get-compare-del", {"mutex", "broken/get-compare-del"}),
              HasSubstr("did you mean \"broken/get-compare-del\"?"));
}

TEST(RegistryTest, WhatResemblesNothingIsProposedNothing) {
  EXPECT_EQ(UnknownProperty("lock"), "unknown property \"lock\"");
  EXPECT_EQ(UnknownProperty("mutexx"), "unknown property \"mutexx\"");
  EXPECT_EQ(UnknownProperty("LK0010"), "unknown property \"LK0010\"; did you mean \"LK001\"?");
}

TEST(RegistryTest, WithNothingKnownNothingIsProposed) {
  EXPECT_EQ(sim::UnknownName("lock", "x", {}), "unknown lock \"x\"");
}

TEST(CatalogueTest, ScenariosHaveDistinctNamesAndJudgeSomething) {
  std::set<std::string_view> names;
  for (const Scenario& scenario : Catalogue()) {
    EXPECT_TRUE(names.insert(scenario.name).second) << scenario.name;
    EXPECT_FALSE(scenario.summary.empty());
    EXPECT_FALSE(scenario.classes.empty());
    EXPECT_FALSE(scenario.judges.empty());
    EXPECT_EQ(FindScenario(scenario.name), &scenario);
  }
  EXPECT_EQ(FindScenario("no-such"), nullptr);
}

TEST(CatalogueTest, ASemaphoreIsJudgedByItsPermits) {
  const Scenario& chaos = *FindScenario("chaos");
  for (const Judged judged : JudgedFor(chaos, {.kind = harness::Permits{}, .can_extend = true})) {
    EXPECT_NE(judged, Judged::kServerExclusion);
    EXPECT_NE(judged, Judged::kBeliefExclusion);
    EXPECT_NE(judged, Judged::kSectionExclusion);
  }
  EXPECT_FALSE(Applies(*FindScenario("permits"), {}));
  EXPECT_TRUE(Applies(*FindScenario("permits"), {.kind = harness::Permits{}}));
}

TEST(CatalogueTest, WhatALockCannotDoIsNotJudged) {
  const Scenario& chaos = *FindScenario("chaos");
  const auto judged = JudgedFor(chaos, {.can_extend = false, .waits = false});
  // A request may extend what another client has, also where nobody extends his own.
  EXPECT_EQ(std::count(judged.begin(), judged.end(), Judged::kForeignExtend), 1);
  EXPECT_EQ(std::count(judged.begin(), judged.end(), Judged::kDeadlock), 0);
  EXPECT_EQ(std::count(judged.begin(), judged.end(), Judged::kServerExclusion), 1);
}

}  // namespace
}  // namespace interlock::scenarios::cli
