// SPDX-License-Identifier: MIT
//
// Every classic case by its name, against our own locks: what the case says a correct lease lock
// holds is put to the test and holds, and what it says no lease lock can hold is seen violated.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <interlock/options.h>

#include "reports/exit_code.h"
#include "scenarios/cases/scenario.h"
#include "scenarios/judge/property.h"
#include "scenarios/search/campaign.h"

namespace interlock::scenarios {
namespace {

bool IsNamedCase(std::string_view name) { return name.find('.') != std::string_view::npos; }

std::set<std::string> RunnableCases() {
  std::set<std::string> names;
  for (const Scenario& scenario : Catalogue()) {
    if (IsNamedCase(scenario.name)) names.emplace(scenario.name);
  }
  return names;
}

CampaignResult RunCase(const std::string& name) {
  CampaignOptions options;
  for (const auto& subject : SoundSubjects()) options.entries.push_back({subject, false, {}});
  options.scenarios = {FindScenario(name)};
  options.runs = 1;
  return RunCampaign(options);
}

TEST(CatalogueTest, EveryCaseOfTheTextsIsRun) {
  std::set<std::string> expected = {"antirez.a2p",   "chubby.h1",     "curator.c1",
                                    "etcd.e1",       "etcd.e2",       "etcd.e2f",
                                    "etcd.h2",       "kleppmann.k1f", "kleppmann.k3f",
                                    "kleppmann.k5s", "kleppmann.k6u", "kleppmann.k9b"};
  const auto series = [&](const std::string& family, int last) {
    for (int i = 1; i <= last; ++i) expected.insert(family + std::to_string(i));
  };
  series("kleppmann.k", 10);
  series("antirez.a", 8);
  series("redis.d", 7);
  EXPECT_EQ(RunnableCases(), expected);
}

TEST(CatalogueTest, EveryCaseThatAPropertyIsExplainedWithExists) {
  const std::set<std::string> known = RunnableCases();
  for (const Property& property : AllProperties()) {
    if (property.scenario == "none") continue;
    EXPECT_TRUE(known.contains(std::string(property.scenario)))
        << property.code << " names " << property.scenario;
  }
}

bool Renews(const std::string& lock) {
  for (const auto& subject : SoundSubjects()) {
    if (subject->name() == lock) return subject->traits().renews;
  }
  return false;
}

class NamedCaseTest : public testing::TestWithParam<std::string> {};

TEST_P(NamedCaseTest, OurLocksHaveTheVerdictThatTheCaseExpects) {
  const Scenario& scenario = *FindScenario(GetParam());
  const CampaignResult result = RunCase(GetParam());
  EXPECT_EQ(result.report.totals.divergences, 0U);
  std::map<std::string, int> rows;
  for (const reports::ResultRow& row : result.report.results) {
    ++rows[row.lock];
    const bool weakness = row.expected == reports::Expectation::kBreaks;
    EXPECT_TRUE(row.pass) << row.lock << " " << row.property;
    EXPECT_EQ(row.runs, scenario.max_runs);
    if (row.expected == reports::Expectation::kEither) {
      // It may outlast the moment at which the case has its lease end.
      EXPECT_TRUE(Renews(row.lock)) << row.lock << " " << row.property;
      continue;
    }
    EXPECT_EQ(row.verdict, weakness ? reports::Verdict::kViolated : reports::Verdict::kHolds)
        << row.lock << " " << row.property << " " << reports::ToString(row.synchrony) << " "
        << row.replay.value_or(row.reason);
  }
  const auto subjects = SoundSubjects();
  const auto judged = std::count_if(subjects.begin(), subjects.end(), [&](const auto& subject) {
    return Applies(scenario, subject->traits());
  });
  EXPECT_GT(judged, 0);
  EXPECT_EQ(static_cast<std::ptrdiff_t>(rows.size()), judged);
}

INSTANTIATE_TEST_SUITE_P(Catalogue, NamedCaseTest, testing::ValuesIn(RunnableCases()),
                         [](const testing::TestParamInfo<std::string>& named) {
                           std::string name = named.param;
                           std::replace(name.begin(), name.end(), '.', '_');
                           return name;
                         });

// What a lock takes off each lease for drift is the largest safe difference of rates.
TEST(CatalogueTest, TheLargestSafeClockRateIsTheDriftAllowance) {
  const Scenario& scenario = *FindScenario("antirez.a3");
  const int allowed_ppm = MutexOptions{}.drift_per_mille * 1000;
  std::string safe;
  for (std::size_t i = 0; i < scenario.pinned.size(); ++i) {
    if (-scenario.pinned[i].clients.front().clock_rate_ppm <= allowed_ppm) {
      safe = scenario.sweep[i];
    }
  }
  const CampaignResult result = RunCase("antirez.a3");
  int told = 0;
  for (const std::string& note : result.report.notes) {
    if (note.find("belief") == std::string::npos) continue;
    ++told;
    // Its lock-delay, an eighth, is taken off as well.
    if (note.find("mutex.lock-delay") != std::string::npos) {
      EXPECT_NE(note.find("holds up to 100000 ppm, and not at 150000 ppm"), std::string::npos)
          << note;
      continue;
    }
    EXPECT_NE(note.find("holds up to " + safe + ","), std::string::npos) << note;
  }
  EXPECT_GT(told, 0);
  EXPECT_EQ(told % 3, 0) << "each lock in each of the three classes, and no other";
  // The essay's 10 % fast and 10 % slow would need 18.2 % of the lease.
  EXPECT_EQ(scenario.pinned.back().clients.front().clock_rate_ppm,
            -static_cast<std::int64_t>((1.0 - 0.9 / 1.1) * 1'000'000));
}

std::string NoteOn(const CampaignResult& result, const std::string& begin) {
  for (const std::string& note : result.report.notes) {
    if (note.starts_with(begin)) return note;
  }
  return "";
}

// What the texts say of how bad it is: an unfenced storage loses updates under long pauses only, a
// fenced one never.
TEST(CatalogueTest, LostUpdatesAreCounted) {
  const CampaignResult unfenced = RunCase("etcd.e2");
  EXPECT_NE(NoteOn(unfenced, "etcd.e2 mutex [none]: 0 of "), "");
  EXPECT_NE(NoteOn(unfenced, "etcd.e2 mutex [bounded]: 0 of "), "");
  EXPECT_NE(NoteOn(unfenced, "etcd.e2 mutex [arbitrary]: "), "");
  EXPECT_EQ(NoteOn(unfenced, "etcd.e2 mutex [arbitrary]: 0 of "), "");
  EXPECT_NE(NoteOn(RunCase("etcd.e2f"), "etcd.e2f mutex [arbitrary]: 0 of "), "");
}

// A look at the validity right before the write makes it rarer, as antirez says, not impossible.
TEST(CatalogueTest, AClientThatLooksBeforeItWritesLosesFewerUpdates) {
  const auto lost = [](const std::string& name) {
    const std::string begin = name + " mutex [arbitrary]: ";
    return std::stoi(NoteOn(RunCase(name), begin).substr(begin.size()));
  };
  const int heedless = lost("kleppmann.k1");
  const int careful = lost("antirez.a8");
  EXPECT_GT(careful, 0);
  EXPECT_LT(careful, heedless);
}

/// A lock of ours whose fencing tokens are random values: unique, and without an order.
class RandomFence final : public harness::Subject {
 public:
  explicit RandomFence(std::shared_ptr<const harness::Subject> inner) : inner_(std::move(inner)) {}
  std::string_view name() const override { return "test/random-fence"; }
  std::string_view summary() const override { return "a fence of random values"; }
  harness::Traits traits() const override { return inner_->traits(); }
  std::unique_ptr<harness::Lock> NewLock(harness::Environment& environment,
                                         const harness::LockOptions& options) const override {
    return std::make_unique<RandomLock>(environment.runtime, inner_->NewLock(environment, options));
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
  class RandomHold final : public harness::Hold {
   public:
    RandomHold(std::unique_ptr<harness::Hold> inner, std::uint64_t fence)
        : inner_(std::move(inner)), fence_(fence) {}
    std::string owner_token() const override { return inner_->owner_token(); }
    std::optional<std::uint64_t> fencing_token() const override { return fence_; }
    MonotonicTime valid_until() const override { return inner_->valid_until(); }
    Status Extend() override { return inner_->Extend(); }
    Status Release() override { return inner_->Release(); }

   private:
    std::unique_ptr<harness::Hold> inner_;
    std::uint64_t fence_;
  };

  class RandomLock final : public harness::Lock {
   public:
    RandomLock(Runtime& runtime, std::unique_ptr<harness::Lock> inner)
        : runtime_(runtime), inner_(std::move(inner)) {}
    Result<std::unique_ptr<harness::Hold>> TryAcquire() override {
      return Fenced(inner_->TryAcquire());
    }
    Result<std::unique_ptr<harness::Hold>> AcquireUntil(MonotonicTime deadline) override {
      return Fenced(inner_->AcquireUntil(deadline));
    }

   private:
    Result<std::unique_ptr<harness::Hold>> Fenced(Result<std::unique_ptr<harness::Hold>> asked) {
      if (!asked.ok()) return asked.status();
      std::array<std::byte, 4> bytes{};
      runtime_.FillRandom(bytes);
      std::uint64_t fence = 0;
      for (const std::byte byte : bytes) fence = fence * 256 + std::to_integer<std::uint64_t>(byte);
      return std::unique_ptr<harness::Hold>(
          std::make_unique<RandomHold>(std::move(asked).value(), fence));
    }
    Runtime& runtime_;
    std::unique_ptr<harness::Lock> inner_;
  };

  std::shared_ptr<const harness::Subject> inner_;
};

TEST(CatalogueTest, AFenceOfRandomValuesFallsInTheCaseThatIsAboutIt) {
  CampaignOptions options;
  options.entries.push_back({std::make_shared<RandomFence>(SoundSubjects().front()), true, {}});
  options.scenarios = {FindScenario("kleppmann.k8")};
  const CampaignResult result = RunCampaign(options);
  int convicted = 0;
  for (const reports::ResultRow& row : result.report.results) {
    if (row.code != "LK007") continue;
    EXPECT_EQ(row.verdict, reports::Verdict::kViolated) << reports::ToString(row.synchrony);
    ++convicted;
  }
  EXPECT_EQ(convicted, 3);
}

// Where a case is about one lock's fault, a specimen with that fault falls in it.
TEST(CatalogueTest, ABlindReleaseFallsInTheCaseThatIsAboutIt) {
  CampaignOptions options;
  for (const Specimen& specimen : Specimens()) {
    if (specimen.subject->name() == "broken/del-without-owner") {
      options.entries.push_back({specimen.subject, true, specimen.expected});
    }
  }
  options.scenarios = {FindScenario("redis.d2")};
  const CampaignResult result = RunCampaign(options);
  for (const reports::ResultRow& row : result.report.results) {
    if (row.property != "foreign-release") continue;
    EXPECT_EQ(row.verdict, reports::Verdict::kViolated) << reports::ToString(row.synchrony);
    EXPECT_EQ(row.runs_to_first_violation, 1U);
  }
}

}  // namespace
}  // namespace interlock::scenarios
