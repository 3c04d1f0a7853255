// SPDX-License-Identifier: MIT
#include "scenarios/search/guarantees.h"

#include <algorithm>

#include <fmt/format.h>

#include "scenarios/cases/scenario.h"
#include "scenarios/cases/server_words.h"
#include "scenarios/judge/demanded.h"
#include "scenarios/judge/property.h"

namespace interlock::scenarios {
namespace {

/// The words of a list that is separated by blanks.
std::vector<std::string_view> Words(std::string_view list) {
  std::vector<std::string_view> words;
  while (!list.empty()) {
    const std::size_t end = std::min(list.find(' '), list.size());
    if (end > 0) words.push_back(list.substr(0, end));
    list.remove_prefix(std::min(end + 1, list.size()));
  }
  return words;
}

bool Names(std::string_view word, Judged property) {
  return word == Code(property) || word == Slug(property);
}

bool Lists(std::string_view list, Judged property) {
  const auto words = Words(list);
  return std::ranges::any_of(words, [&](std::string_view word) { return Names(word, property); });
}

const Scenario* GuaranteePlace(std::string_view fault_class, std::string_view topology) {
  for (const Scenario& scenario : GuaranteeScenarios()) {
    if (scenario.fault_class == fault_class && ToString(scenario.shape.topology) == topology) {
      return &scenario;
    }
  }
  return nullptr;
}

bool Covers(const harness::Promise& promise, const Scenario& scenario) {
  const auto topologies = Words(promise.topologies);
  return scenario.fault_class == promise.fault_class &&
         std::find(topologies.begin(), topologies.end(), ToString(scenario.shape.topology)) !=
             topologies.end();
}

/// The properties that a subject's promises have named so far, each with its place.
using Spoken = std::vector<std::pair<std::string_view, Judged>>;

/// Why the words of a promise are wrong in one of its places; empty if they are right.
std::string WrongWords(const harness::Subject& subject, const harness::Promise& promise,
                       const Scenario& place, Spoken& spoken) {
  const std::vector<Judged> judged = JudgedFor(place, subject);
  for (const std::string_view list : {promise.keeps, promise.fails}) {
    for (const std::string_view word : Words(list)) {
      bool known = false;
      for (const Judged property : judged) {
        if (!Names(word, property)) continue;
        known = true;
        const std::pair<std::string_view, Judged> entry(place.name, property);
        if (std::find(spoken.begin(), spoken.end(), entry) != spoken.end()) {
          return fmt::format("{} speaks twice of {} in {}", subject.name(), word,
                             promise.fault_class);
        }
        spoken.push_back(entry);
      }
      if (!known) {
        return fmt::format("{} speaks of {} in {}, which is not judged there", subject.name(), word,
                           promise.fault_class);
      }
    }
  }
  return "";
}

reports::ResultRow JudgedRow(reports::ResultRow row) {
  const bool missed =
      row.expected == reports::Expectation::kBreaks && row.verdict == reports::Verdict::kHolds;
  if (!missed || row.runs >= kTellingRuns) return row;
  row.verdict = reports::Verdict::kInconclusive;
  row.reason = fmt::format("said to fail, and not seen to in {} runs; from {} runs on that tells",
                           row.runs, kTellingRuns);
  return row;
}

}  // namespace

reports::Expectation Promised(const harness::Subject& subject, const Scenario& scenario,
                              Judged property) {
  for (const harness::Promise& promise : subject.Promises()) {
    if (!Covers(promise, scenario)) continue;
    if (Lists(promise.keeps, property)) return reports::Expectation::kHolds;
    if (Lists(promise.fails, property)) return reports::Expectation::kBreaks;
  }
  return reports::Expectation::kEither;
}

std::string WrongPromise(const harness::Subject& subject) {
  Spoken spoken;
  for (const harness::Promise& promise : subject.Promises()) {
    const auto topologies = Words(promise.topologies);
    if (topologies.empty()) {
      return fmt::format("{} promises something of \"{}\" on no topology", subject.name(),
                         promise.fault_class);
    }
    for (const std::string_view topology : topologies) {
      const Scenario* place = GuaranteePlace(promise.fault_class, topology);
      if (place == nullptr) {
        return fmt::format("{} promises something of \"{}\" on \"{}\", which is not in the table",
                           subject.name(), promise.fault_class, topology);
      }
      std::string wrong = WrongWords(subject, promise, *place, spoken);
      if (!wrong.empty()) return wrong;
    }
  }
  return "";
}

reports::GuaranteeTable TableOf(const reports::RunReport& report) {
  reports::GuaranteeTable table;
  table.tool = report.tool;
  table.seed = report.seed;
  table.status = report.status;
  table.backend = report.backend;
  if (const Scenario* one =
          report.results.empty() ? nullptr : FindScenario(report.results[0].scenario)) {
    if (auto why = WhyUnproven(*one->server)) table.notes.push_back(*std::move(why));
  }
  table.divergences = report.totals.divergences;
  for (const Scenario& scenario : GuaranteeScenarios()) {
    const bool known = std::ranges::any_of(
        table.classes, [&](const auto& one) { return one.name == scenario.fault_class; });
    if (!known) {
      table.classes.push_back({std::string(scenario.fault_class), std::string(scenario.summary)});
    }
  }
  const reports::ResultRow* previous = nullptr;
  for (const reports::ResultRow& row : report.results) {
    const Scenario* scenario = FindScenario(row.scenario);
    if (scenario == nullptr || scenario->fault_class.empty()) continue;
    if (previous == nullptr || previous->lock != row.lock || previous->scenario != row.scenario) {
      table.cells.push_back({row.lock,
                             std::string(scenario->fault_class),
                             std::string(ToString(scenario->shape.topology)),
                             row.runs,
                             {}});
    }
    table.cells.back().rows.push_back(JudgedRow(row));
    previous = &row;
  }
  for (reports::GuaranteeCell& cell : table.cells) {
    std::ranges::stable_sort(cell.rows,
                             [](const auto& a, const auto& b) { return a.code < b.code; });
  }
  return table;
}

}  // namespace interlock::scenarios
