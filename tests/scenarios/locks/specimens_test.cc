// SPDX-License-Identifier: MIT
//
// Every subject and every specimen against the fake Redis, called directly: no scheduler, no
// network, one thread, time moved by hand. The scenarios prove what the locks are worth; this
// proves that each adapter does what its page says.
#include <algorithm>
#include <memory>
#include <optional>
#include <set>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "scenarios/cases/judged.h"
#include "scenarios/cases/scenario.h"
#include "scenarios/judge/demanded.h"
#include "scenarios/judge/property.h"
#include "scenarios/locks/specimen.h"
#include "scenarios/search/campaign.h"
#include "tests/scenarios/subject_bench.h"

namespace interlock::scenarios {
namespace {

using harness::Hold;
using harness::Lock;
using harness::Subject;
using std::chrono::milliseconds;

std::vector<std::shared_ptr<const Subject>> Everything() {
  std::vector<std::shared_ptr<const Subject>> all = SoundSubjects();
  for (const Specimen& specimen : Specimens()) all.push_back(specimen.subject);
  return all;
}

const Subject& OneNamed(const std::vector<std::shared_ptr<const Subject>>& all,
                        std::string_view name) {
  const auto found = std::find_if(all.begin(), all.end(),
                                  [&](const auto& subject) { return subject->name() == name; });
  return found == all.end() ? *all.front() : **found;
}

bool IsDefiniteNo(StatusCode code) {
  return code == StatusCode::kNotAcquired || code == StatusCode::kTimeout;
}

std::vector<std::string> TokensOf(const std::vector<harness::Owner>& owners) {
  std::vector<std::string> tokens;
  for (const harness::Owner& owner : owners) tokens.push_back(owner.token);
  return tokens;
}

/// A server that has the commands of specimens that Redis 7.0 does not have.
const sim::redis::Dialect& ServerFor(std::string_view name) {
  static const std::set<std::string_view> kNames = {
      "broken/counts-dead-fields", "broken/delex-unknown", "broken/ifeq-get-misread",
      "broken/ifeq-without-ttl"};
  return kNames.contains(name) ? *sim::redis::FindDialect("valkey-9.2")
                               : sim::redis::DefaultDialect();
}

/// A test over every subject, each with a bench of its own.
class EverySubject : public ::testing::TestWithParam<std::string> {
 protected:
  EverySubject() { bench_.server().SetDialect(ServerFor(GetParam())); }

  const Subject& subject() const { return OneNamed(all_, GetParam()); }
  std::unique_ptr<Lock> NewLock() { return bench_.NewLock(subject()); }
  std::optional<std::vector<harness::Owner>> Owners() {
    return subject().Owners(BenchView(bench_.server()), bench_.options());
  }

