// SPDX-License-Identifier: MIT
//
// Pins what runs are: a token of each sound lock in each scenario and class that it runs in, runs
// of specimens, nearly all of which violate something, and the smallest cases of these, each with
// the hash of its trace and with what it violates. A change of the library, the simulated world,
// the generators or the judges that is meant to change nothing must leave this corpus as it is; and
// so must every compiler and sanitizer.
//
// After an intended change, run once with INTERLOCK_APPROVE=1 and review the difference: what has
// changed is worked out again, and a lock or scenario that has come since gets a token.
#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>

#include "scenarios/cases/generators.h"
#include "scenarios/cases/replay_token.h"
#include "scenarios/judge/property.h"
#include "scenarios/locks/specimen.h"
#include "scenarios/search/plan.h"

namespace interlock::scenarios {
namespace {

const char* const kCorpus = INTERLOCK_TOKEN_CORPUS;

std::vector<Entry> AllLocks() {
  std::vector<Entry> locks;
  for (auto& subject : SoundSubjects()) locks.push_back({subject, false, {}});
  for (Specimen& specimen : Specimens()) {
    locks.push_back({specimen.subject, true, specimen.expected});
  }
  return locks;
}

const harness::Subject* FindLock(const std::vector<Entry>& locks, const std::string& name) {
  const auto found = std::find_if(locks.begin(), locks.end(), [&](const Entry& entry) {
    return entry.subject->name() == name;
  });
  return found == locks.end() ? nullptr : found->subject.get();
}

/// `hash violations`, in the order of their instants; the instants are in nanoseconds.
std::string Describe(const RunResult& run) {
  std::ostringstream text;
  text << std::hex << run.trace_hash << std::dec << ' ';
  if (run.inconclusive.has_value()) text << "inconclusive;";
  for (const Violation& violation : run.violations) {
    text << Slug(violation.property) << '@' << violation.at.count() << ';';
  }
  if (!run.inconclusive.has_value() && run.violations.empty()) text << '-';
  return text.str();
}

struct CorpusLine {
  std::string token;
  std::string expected;
};

std::vector<CorpusLine> ReadCorpus() {
  std::vector<CorpusLine> lines;
  std::ifstream file(kCorpus);
  std::string text;
  while (std::getline(file, text)) {
    if (text.empty() || text.front() == '#') continue;
    const std::size_t space = text.find(' ');
    lines.push_back({text.substr(0, space), text.substr(space + 1)});
  }
  return lines;
}

std::string Replayed(const std::string& text, const std::vector<Entry>& locks,
                     sim::Universe& universe) {
  const auto token = DecodeReplayToken(text);
  if (!token.ok()) return token.status().ToString();
  const harness::Subject* lock = FindLock(locks, token->lock);
  const Scenario* scenario = FindScenario(token->scenario);
  if (lock == nullptr || scenario == nullptr) return "names what does not exist";
  const auto* packed = std::get_if<PackedRun>(&token->run);
  const std::uint64_t seed = packed != nullptr ? 0 : std::get<std::uint64_t>(token->run);
  sim::Choices choices =
      packed != nullptr ? sim::Choices::FromTape(packed->tape) : ChoicesOfRun(seed);
  const Workload workload = packed != nullptr
                                ? packed->workload
                                : Generator(*scenario, ExtrasOf(lock->traits())).Draw(seed);
  return Describe(RunOnce(universe, {lock, scenario, token->synchrony}, workload, choices));
}

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
  std::ofstream file(kCorpus);
  file << "# " << lines.size()
       << " tokens with the hash of their trace and what they violate: see token_corpus_test.cc.\n";
  for (const CorpusLine& line : lines) {
    file << line.token << ' ' << Replayed(line.token, locks, universe) << '\n';
  }
}

TEST(TokenCorpusTest, EveryRunIsWhatItWas) {
  const std::vector<Entry> locks = AllLocks();
  std::vector<CorpusLine> lines = ReadCorpus();
  if (std::getenv("INTERLOCK_APPROVE") != nullptr) Approve(locks, std::move(lines));
  lines = ReadCorpus();
  std::string title;
  std::getline(std::ifstream(kCorpus) >> std::ws, title);
  ASSERT_TRUE(title.starts_with("# " + std::to_string(lines.size()) + " tokens"))
      << kCorpus << " has " << lines.size() << " runs, and says: " << title;
  sim::Universe universe;
  for (const CorpusLine& line : lines) {
    EXPECT_EQ(Replayed(line.token, locks, universe), line.expected) << line.token;
  }
}

TEST(TokenCorpusTest, EverySoundLockHasATokenInEachScenarioAndClass) {
  const std::vector<Entry> locks = AllLocks();
  std::set<UnitName> pinned;
  for (const CorpusLine& line : ReadCorpus()) {
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
