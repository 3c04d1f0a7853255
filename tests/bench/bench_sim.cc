// SPDX-License-Identifier: MIT
//
// The two numbers that the simulator promises for one core, trace hash on: commands per second in a
// long run, and complete short runs (3 clients, about 12 commands) per second.
#include <benchmark/benchmark.h>

#include <string_view>

#include <interlock/connection.h>

#include "sim/universe.h"
#include "sim/world.h"

namespace interlock::sim {
namespace {

/// One client: `rounds` times SET NX PX and, if that was granted, DEL.
void Client(World& world, int process, int rounds) {
  auto connected = world.connector(process).Connect(kNever);
  if (!connected.ok()) return;
  Connection& connection = **connected;
  Runtime& runtime = world.runtime(process);
  static constexpr std::string_view kSet[] = {"SET", "k", "v", "NX", "PX", "1000"};
  static constexpr std::string_view kDel[] = {"DEL", "k"};
  for (int round = 0; round < rounds; ++round) {
    const MonotonicTime deadline = AddSaturating(runtime.Now(), std::chrono::seconds(1));
    const auto set = connection.Call(kSet, deadline);
    if (!set.ok()) return;
    if (!set->IsNil() && !connection.Call(kDel, deadline).ok()) return;
  }
}

std::uint64_t RunOnce(Universe& universe, std::uint64_t seed, int rounds) {
  Choices choices = Choices::FromSeed(seed);
  WorldOptions options;
  options.max_steps = 100'000'000;
  const FaultPlan plan;
  World world(universe, options, plan, choices, nullptr);
  for (int process = 0; process < 3; ++process) {
    world.AddProcess({});
    world.Start(process, [&world, process, rounds] { Client(world, process, rounds); });
  }
  world.Run(VirtualTime::max());
  benchmark::DoNotOptimize(world.trace().hash());
  return world.commands();
}

void BenchSimCommands(benchmark::State& state) {
  Universe universe;
  std::uint64_t commands = 0;
  std::uint64_t seed = 0;
  for (auto _ : state) commands += RunOnce(universe, ++seed, 10'000);
  state.counters["commands/s"] =
      benchmark::Counter(static_cast<double>(commands), benchmark::Counter::kIsRate);
}
BENCHMARK(BenchSimCommands)->Unit(benchmark::kMillisecond);

void BenchSimShortRuns(benchmark::State& state) {
  Universe universe;
  std::uint64_t commands = 0;
  std::uint64_t seed = 0;
  for (auto _ : state) commands += RunOnce(universe, ++seed, 3);
  state.counters["runs/s"] =
      benchmark::Counter(static_cast<double>(state.iterations()), benchmark::Counter::kIsRate);
  state.counters["commands/run"] =
      benchmark::Counter(static_cast<double>(commands) / static_cast<double>(state.iterations()));
}
BENCHMARK(BenchSimShortRuns)->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace interlock::sim