  const std::vector<std::shared_ptr<const Subject>> all_ = Everything();
  Bench bench_;
};

std::vector<std::string> Names() {
  std::vector<std::string> names;
  for (const auto& subject : Everything()) {
    // One grants to nobody, another keeps nothing of what it grants: that is their story. The
    // others renew beside their holders, and a bench has no tasks.
    if (subject->name() == "broken/inverted-test") continue;
    if (subject->name() == "broken/reentrant-frees-all") continue;
    if (subject->name() == "broken/renewal-outlives-release") continue;
    if (subject->traits().renews) continue;
    if (subject->traits().quorum) continue;  // and it has one server
    // See latch_subjects_test.cc.
    if (std::holds_alternative<harness::Latch>(subject->traits().kind)) continue;
    names.emplace_back(subject->name());
  }
  return names;
}

/// Specimens whose waiters do not see that a lease has ended, or stay back when it has, or whose
/// leases do not end. (The server of a bench collects no fields: what is over counts for ever.)
bool WaitsInVain(std::string_view name) {
  static const std::set<std::string_view> kNames = {
      "broken/blocks-for-ever",         "broken/counts-dead-fields", "broken/force-wakes-nobody",
      "broken/milliseconds-as-seconds", "broken/push-then-delete",   "broken/signal-deleted",
      "broken/stop-swallows-the-hint",  "broken/waits-out-the-herd", "broken/zero-is-for-ever"};
  return kNames.contains(name);
}

/// Specimens that do not give up at their deadline.
bool OutwaitsItsDeadline(std::string_view name) {
  return name == "broken/deadline-not-looked-at" || name == "broken/sleeps-to-the-end" ||
         name == "broken/zero-is-for-ever";
}

INSTANTIATE_TEST_SUITE_P(Subjects, EverySubject, ::testing::ValuesIn(Names()),
                         [](const auto& parameter) {
                           std::string name;
                           for (const char c : parameter.param) {
                             if (c != '/' && c != '-' && c != '.') name += c;
                           }
                           return name;
                         });

// Where it works, the script is sent once: its hash is right.
TEST(NoscriptByItsTextTest, OnRedisItSendsItsScriptOnce) {
  const auto all = Everything();
  Bench bench;
  const auto lock = bench.NewLock(OneNamed(all, "broken/noscript-by-its-text"));
  std::vector<int> sent;
  for (int i = 0; i < 2; ++i) {
    const int before = bench.sent();
    auto hold = lock->TryAcquire();
    ASSERT_TRUE(hold.ok());
    EXPECT_TRUE((*hold)->Release().ok());
    sent.push_back(bench.sent() - before);
  }
  EXPECT_EQ(sent, (std::vector<int>{3, 2}));
}

TEST_P(EverySubject, AcquiresRefusesAndReleases) {
  const std::unique_ptr<Lock> first = NewLock();
  const std::unique_ptr<Lock> second = NewLock();
  Result<std::unique_ptr<Hold>> hold = first->TryAcquire();
  ASSERT_TRUE(hold.ok()) << hold.status().ToString();
  EXPECT_GT((*hold)->valid_until(), bench_.Now());
  const Result<std::unique_ptr<Hold>> refused = second->TryAcquire();
  EXPECT_TRUE(IsDefiniteNo(refused.code())) << refused.status().ToString();
  EXPECT_TRUE((*hold)->Release().ok());

  Result<std::unique_ptr<Hold>> next = second->TryAcquire();
  ASSERT_TRUE(next.ok()) << next.status().ToString();
  EXPECT_TRUE((*next)->Release().ok());
}

TEST_P(EverySubject, AnswersAtOnceWhatWasStoppedBefore) {
  if (!subject().traits().stops) return;
  std::stop_source source;
  source.request_stop();
  const std::unique_ptr<Lock> lock = NewLock();
  EXPECT_EQ(lock->AcquireUnlessStopped(kNever, source.get_token()).code(), StatusCode::kStopped);
  EXPECT_TRUE(lock->TryAcquire().ok());
}

TEST_P(EverySubject, ShowsItsHolderToAnOperatorWhoTakesItAway) {
  if (!subject().traits().operators) return;
  const std::unique_ptr<Lock> lock = NewLock();
  const std::unique_ptr<Lock> of_operator = NewLock();
  const Result<std::unique_ptr<Hold>> hold = lock->TryAcquire();
  ASSERT_TRUE(hold.ok());
  const Result<std::vector<harness::SeenHolder>> seen = of_operator->Inspect();
  ASSERT_TRUE(seen.ok() && seen->size() == 1U) << seen.status().ToString();
  EXPECT_EQ(seen->front().token, (*hold)->owner_token());
  EXPECT_TRUE(of_operator->ForceRelease(seen->front()).ok());
  EXPECT_TRUE(of_operator->Inspect()->empty());
  EXPECT_TRUE(of_operator->TryAcquire().ok());
}

/// The entry in the server is the hold's own token, ends no earlier than its belief, and goes away.
TEST_P(EverySubject, ShowsItsOwnerWhileHeld) {
  const std::unique_ptr<Lock> lock = NewLock();
  const MonotonicTime before = bench_.Now();
  Result<std::unique_ptr<Hold>> hold = lock->TryAcquire();
  ASSERT_TRUE(hold.ok());
  const std::optional<std::vector<harness::Owner>> owners = Owners();
  if (!owners.has_value()) return;
  ASSERT_EQ(TokensOf(*owners), std::vector<std::string>{(*hold)->owner_token()});
  ASSERT_TRUE(owners->front().expires_at_ms.has_value());
  const int in_seconds = subject().name() == "broken/milliseconds-as-seconds" ? 1000 : 1;
  EXPECT_EQ(*owners->front().expires_at_ms,
            bench_.server().time_us() / 1000 + kBenchLease.count() * in_seconds);
  EXPECT_LT((*hold)->valid_until(), before + kBenchLease);
  EXPECT_TRUE((*hold)->Release().ok());
  EXPECT_EQ(Owners()->size(), 0U);
}

TEST_P(EverySubject, UsesNoKeyOutsideItsPrefix) {
  const std::unique_ptr<Lock> lock = NewLock();
  Result<std::unique_ptr<Hold>> hold = lock->TryAcquire();
  ASSERT_TRUE(hold.ok());
  EXPECT_FALSE(bench_.server().PeekKeys(0).empty());
  for (const auto& info : bench_.server().PeekKeys(0)) {
    EXPECT_EQ(info.key.rfind(bench_.options().key_prefix, 0), 0U) << info.key;
  }
}

TEST_P(EverySubject, GivesUpAtTheDeadline) {
  if (OutwaitsItsDeadline(subject().name())) return;
  const std::unique_ptr<Lock> first = NewLock();
  const std::unique_ptr<Lock> second = NewLock();
  Result<std::unique_ptr<Hold>> hold = first->TryAcquire();
  ASSERT_TRUE(hold.ok());
  const MonotonicTime deadline = bench_.Now() + milliseconds(350);
  const Result<std::unique_ptr<Hold>> refused = second->AcquireUntil(deadline);
  EXPECT_EQ(refused.code(), StatusCode::kTimeout) << refused.status().ToString();
  EXPECT_GE(bench_.Now(), deadline - milliseconds(1)) << "Redis counts in milliseconds";
  EXPECT_LE(bench_.Now(), deadline + milliseconds(100));
}

TEST_P(EverySubject, AcquiresWithoutADeadlineWhenTheLeaseOfAnotherEnds) {
  if (!Owners().has_value()) return;  // a lock without leases would wait for ever, as it should
  if (WaitsInVain(subject().name())) return;
  const std::unique_ptr<Lock> first = NewLock();
  const std::unique_ptr<Lock> second = NewLock();
  Result<std::unique_ptr<Hold>> hold = first->TryAcquire();
  ASSERT_TRUE(hold.ok());
  const MonotonicTime start = bench_.Now();
  const Result<std::unique_ptr<Hold>> next = second->AcquireUntil(kNever);
  ASSERT_TRUE(next.ok()) << next.status().ToString();
  const Duration travel = milliseconds(1);
  EXPECT_LE(bench_.Now(), start + kBenchLease + subject().WakeUpBound(bench_.options()) + travel);
}

/// The holder may be dead: what its objects do when they go must not be seen by the server.
TEST_P(EverySubject, SendsNothingWhenAHoldIsDropped) {
  const std::unique_ptr<Lock> lock = NewLock();
  Result<std::unique_ptr<Hold>> hold = lock->TryAcquire();
  ASSERT_TRUE(hold.ok());
  const int sent = bench_.sent();
  (*hold).reset();
  EXPECT_EQ(bench_.sent(), sent);
}

/// Wherever the run is torn down, the waiter comes back at once.
TEST_P(EverySubject, EndsWhenCancelledAnywhere) {
  for (int commands = 0; commands < 12; ++commands) {
    Bench bench;
    bench.server().SetDialect(ServerFor(GetParam()));
    const std::unique_ptr<Lock> first = bench.NewLock(subject());
    const std::unique_ptr<Lock> second = bench.NewLock(subject());
    Result<std::unique_ptr<Hold>> hold = first->TryAcquire();
    ASSERT_TRUE(hold.ok());
    bench.CancelAfter(commands);
    const Result<std::unique_ptr<Hold>> waited = second->AcquireUntil(kNever);
    if (!waited.ok()) {
      EXPECT_EQ(waited.code(), StatusCode::kCancelled);
    }
    EXPECT_LE(bench.sent(), commands + 20);
  }
}

TEST(SpecimensTest, NamesAreUnique) {
  std::set<std::string_view> names;
  for (const auto& subject : Everything()) {
    EXPECT_TRUE(names.insert(subject->name()).second) << subject->name();
    EXPECT_FALSE(subject->summary().empty());
  }
  EXPECT_EQ(names.size(), SoundSubjects().size() + Specimens().size());
}

TEST(SpecimensTest, EveryExpectationNamesAJudgedProperty) {
  for (const Specimen& specimen : Specimens()) {
    EXPECT_FALSE(specimen.expected.empty()) << specimen.subject->name();
    for (const Conviction& conviction : specimen.expected) {
      EXPECT_TRUE(JudgedFromSlug(conviction.property).has_value()) << conviction.property;
      EXPECT_FALSE(conviction.scenario.empty());
    }
  }
}

/// A test of one page's story.
class StoryTest : public ::testing::Test {
 protected:
  std::unique_ptr<Lock> NewLock(std::string_view name) {
    const Subject& subject = OneNamed(all_, name);
    EXPECT_EQ(subject.name(), name);
    return bench_.NewLock(subject);
  }

