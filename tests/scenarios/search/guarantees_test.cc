// SPDX-License-Identifier: MIT
//
// The guarantee table: our locks keep and fail what they promise to, and a lock that promises too
// much or too little is told so.
#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <interlock/harness/guarantees.h>

#include "scenarios/cases/scenario.h"
#include "scenarios/locks/specimen.h"
#include "scenarios/search/guarantees.h"

namespace interlock::scenarios {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

/// Forwards all but the promises.
class Promising : public harness::Subject {
 public:
  Promising(std::shared_ptr<const harness::Subject> inner, std::vector<harness::Promise> promises)
      : inner_(std::move(inner)), promises_(std::move(promises)) {}
  std::string_view name() const override { return "test/promising"; }
  std::string_view summary() const override { return inner_->summary(); }
  harness::Traits traits() const override { return inner_->traits(); }
  std::vector<harness::Promise> Promises() const override { return promises_; }
  std::unique_ptr<harness::Lock> NewLock(harness::Environment& environment,
                                         const harness::LockOptions& options) const override {
    return inner_->NewLock(environment, options);
  }
  std::optional<std::vector<harness::Owner>> Owners(
      const harness::ServerView& server, const harness::LockOptions& options) const override {
    return inner_->Owners(server, options);
  }
  std::vector<harness::AuxiliaryKey> AuxiliaryKeys(
      const harness::LockOptions& options) const override {
    return inner_->AuxiliaryKeys(options);
  }

