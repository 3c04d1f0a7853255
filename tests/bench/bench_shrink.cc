// SPDX-License-Identifier: MIT
//
// What it costs to make a violation small, and how small it becomes: one benchmark for each
// conviction that the specimens must get, from the first failing run that the campaign's generator
// finds, as the gate shrinks it. At the end the sizes, and the median and the 95th percentile of
// the times: the goals are 1 s and 10 s.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <optional>
#include <string>
#include <vector>

#include <benchmark/benchmark.h>

#include "scenarios/cases/generators.h"
#include "scenarios/judge/property.h"
#include "scenarios/search/campaign.h"
#include "scenarios/search/shrink/shrink.h"

namespace interlock::scenarios {
namespace {

constexpr std::uint64_t kMostRuns = 10'000;  // in search of a violation
constexpr int kBudget = 4000;                // the campaign's, for what it fails for

struct Row {
  std::string name;
  reports::Size before, after;
  int tries = 0;
  double seconds = 0;
};

std::vector<Row>& Rows() {
  static std::vector<Row> rows;
  return rows;
}

struct Failing {
  RunCase run_case;
  Judged property = Judged::kServerExclusion;
  TrialCase found;
};

/// As the campaign does: a run that this violation names, else any that has it.
std::optional<Failing> Find(const Specimen& specimen, const Conviction& conviction) {
  const auto property = JudgedFromSlug(conviction.property);
  Failing failing;
  failing.run_case = {specimen.subject.get(), FindScenario(conviction.scenario),
                      conviction.synchrony};
  if (!property.has_value() || failing.run_case.scenario == nullptr) return std::nullopt;
  failing.property = *property;
  const Scenario& scenario = *failing.run_case.scenario;
  const Generator generator(scenario);
  sim::Universe universe;
  std::optional<Failing> other;
  for (std::uint64_t index = 0; index < std::min(kMostRuns, scenario.max_runs); ++index) {
    const std::uint64_t seed = RunSeed(1, scenario, conviction.synchrony, index);
    failing.found.workload = generator.Draw(seed);
    sim::Choices choices = ChoicesOfRun(seed);
    const RunResult run = RunOnce(universe, failing.run_case, failing.found.workload, choices);
    const Violation* naming = NamingViolation(run, failing.run_case, failing.property);
    if (run.Find(failing.property) == nullptr) continue;
    failing.found.tape = choices.TakeTape();
    if (naming->property == failing.property) return failing;
    if (!other.has_value()) other = failing;
  }
  return other;
}

void ShrinkFirst(benchmark::State& state, const Specimen& specimen, const Conviction& conviction,
                 const std::string& name) {
  const auto failing = Find(specimen, conviction);
  if (!failing.has_value()) {
    state.SkipWithError("no run has this violation");
    return;
  }
  sim::Universe universe;
  Row row;
  row.name = name;
  row.before = SizeOf(failing->found);
  for (auto _ : state) {
    const auto started = std::chrono::steady_clock::now();
    const ShrinkResult shrunk = Shrink(universe, failing->run_case, failing->found.workload,
                                       failing->found.tape, failing->property, kBudget);
    row.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count();
    row.after = SizeOf({shrunk.workload, shrunk.tape});
    row.tries = shrunk.tries;
  }
  state.counters["runs"] = row.tries;
  state.counters["size"] = static_cast<double>(row.after.clients + row.after.faults +
                                               row.after.operations + row.after.switches);
  Rows().push_back(row);
}

void PrintSizes() {
  std::vector<double> seconds;
  std::printf("\n%-66s %13s  %13s %6s %9s\n", "violation", "found", "shrunk", "runs", "seconds");
  for (const Row& row : Rows()) {
    std::printf("%-66s %2zu %2zu %2zu %4zu  %2zu %2zu %2zu %4zu %6d %9.3f\n", row.name.c_str(),
                row.before.clients, row.before.faults, row.before.operations, row.before.switches,
                row.after.clients, row.after.faults, row.after.operations, row.after.switches,
                row.tries, row.seconds);
    seconds.push_back(row.seconds);
  }
  if (seconds.empty()) return;
  std::sort(seconds.begin(), seconds.end());
  std::printf("clients, faults, operations, switches. %zu violations: median %.3f s, p95 %.3f s\n",
              seconds.size(), seconds[seconds.size() / 2], seconds[seconds.size() * 95 / 100]);
}

}  // namespace
}  // namespace interlock::scenarios

int main(int argc, char** argv) {
  namespace scenarios = interlock::scenarios;
  for (const scenarios::Specimen& specimen : scenarios::Specimens()) {
    for (const scenarios::Conviction& conviction : specimen.expected) {
      const std::string name = std::string(specimen.subject->name()) + "/" +
                               std::string(conviction.property) + "/" +
                               std::string(conviction.scenario);
      benchmark::RegisterBenchmark(name.c_str(),
                                   [specimen, conviction, name](benchmark::State& state) {
                                     scenarios::ShrinkFirst(state, specimen, conviction, name);
                                   })
          ->Iterations(1)
          ->Unit(benchmark::kMillisecond);
    }
  }
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
  benchmark::RunSpecifiedBenchmarks();
  scenarios::PrintSizes();
  return 0;
}