  const std::string key_ = "test:job";
  const std::vector<std::shared_ptr<const Subject>> all_ = Everything();
  Bench bench_;
};

TEST_F(StoryTest, ExistsSetExpireGrantsTwiceIfBothSeeTheKeyAbsent) {
  const auto first = NewLock("broken/exists-set-expire");
  const auto second = NewLock("broken/exists-set-expire");
  std::unique_ptr<Hold> inner;
  bench_.Before("SET", [&] { inner = std::move(second->TryAcquire()).value(); });
  Result<std::unique_ptr<Hold>> outer = first->TryAcquire();
  ASSERT_TRUE(outer.ok());
  ASSERT_NE(inner, nullptr);
  EXPECT_EQ(bench_.server().PeekString(0, key_), (*outer)->owner_token());
  EXPECT_EQ(inner->Release().code(), StatusCode::kNotOwner);
}

TEST_F(StoryTest, ExistsSetExpireLeavesAKeyWithoutTtl) {
  const auto lock = NewLock("broken/exists-set-expire");
  bench_.CancelAfter(2);
  EXPECT_FALSE(lock->TryAcquire().ok());
  EXPECT_TRUE(bench_.server().PeekString(0, key_).has_value());
  EXPECT_EQ(bench_.TtlOf(key_), std::nullopt);
}

TEST_F(StoryTest, SetnxThenExpireLeavesAKeyWithoutTtlAndSaysNotAcquired) {
  const auto lock = NewLock("broken/setnx-then-expire");
  bench_.LoseReplyTo("SETNX");
  EXPECT_EQ(lock->TryAcquire().code(), StatusCode::kNotAcquired);
  EXPECT_TRUE(bench_.server().PeekString(0, key_).has_value());
  EXPECT_EQ(bench_.TtlOf(key_), std::nullopt);
}

TEST_F(StoryTest, GetCompareDelReleasesWhoeverHoldsAfterTheComparison) {
  const auto first = NewLock("broken/get-compare-del");
  const auto second = NewLock("broken/get-compare-del");
  Result<std::unique_ptr<Hold>> hold = first->TryAcquire();
  ASSERT_TRUE(hold.ok());
  bench_.Before("DEL", [&] {
    bench_.Advance(kBenchLease + milliseconds(1));
    EXPECT_TRUE(second->TryAcquire().ok());
  });
  EXPECT_TRUE((*hold)->Release().ok());
  EXPECT_FALSE(bench_.server().PeekString(0, key_).has_value());
}

TEST_F(StoryTest, DelWithoutOwnerReleasesWhoeverHolds) {
  const auto first = NewLock("broken/del-without-owner");
  const auto second = NewLock("broken/del-without-owner");
  Result<std::unique_ptr<Hold>> hold = first->TryAcquire();
  ASSERT_TRUE(hold.ok());
  bench_.Advance(kBenchLease + milliseconds(1));
  ASSERT_TRUE(second->TryAcquire().ok());
  EXPECT_TRUE((*hold)->Release().ok());
  EXPECT_FALSE(bench_.server().PeekString(0, key_).has_value());
}

/// The control of the test above.
TEST_F(StoryTest, MutexLeavesAnotherHoldersKeyAlone) {
  const auto first = NewLock("mutex");
  const auto second = NewLock("mutex");
  Result<std::unique_ptr<Hold>> hold = first->TryAcquire();
  ASSERT_TRUE(hold.ok());
  bench_.Advance(kBenchLease + milliseconds(1));
  const Result<std::unique_ptr<Hold>> next = second->TryAcquire();
  ASSERT_TRUE(next.ok());
  EXPECT_EQ((*hold)->Release().code(), StatusCode::kNotOwner);
  EXPECT_EQ(bench_.server().PeekString(0, "test:{job}"), next.value()->owner_token());
}

TEST_F(StoryTest, RedisSingleFileLetsAnotherInAfterAWaiterHasGivenUp) {
  const auto holder = NewLock("broken/redis-single-file");
  const auto third = NewLock("broken/redis-single-file");
  Result<std::unique_ptr<Hold>> hold = holder->TryAcquire();
  ASSERT_TRUE(hold.ok());
  EXPECT_FALSE(third->TryAcquire().ok());
  EXPECT_TRUE(third->TryAcquire().ok());
}

TEST_F(StoryTest, RedisSingleFileLosesTheTokenWithTheReplyToBlpop) {
  const auto first = NewLock("broken/redis-single-file");
  const auto second = NewLock("broken/redis-single-file");
  bench_.LoseReplyTo("BLPOP");
  EXPECT_EQ(first->AcquireUntil(kNever).code(), StatusCode::kCancelled);
  EXPECT_EQ(second->AcquireUntil(kNever).code(), StatusCode::kCancelled);
}

TEST_F(StoryTest, RedisSingleFilePushesTwiceIfTheReplyToLpushIsLost) {
  const auto lock = NewLock("broken/redis-single-file");
  Result<std::unique_ptr<Hold>> hold = lock->TryAcquire();
  ASSERT_TRUE(hold.ok());
  bench_.LoseReplyTo("LPUSH");
  EXPECT_TRUE((*hold)->Release().ok());
  EXPECT_EQ(bench_.server().PeekList(0, "test:RedisSingleFile/Queue/job").size(), 2U);
}

TEST(SpecimenTest, ExpectedConvictionsNameWhatExists) {
  for (const Specimen& specimen : Specimens()) {
    for (const Conviction& one : specimen.expected) {
      const Scenario* scenario = FindScenario(one.scenario);
      ASSERT_NE(scenario, nullptr) << one.scenario;
      EXPECT_EQ(std::count(scenario->classes.begin(), scenario->classes.end(), one.synchrony), 1);
      const auto property = JudgedFromSlug(one.property);
      ASSERT_TRUE(property.has_value()) << one.property;
      const auto judged = JudgedFor(*scenario, *specimen.subject);
      EXPECT_EQ(std::count(judged.begin(), judged.end(), *property), 1) << one.property;
    }
  }
}

}  // namespace
}  // namespace interlock::scenarios