 private:
  std::shared_ptr<const harness::Subject> inner_;
  std::vector<harness::Promise> promises_;
};

harness::GuaranteesVerdict Judge(const char* inner, std::vector<harness::Promise> promises,
                                 const std::string& faults, std::uint64_t runs = 400) {
  std::shared_ptr<const harness::Subject> subject;
  for (const auto& sound : SoundSubjects()) {
    if (sound->name() == inner) subject = sound;
  }
  for (const Specimen& specimen : Specimens()) {
    if (specimen.subject->name() == inner) subject = specimen.subject;
  }
  harness::GuaranteesOptions options;
  options.runs = runs;
  options.faults = faults;
  return harness::Guarantees(std::make_shared<Promising>(subject, std::move(promises)), options);
}

void ExpectToKeepItsWord(const std::shared_ptr<const harness::Subject>& lock, std::uint64_t runs) {
  EXPECT_FALSE(lock->Promises().empty()) << lock->name();
  const harness::GuaranteesVerdict verdict = harness::Guarantees(lock, {.runs = runs});
  EXPECT_TRUE(verdict.kept) << verdict.text;
}

TEST(GuaranteesTest, ALockOfOneServerAndOneOfSeveralAreWhatTheySayOfThemselves) {
  int judged = 0;
  for (const auto& lock : SoundSubjects()) {
    if (lock->name() != "mutex" && lock->name() != "redlock") continue;
    ExpectToKeepItsWord(lock, 300);
    ++judged;
  }
  EXPECT_EQ(judged, 2);
}

TEST(ManyRunsOfGuaranteesTest, OurLocksAreWhatTheySayOfThemselves) {
  for (const auto& lock : SoundSubjects()) ExpectToKeepItsWord(lock, 600);
}

TEST(ManyRunsOfGuaranteesTest, SoAreThoseThatAreJudgedAsTheyAreCompiled) {
  for (const auto& lock : CompiledSubjects()) ExpectToKeepItsWord(lock, 600);
}

// Where each way to the master begins at a Sentinel, over hiredis' own handshakes.
TEST(GuaranteesTest, ACompiledLockHasRowsThroughSentinels) {
  for (const auto& lock : CompiledSubjects()) {
    const auto verdict = harness::Guarantees(lock, {.runs = 100, .faults = "none"});
    EXPECT_TRUE(verdict.kept) << verdict.text;
    if (lock->traits().quorum) continue;
    EXPECT_THAT(verdict.text, HasSubstr("sentinel     100 runs"));
  }
}

const std::shared_ptr<const harness::Subject>& AnyOf(
    const std::vector<std::shared_ptr<const harness::Subject>>& locks, std::string_view name) {
  return *std::ranges::find(locks, name, [](const auto& lock) { return lock->name(); });
}

// With a file that is synced every second a lock may be forgotten that was granted, unless its
// client has waited for the disk; and even then by a Valkey, which does not wait.
TEST(GuaranteesTest, WhatALossOfPowerTakesFromAMutexIsKeptIfItWaitsForTheDisk) {
  const auto sound = SoundSubjects();
  const auto durable = DurableSubjects();
  const harness::GuaranteesOptions on_redis{.runs = kTellingRuns, .faults = "power-loss@redis-8.0"};
  for (const auto& lock : {AnyOf(sound, "mutex"), AnyOf(durable, "mutex.on-disk")}) {
    const harness::GuaranteesVerdict verdict = harness::Guarantees(lock, on_redis);
    EXPECT_TRUE(verdict.kept) << verdict.text;
  }
  const auto on_valkey =
      harness::Guarantees(AnyOf(durable, "mutex.on-disk"),
                          {.runs = kTellingRuns, .faults = "power-loss-valkey@valkey-9.1"});
  EXPECT_TRUE(on_valkey.kept) << on_valkey.text;
}

// Each write is on disk before it is answered there, so that a restart forgets nothing.
TEST(GuaranteesTest, AMutexThatWaitsForTheDiskKeepsItsWordOverRestarts) {
  const auto durable = DurableSubjects();
  for (const std::string server : {"redis-8.0", "valkey-8.1", "valkey-9.1"}) {
    const auto verdict = harness::Guarantees(AnyOf(durable, "mutex.on-disk"),
                                             {.runs = 300, .faults = "server-restart@" + server});
    EXPECT_TRUE(verdict.kept) << verdict.text;
  }
}

TEST(GuaranteesTest, APromiseThatIsNotKeptIsNamedWithItsCounterexample) {
  const auto verdict =
      Judge("broken/del-without-owner", {{"none", "standalone", "LK005", ""}}, "none");
  EXPECT_TRUE(verdict.broken);
  EXPECT_FALSE(verdict.kept);
  EXPECT_THAT(verdict.text, HasSubstr("NOT KEPT"));
  EXPECT_THAT(verdict.text, HasSubstr("replay 'v"));
  EXPECT_THAT(verdict.markdown, HasSubstr("LK005 under none, standalone: `v"));
}

TEST(GuaranteesTest, AKnownFailureThatNoLongerHappensIsNoPass) {
  const auto verdict = Judge("mutex", {{"none", "standalone", "", "LK005"}}, "none", kTellingRuns);
  EXPECT_FALSE(verdict.kept);
  EXPECT_FALSE(verdict.broken);
  EXPECT_THAT(verdict.text, HasSubstr("NO LONGER FAILS"));
}

TEST(GuaranteesTest, AKnownFailureThatAFewRunsDoNotShowIsNoNews) {
  const auto verdict = Judge("mutex", {{"none", "standalone", "", "LK005"}}, "none");
  EXPECT_FALSE(verdict.kept);
  EXPECT_THAT(verdict.text, HasSubstr("not seen to in 400 runs"));
  EXPECT_THAT(verdict.text, Not(HasSubstr("NO LONGER FAILS")));
}

TEST(GuaranteesTest, APromiseThatNoRunTriedIsNoPass) {
  const auto verdict = Judge("mutex", {{"none", "standalone", "LK008", ""}}, "none");
  EXPECT_FALSE(verdict.kept);
  EXPECT_THAT(verdict.text, HasSubstr("NOT SHOWN"));
}

TEST(GuaranteesTest, APromiseOfWhatDoesNotExistIsRefused) {
  EXPECT_THAT(Judge("mutex", {{"rain", "standalone", "LK001", ""}}, "none").text,
              HasSubstr("not in the table"));
  EXPECT_THAT(Judge("mutex", {{"none", "standalone rain", "LK001", ""}}, "none").text,
              HasSubstr("on \"rain\", which is not in the table"));
  EXPECT_THAT(Judge("mutex", {{"none", "", "LK001", ""}}, "none").text, HasSubstr("no topology"));
  EXPECT_THAT(Judge("mutex", {{"none", "standalone", "LK999", ""}}, "none").text,
              HasSubstr("not judged there"));
  EXPECT_THAT(Judge("mutex", {{"none", "standalone", "LK001", "server-exclusion"}}, "none").text,
              HasSubstr("speaks twice"));
}

TEST(GuaranteesTest, EveryCellIsReplayableByItsName) {
  for (const Scenario& scenario : GuaranteeScenarios()) {
    EXPECT_EQ(FindScenario(scenario.name), &scenario);
    const std::string expected = "guarantee." + std::string(scenario.fault_class) + "." +
                                 std::string(ToString(scenario.shape.topology));
    EXPECT_EQ(scenario.name, expected);
  }
}

}  // namespace
}  // namespace interlock::scenarios
