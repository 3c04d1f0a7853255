// SPDX-License-Identifier: MIT
#include <memory>

#include <fmt/format.h>
#include <CLI/Option.hpp>

#include "scenarios/cli/commands.h"
#include "scenarios/cli/output.h"
#include "scenarios/guard.h"

namespace interlock::scenarios::cli {
namespace {

struct Settings {
  std::string lock;
  std::string scenario;
  std::string synchrony;
  std::uint64_t seed = 1;
  std::uint64_t runs = 1;
  std::string strategy;  ///< empty: the portfolio
};

reports::ExitCode Run(const Settings& settings, const Registry& registry) {
  const Entry* entry = registry.Find(settings.lock);
  const Scenario* scenario = FindScenario(settings.scenario);
  if (entry == nullptr || scenario == nullptr) {
    return Complain(reports::ExitCode::kUsage, "hash: unknown lock or scenario");
  }
  for (const SynchronyClass synchrony : scenario->classes) {
    if (ToString(synchrony) != settings.synchrony) continue;
    // What spins only here must end, or whoever waits for the hash waits for good.
    GuardOptions guard;
    guard.program = registry.program();
    InstallGuard(guard);
    const GuardedThread guarded;
    const Unit unit{entry, scenario, synchrony};
    return Print(fmt::format(
        "{}\n", HashOfUnit(unit, settings.seed, settings.runs, FindStrategy(settings.strategy))));
  }
  return Complain(reports::ExitCode::kUsage, "hash: the scenario has no such class");
}

}  // namespace

void AddHashCommand(CLI::App& app, const Registry& registry, Work& work) {
  CLI::App* command = app.add_subcommand("hash", "")->group("");
  auto settings = std::make_shared<Settings>();
  command->add_option("--lock", settings->lock)->required();
  command->add_option("--scenario", settings->scenario)->required();
  command->add_option("--class", settings->synchrony)->required();
  command->add_option("--seed", settings->seed);
  command->add_option("--runs", settings->runs);
  command->add_option("--strategy", settings->strategy);
  command->callback([settings, &registry, &work] {
    work = [settings, &registry] { return Run(*settings, registry); };
  });
}

}  // namespace interlock::scenarios::cli
