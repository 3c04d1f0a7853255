// SPDX-License-Identifier: MIT
//
// A scenario on another server: the same workloads, its own name, and what a token makes of that.
#include <gtest/gtest.h>

#include "scenarios/cases/generators.h"
#include "scenarios/cases/replay_token.h"
#include "scenarios/cases/scenario.h"
#include "scenarios/cases/server_words.h"
#include "scenarios/cli/registry.h"
#include "scenarios/cli/replay_case.h"
#include "scenarios/locks/specimen.h"
#include "scenarios/search/campaign.h"

namespace interlock::scenarios {
namespace {

using sim::redis::FindDialect;

const Scenario& Chaos() { return *FindScenario("chaos"); }

TEST(OnServerTest, AScenarioIsFoundWithTheServersName) {
  const Scenario* found = FindScenario("chaos@valkey-9.1");
  ASSERT_NE(found, nullptr);
  EXPECT_EQ(found, &OnServer(Chaos(), *FindDialect("valkey-9.1")));
  EXPECT_EQ(found->name, "chaos@valkey-9.1");
  EXPECT_EQ(found->base_name(), "chaos");
  EXPECT_EQ(found->server->name, "valkey-9.1");
  EXPECT_EQ(FindScenario("guarantee.link.standalone@redis-8.0")->fault_class, "link");
}

TEST(OnServerTest, OnRedis70ItIsTheScenarioItself) {
  EXPECT_EQ(FindScenario("chaos@redis-7.0"), &Chaos());
  const Scenario& elsewhere = OnServer(Chaos(), *FindDialect("redis-8.0"));
  EXPECT_EQ(&OnServer(elsewhere, sim::redis::DefaultDialect()), &Chaos());
  EXPECT_EQ(OnServer(elsewhere, *FindDialect("valkey-8.1")).name, "chaos@valkey-8.1");
}

TEST(OnServerTest, AnUnknownServerHasNoScenarios) {
  EXPECT_EQ(FindScenario("chaos@valkey-7"), nullptr);
  EXPECT_EQ(FindScenario("chaos@"), nullptr);
  EXPECT_EQ(FindScenario("none@valkey-9.1"), nullptr);
}

TEST(OnServerTest, ItsRunsHaveTheSameSeedsAndWorkloads) {
  const Scenario& there = OnServer(Chaos(), *FindDialect("valkey-9.1"));
  const std::uint64_t seed = RunSeed(1, Chaos(), SynchronyClass::kBounded, 7);
  EXPECT_EQ(RunSeed(1, there, SynchronyClass::kBounded, 7), seed);
  EXPECT_EQ(Generator(there).Draw(seed), Generator(Chaos()).Draw(seed));
}

TEST(OnServerTest, PatternsOfScenariosEndWithTheServer) {
  const auto two = cli::SelectScenarios("chaos,pause@redis-8.0");
  ASSERT_TRUE(two.ok());
  ASSERT_EQ(two->size(), 2U);
  for (const Scenario* one : *two) EXPECT_EQ(one->server->name, "redis-8.0") << one->name;
  const auto unknown = cli::SelectScenarios("*@valkey-9");
  EXPECT_EQ(unknown.code(), StatusCode::kInvalidArgument);
  EXPECT_NE(unknown.status().message().find("did you mean \"valkey-9.1\"?"), std::string::npos)
      << unknown.status().message();
  EXPECT_FALSE(cli::SelectFaultClasses("link@valkey-9").ok());
}

TEST(OnServerTest, ATokenCarriesTheServerAndReplaysThere) {
  const auto registry = cli::Registry::Make({});
  ASSERT_TRUE(registry.ok());
  const std::string token =
      Encode({"mutex", "chaos@valkey-9.1", SynchronyClass::kBounded, std::uint64_t{7}});
  auto replayed = cli::ReplayCaseOf(token, *registry);
  ASSERT_TRUE(replayed.ok()) << replayed.status().message();
  EXPECT_EQ(replayed->unit.scenario->server->name, "valkey-9.1");
  replayed->PutOn(sim::redis::DefaultDialect());
  EXPECT_EQ(replayed->token_text,
            Encode({"mutex", "chaos", SynchronyClass::kBounded, std::uint64_t{7}}));
  const auto unknown = cli::ReplayCaseOf(
      Encode({"mutex", "chaos@valkey-9", SynchronyClass::kBounded, std::uint64_t{7}}), *registry);
  EXPECT_EQ(unknown.code(), StatusCode::kInvalidArgument);
  EXPECT_NE(unknown.status().message().find("unknown server \"valkey-9\""), std::string::npos)
      << unknown.status().message();
}

TEST(OnServerTest, AReportSaysWhatIsKnownFromDocumentsOnly) {
  EXPECT_EQ(BackendOf(sim::redis::DefaultDialect()), "sim");
  EXPECT_EQ(BackendOf(*FindDialect("redis-8.4")), "sim redis-8.4 (documents only)");
  for (const sim::redis::Dialect& server : sim::redis::Dialects()) {
    EXPECT_EQ(WhyUnproven(server).has_value(), !server.proven) << server.name;
  }
}

/// Whether it is convicted of that there within a few runs.
bool IsConvicted(const Specimen& specimen, const Conviction& conviction, const Scenario& there) {
  CampaignOptions options;
  options.runs = 200;
  options.explaining = Explaining::kNone;
  options.server_chosen = true;
  options.entries = {{specimen.subject, true, specimen.expected}};
  for (const auto& sound : SoundSubjects()) options.controls.push_back({sound, false, {}});
  options.scenarios = {&there};
  for (const reports::ResultRow& row : RunCampaign(options).report.results) {
    const bool asked = row.kind == reports::LockKind::kSpecimen && row.scenario == there.name &&
                       row.property == conviction.property;
    if (asked) return row.pass && row.verdict == reports::Verdict::kViolated;
  }
  return false;
}

TEST(OnServerTest, ASpecimenIsConvictedOnTheOtherServersThatItsConvictionNames) {
  int convictions = 0;
  for (const Specimen& specimen : Specimens()) {
    for (const Conviction& conviction : specimen.expected) {
      if (conviction.also_on.empty()) continue;
      const Scenario& first = *FindScenario(conviction.scenario);
      for (const sim::redis::Dialect& server : sim::redis::Dialects()) {
        const Scenario& there = OnServer(first, server);
        if (!server.proven || &there == &first) continue;  // The gate has the first.
        if (!conviction.IsIn(there.name, conviction.synchrony)) continue;
        EXPECT_TRUE(IsConvicted(specimen, conviction, there))
            << specimen.subject->name() << " in " << there.name;
        ++convictions;
      }
    }
  }
  EXPECT_EQ(convictions, 7);
}

TEST(OnServerTest, ASpecimenIsNotRunOnAServerWhereItIsSound) {
  for (const Specimen& specimen : Specimens()) {
    if (specimen.subject->name() != "broken/delex-unknown") continue;
    const Conviction& conviction = specimen.expected.front();
    EXPECT_TRUE(conviction.IsIn("contention@valkey-9.1", SynchronyClass::kNone));
    EXPECT_TRUE(conviction.IsIn("contention@redis-8.0", SynchronyClass::kNone));
    EXPECT_TRUE(conviction.IsIn("contention", SynchronyClass::kNone)) << "on Redis 7.0";
    EXPECT_FALSE(conviction.IsIn("contention@valkey-9.2", SynchronyClass::kNone)) << "has DELEX";
    EXPECT_FALSE(conviction.IsIn("overstay@redis-8.0", SynchronyClass::kNone));
  }
}

}  // namespace
}  // namespace interlock::scenarios
