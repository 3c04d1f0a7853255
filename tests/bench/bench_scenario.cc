// SPDX-License-Identifier: MIT
//
// What a campaign can do on one core, with every oracle and the trace hash on: complete runs and
// commands per second, for a short scenario (three clients, one operation each, and the probe) and
// for what the gate generates.
#include <benchmark/benchmark.h>

#include "scenarios/cases/generators.h"
#include "scenarios/locks/specimen.h"
#include "scenarios/run/run.h"

namespace interlock::scenarios {
namespace {

std::shared_ptr<const harness::Subject> SubjectNamed(std::string_view name) {
  for (auto& subject : SoundSubjects()) {
    if (subject->name() == name) return subject;
  }
  for (auto& subject : CompiledSubjects()) {
    if (subject->name() == name) return subject;
  }
  for (auto& specimen : Specimens()) {
    if (specimen.subject->name() == name) return specimen.subject;
  }
  return nullptr;
}

Workload ShortWorkload() {
  Workload workload;
  workload.lease = std::chrono::seconds(1);
  workload.latency_max = std::chrono::milliseconds(1);
  for (int i = 0; i < 3; ++i) {
    Operation operation;
    operation.ask = i == 0 ? Ask::kTry : Ask::kWaitFor;
    operation.wait = std::chrono::seconds(1);
    operation.hold = std::chrono::milliseconds(4);
    ClientPlan client;
    client.operations.push_back(operation);
    workload.clients.push_back(client);
  }
  return workload;
}

void Report(benchmark::State& state, std::uint64_t commands) {
  state.SetItemsProcessed(state.iterations());
  state.counters["commands"] =
      benchmark::Counter(static_cast<double>(commands), benchmark::Counter::kIsRate);
  state.counters["commands_per_run"] =
      benchmark::Counter(static_cast<double>(commands), benchmark::Counter::kAvgIterations);
}

void ShortRuns(benchmark::State& state, std::string_view lock) {
  const auto subject = SubjectNamed(lock);
  const RunCase run_case{subject.get(), FindScenario("contention"), SynchronyClass::kNone};
  const Workload workload = ShortWorkload();
  sim::Universe universe;
  std::uint64_t commands = 0;
  std::uint64_t seed = 0;
  for (auto _ : state) {
    sim::Choices choices = sim::Choices::FromSeed(++seed);
    commands += RunOnce(universe, run_case, workload, choices).commands;
  }
  Report(state, commands);
}

void GeneratedRuns(benchmark::State& state, std::string_view lock) {
  const auto subject = SubjectNamed(lock);
  const Scenario& scenario = *FindScenario("chaos");
  const RunCase run_case{subject.get(), &scenario, SynchronyClass::kArbitrary};
  const Generator generator(scenario);
  sim::Universe universe;
  std::uint64_t commands = 0;
  std::uint64_t seed = 0;
  for (auto _ : state) {
    const Workload workload = generator.Draw(++seed);
    sim::Choices choices = sim::Choices::FromSeed(seed);
    commands += RunOnce(universe, run_case, workload, choices).commands;
  }
  Report(state, commands);
}

BENCHMARK_CAPTURE(ShortRuns, mutex, "mutex");
BENCHMARK_CAPTURE(ShortRuns, mutex_hiredis, "mutex.hiredis");
BENCHMARK_CAPTURE(ShortRuns, single_file, "single-file");
BENCHMARK_CAPTURE(ShortRuns, without_scripts, "broken/del-without-owner");
BENCHMARK_CAPTURE(GeneratedRuns, mutex, "mutex");
BENCHMARK_CAPTURE(GeneratedRuns, single_file, "single-file");

}  // namespace
}  // namespace interlock::scenarios
