// SPDX-License-Identifier: MIT
//
// That the corpus of cases/token_corpus_test.cc has a run of each sound lock in each scenario and
// class; and how it is written anew: after an intended change run this once with
// INTERLOCK_APPROVE=1 and review the difference. What has changed is worked out again, and a lock
// or scenario that has come since gets a token.
#include <cstdlib>
#include <fstream>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>

#include "scenarios/cases/replay_token.h"
#include "scenarios/search/plan.h"
#include "tests/scenarios/cases/token_corpus.h"

namespace interlock::scenarios {
namespace {

using UnitName = std::tuple<std::string, std::string, SynchronyClass>;

UnitName NameOf(const ReplayToken& token) { return {token.lock, token.scenario, token.synchrony}; }

/// The units of a campaign. REQUIRES: `options` outlives them.
std::map<UnitName, Unit> AllUnits(const CampaignOptions& options) {
  std::map<UnitName, Unit> units;
  for (const Unit& unit : UnitsOf(options)) {
    units[{std::string(unit.entry->subject->name()), std::string(unit.scenario->name),
           unit.synchrony}] = unit;
  }
  return units;
}

CampaignOptions Everything(const std::vector<Entry>& locks) {
  CampaignOptions options;
  options.entries = locks;
  for (const Scenario& scenario : Catalogue()) options.scenarios.push_back(&scenario);
  return options;
}

/// Of a sound lock a run that others do not have; of a specimen one that violates something.
std::string TokenFor(const Unit& unit, const std::vector<Entry>& locks, sim::Universe& universe) {
  constexpr std::uint64_t kTries = 300;
  constexpr std::uint64_t kSeed = 1;
  const std::string lock(unit.entry->subject->name());
  const std::uint64_t first = sim::HashBytes(lock, 0) % 16;
  const auto token_of = [&](std::uint64_t index) {
    return Encode({lock, std::string(unit.scenario->name), unit.synchrony,
                   RunSeed(kSeed, *unit.scenario, unit.synchrony, index)});
  };
  for (std::uint64_t index = 0; unit.entry->specimen && index < kTries; ++index) {
    const std::string token = token_of(index);
    if (Replayed(token, locks, universe).find('@') != std::string::npos) return token;
  }
  return token_of(first);
}

void Approve(const std::vector<Entry>& locks, std::vector<CorpusLine> lines) {
  sim::Universe universe;
  const CampaignOptions everything = Everything(locks);
  auto units = AllUnits(everything);
  for (const CorpusLine& line : lines) {
    const auto token = DecodeReplayToken(line.token);
    if (token.ok()) units.erase(NameOf(*token));
  }
  for (const auto& [name, unit] : units) {
    lines.push_back({TokenFor(unit, locks, universe), ""});
  }
  std::ofstream file(INTERLOCK_TOKEN_CORPUS);
  file << "# " << lines.size()
       << " tokens with the hash of their trace and what they violate: see token_corpus_test.cc.\n";
  for (const CorpusLine& line : lines) {
    file << line.token << ' ' << Replayed(line.token, locks, universe) << '\n';
  }
}

TEST(CorpusUnitsTest, EverySoundLockHasATokenInEachScenarioAndClass) {
  const std::vector<Entry> locks = AllLocks();
  if (std::getenv("INTERLOCK_APPROVE") != nullptr) {
    Approve(locks, ReadCorpus(INTERLOCK_TOKEN_CORPUS));
  }
  std::set<UnitName> pinned;
  for (const CorpusLine& line : ReadCorpus(INTERLOCK_TOKEN_CORPUS)) {
    const auto token = DecodeReplayToken(line.token);
    ASSERT_TRUE(token.ok()) << token.status().ToString();
    pinned.insert(NameOf(*token));
  }
  const CampaignOptions everything = Everything(locks);
  for (const auto& [name, unit] : AllUnits(everything)) {
    if (unit.entry->specimen) continue;
    EXPECT_TRUE(pinned.contains(name))
        << std::get<0>(name) << " in " << std::get<1>(name) << ", " << ToString(std::get<2>(name))
        << ": add one with INTERLOCK_APPROVE=1";
  }
}

}  // namespace
}  // namespace interlock::scenarios
