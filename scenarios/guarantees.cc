// SPDX-License-Identifier: MIT
#include "scenarios/guarantees.h"

#include <algorithm>
#include <span>

#include <fmt/format.h>

#include "scenarios/catalogue/fault_classes.h"

namespace interlock::scenarios {
namespace {

/// The words of a list with blanks between them.
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
  return std::any_of(words.begin(), words.end(),
                     [&](std::string_view word) { return Names(word, property); });
}

const Scenario* PlaceOf(const harness::Promise& promise) {
  for (const Scenario& scenario : GuaranteeScenarios()) {
    if (scenario.fault_class == promise.fault_class &&
        ToString(scenario.shape.topology) == promise.topology) {
      return &scenario;
    }
  }
  return nullptr;
}

}  // namespace

const std::vector<Scenario>& GuaranteeScenarios() {
  static const std::vector<Scenario> kScenarios = catalogue::FaultClasses();
  return kScenarios;
}

reports::Expectation Promised(const harness::Subject& subject, const Scenario& scenario,
                              Judged property) {
  for (const harness::Promise& promise : subject.Promises()) {
    if (PlaceOf(promise) != FindScenario(scenario.name)) continue;
    if (Lists(promise.keeps, property)) return reports::Expectation::kHolds;
    if (Lists(promise.fails, property)) return reports::Expectation::kBreaks;
  }
  return reports::Expectation::kEither;
}

std::string WrongPromise(const harness::Subject& subject) {
  std::vector<std::pair<std::string_view, Judged>> seen;
  for (const harness::Promise& promise : subject.Promises()) {
    const Scenario* place = PlaceOf(promise);
    if (place == nullptr) {
      return fmt::format("{} promises something of \"{}\" on \"{}\", which is not in the table",
                         subject.name(), promise.fault_class, promise.topology);
    }
    const std::vector<Judged> judged = JudgedFor(*place, subject);
    for (const std::string_view list : {promise.keeps, promise.fails}) {
      for (const std::string_view word : Words(list)) {
        bool known = false;
        for (const Judged property : judged) {
          if (!Names(word, property)) continue;
          known = true;
          const std::pair<std::string_view, Judged> entry(place->name, property);
          if (std::find(seen.begin(), seen.end(), entry) != seen.end()) {
            return fmt::format("{} speaks twice of {} in {}", subject.name(), word,
                               promise.fault_class);
          }
          seen.push_back(entry);
        }
        if (!known) {
          return fmt::format("{} speaks of {} in {}, which is not judged there", subject.name(),
                             word, promise.fault_class);
        }
      }
    }
  }
  return "";
}

reports::GuaranteeTable TableOf(const reports::RunReport& report) {
  reports::GuaranteeTable table;
  table.tool = report.tool;
  table.seed = report.seed;
  table.status = report.status;
  table.divergences = report.totals.divergences;
  for (const Scenario& scenario : GuaranteeScenarios()) {
    const bool known =
        std::any_of(table.classes.begin(), table.classes.end(),
                    [&](const auto& one) { return one.name == scenario.fault_class; });
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
    table.cells.back().rows.push_back(row);
    previous = &row;
  }
  for (reports::GuaranteeCell& cell : table.cells) {
    std::stable_sort(cell.rows.begin(), cell.rows.end(),
                     [](const auto& a, const auto& b) { return a.code < b.code; });
  }
  return table;
}

}  // namespace interlock::scenarios
