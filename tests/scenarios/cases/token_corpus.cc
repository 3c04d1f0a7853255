// SPDX-License-Identifier: MIT
#include "tests/scenarios/cases/token_corpus.h"

#include <algorithm>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "scenarios/cases/generators.h"
#include "scenarios/cases/replay_token.h"
#include "scenarios/cases/strategies.h"
#include "scenarios/judge/property.h"
#include "scenarios/locks/specimen.h"

namespace interlock::scenarios {
namespace {

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

}  // namespace

std::vector<Entry> AllLocks() {
  std::vector<Entry> locks;
  for (auto& subject : SoundSubjects()) locks.push_back({subject, false, {}});
  for (Specimen& specimen : Specimens()) {
    locks.push_back({specimen.subject, true, specimen.expected});
  }
  return locks;
}

std::vector<CorpusLine> ReadCorpus(const std::string& path) {
  std::vector<CorpusLine> lines;
  std::ifstream file(path);
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

}  // namespace interlock::scenarios
