// SPDX-License-Identifier: MIT
#include <memory>

#include <fmt/format.h>

#include "scenarios/cli/commands.h"
#include "scenarios/cli/output.h"
#include "scenarios/run/guard.h"

namespace interlock::scenarios::cli {
namespace {

struct HashSettings {
  std::string lock;
  std::string scenario;
  std::string synchrony;
  std::uint64_t seed = 1;
  std::uint64_t runs = 1;
  std::string strategy;  ///< empty: the portfolio
};

reports::ExitCode Run(const HashSettings& settings, const Registry& registry) {
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

void AddHashCommand(Command app, const Registry& registry, Work& work) {
  Command command = app.Subcommand("hash", "");
  command.Hide();
  auto settings = std::make_shared<HashSettings>();
  command.Add("--lock", settings->lock).Required();
  command.Add("--scenario", settings->scenario).Required();
  command.Add("--class", settings->synchrony).Required();
  command.Add("--seed", settings->seed);
  command.Add("--runs", settings->runs);
  command.Add("--strategy", settings->strategy);
  command.OnParsed([settings, &registry, &work] {
    work = [settings, &registry] { return Run(*settings, registry); };
  });
}

}  // namespace interlock::scenarios::cli
