// SPDX-License-Identifier: MIT
//
// The classic cases are all there, and where one is about a lock's fault, a lock with that fault
// falls in it. What they say of our own locks: gate_run_test.cc.
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

TEST(NamedFaultTest, EveryCaseOfTheTextsIsRun) {
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

TEST(NamedFaultTest, EveryCaseThatAPropertyIsExplainedWithExists) {
  const std::set<std::string> known = RunnableCases();
  for (const Property* property : AllProperties()) {
    if (property->scenario == "none") continue;
    EXPECT_TRUE(known.contains(std::string(property->scenario)))
        << property->code << " names " << property->scenario;
  }
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

TEST(NamedFaultTest, AFenceOfRandomValuesFallsInTheCaseThatIsAboutIt) {
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
TEST(NamedFaultTest, ABlindReleaseFallsInTheCaseThatIsAboutIt) {
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
