// SPDX-License-Identifier: MIT
#include "scenarios/search/unit_runner.h"

#include <algorithm>
#include <chrono>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "scenarios/cases/replay_token.h"
#include "scenarios/run/black_box.h"
#include "scenarios/run/guard.h"
#include "scenarios/search/plan.h"
#include "scenarios/search/shrink/shrink.h"
#include "sim/posix/objects.h"
#include "sim/posix/program_statics.h"

namespace interlock::scenarios {
namespace {

constexpr std::uint64_t kDoubleRunEach = 50;  // one run in fifty is made twice

using Sizes = std::pair<std::size_t, std::size_t>;  // clients, faults
constexpr Sizes kSmall = {3, 2};

/// The sizes of a case, in which too many faults weigh more than too many clients.
Sizes SizesOf(const Found& found) {
  const reports::Size size = SizeOf({found.workload, found.tape});
  return {std::max(size.clients, size.faults > 2 ? size.faults + 2 : 0), size.faults};
}

std::vector<std::string> SharedStatics(const sim::posix::ProgramStatics& before) {
  std::vector<std::string> names = before.Changed();
  for (const std::string& object : sim::posix::ObjectsLoadedLater()) {
    names.push_back("all of " + object + ", which a run has loaded");
  }
  std::ranges::sort(names);
  return names;
}

}  // namespace

std::string TokenOf(const Unit& unit, std::variant<std::uint64_t, PackedRun> run) {
  return Encode({std::string(unit.entry->subject->name()), std::string(unit.scenario->name),
                 unit.synchrony, std::move(run)});
}

UnitResult UnitRunner::RunBlock(const Unit& unit, std::uint64_t first, std::uint64_t count) {
  UnitResult sum;
  const RunCase run_case = CaseOf(unit);
  const Generator& generator = GeneratorFor(unit);
  // What our own locks share is what the library's headers say.
  std::optional<sim::posix::ProgramStatics> before;
  if (unit.entry->foreign && unit.entry->subject->traits().posix) before.emplace();
  for (std::uint64_t index = first; index < first + count; ++index) {
    if (options_.stopped() || IsOver(unit, sum)) break;
    const std::uint64_t seed = SeedOf(unit, index);
    const GuardedRun guarded(run_case.subject->name(), unit.scenario->name, unit.synchrony, seed);
    if (BlackBox* box = BlackBox::OfThisProcess()) box->NoteIndex(index);
    const Workload workload = generator.Draw(seed);
    sim::Choices choices = ChoicesOfRun(seed);
    const RunResult result = RunOnce(universe_, run_case, workload, choices);
    AddRun(result, index, sum);
    if (index % kDoubleRunEach != 0) continue;
    sim::Choices again = ChoicesOfRun(seed);
    ++sum.double_runs;
    const RunResult second = RunOnce(universe_, run_case, workload, again);
    if (second.trace_hash != result.trace_hash) ++sum.divergences;
  }
  if (before.has_value()) sum.shared_statics = SharedStatics(*before);
  return sum;
}

void UnitRunner::Shrink(Found& found, int budget) {
  for (const std::uint64_t index : BestFirst(found)) {
    Found tried = found;
    budget -= ShrinkOne(tried, index, budget);
    if (found.token.empty() || SizesOf(tried) < SizesOf(found)) found = tried;
    if (SizesOf(found) <= kSmall || budget <= 0 || options_.stopped()) return;
  }
}

void UnitRunner::TakeAsFound(Found& found) {
  found.token = TokenOf(found.unit, Draw(found, found.candidates.front()));
  found.workload = found.original;
  found.tape = found.original_tape;
}

/// The candidates. Runs that no earlier violation of another property would name come first; of
/// those the shortest, as it is small already, and quick to repeat.
std::vector<std::uint64_t> UnitRunner::BestFirst(const Found& found) {
  if (options_.stopped()) return found.candidates;
  const RunCase run_case = CaseOf(found.unit);
  std::vector<std::tuple<bool, std::uint64_t, std::uint64_t>> order;
  for (const std::uint64_t index : found.candidates) {
    const std::uint64_t seed = SeedOf(found.unit, index);
    const GuardedRun guarded(run_case.subject->name(), found.unit.scenario->name,
                             found.unit.synchrony, seed);
    sim::Choices choices = ChoicesOfRun(seed);
    const RunResult run =
        RunOnce(universe_, run_case, GeneratorFor(found.unit).Draw(seed), choices);
    const Violation* naming = NamingViolation(run, run_case, found.property);
    const bool named = naming != nullptr && naming->property == found.property;
    order.emplace_back(!named, run.commands, index);
  }
  std::ranges::sort(order);
  std::vector<std::uint64_t> indices;
  for (const auto& [unnamed, commands, index] : order) indices.push_back(index);
  return indices;
}

std::uint64_t UnitRunner::Draw(Found& found, std::uint64_t index) {
  const std::uint64_t seed = SeedOf(found.unit, index);
  const RunCase run_case = CaseOf(found.unit);
  const GuardedRun guarded(run_case.subject->name(), found.unit.scenario->name,
                           found.unit.synchrony, seed, GuardPhase::kShrinking);
  found.original = GeneratorFor(found.unit).Draw(seed);
  sim::Choices choices = ChoicesOfRun(seed);
  RunOnce(universe_, run_case, found.original, choices);
  found.original_tape = choices.TakeTape();
  return seed;
}

int UnitRunner::ShrinkOne(Found& found, std::uint64_t index, int budget) {
  const std::uint64_t seed = Draw(found, index);
  const RunCase run_case = CaseOf(found.unit);
  const GuardedRun guarded(run_case.subject->name(), found.unit.scenario->name,
                           found.unit.synchrony, seed, GuardPhase::kShrinking);
  const auto started = std::chrono::steady_clock::now();
  ShrinkResult shrunk = scenarios::Shrink(universe_, run_case, found.original, found.original_tape,
                                          found.property, budget, options_.stop);
  found.shrink_time += std::chrono::duration_cast<std::chrono::milliseconds>(
      std::chrono::steady_clock::now() - started);
  found.workload = std::move(shrunk.workload);
  found.tape = std::move(shrunk.tape);
  found.shrinks = shrunk.shrinks;
  found.token = TokenOf(found.unit, PackedRun{found.workload, found.tape});
  return shrunk.spent;
}

std::uint64_t UnitRunner::SeedOf(const Unit& unit, std::uint64_t index) const {
  return RunSeed(options_.seed, *unit.scenario, unit.synchrony, index, options_.strategy);
}

const Generator& UnitRunner::GeneratorFor(const Unit& unit) {
  const std::pair key(unit.scenario, ExtrasOf(unit.entry->subject->traits()));
  for (const auto& [known, generator] : generators_) {
    if (known == key) return *generator;
  }
  generators_.emplace_back(key, std::make_unique<Generator>(*unit.scenario, key.second));
  return *generators_.back().second;
}

}  // namespace interlock::scenarios
