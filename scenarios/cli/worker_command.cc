// SPDX-License-Identifier: MIT
#include <iostream>
#include <memory>
#include <string>

#include "scenarios/cli/commands.h"
#include "scenarios/cli/output.h"
#include "scenarios/run/guard.h"
#include "scenarios/search/shards.h"
#include "scenarios/search/unit_runner.h"

namespace interlock::scenarios::cli {
namespace {

std::string Answer(const std::string& line, const Registry& registry) {
  const auto read = reports::ReadBlockRequest(line);
  if (!read.value) return reports::RefusalLine(read.error);
  const reports::BlockRequest& request = *read.value;
  const Entry* entry = registry.Find(request.lock);
  const Scenario* scenario = FindScenario(request.scenario);
  if (entry == nullptr || scenario == nullptr) {
    return reports::RefusalLine("there is no such lock or scenario");
  }
  CampaignOptions options;
  options.seed = request.seed;
  options.strategy = FindStrategy(request.strategy);
  const Unit unit{entry, scenario, static_cast<SynchronyClass>(request.synchrony)};
  const UnitResult sum = UnitRunner(options).RunBlock(unit, request.first, request.count);
  return reports::ToLine(ToShardBlock(unit, request.first, sum));
}

reports::ExitCode ServeRequests(const Registry& registry) {
  // What spins only here must end, or whoever waits for the answer waits for good.
  GuardOptions guard;
  guard.program = registry.program();
  InstallGuard(guard);
  const GuardedThread guarded;
  std::string line;
  while (std::getline(std::cin, line)) {
    const reports::ExitCode printed = Print(Answer(line, registry) + "\n");
    if (printed != reports::ExitCode::kPass) return printed;
  }
  return reports::ExitCode::kPass;
}

}  // namespace

void AddWorkerCommand(Command app, const Registry& registry, Work& work) {
  Command command = app.Subcommand("worker", "");
  command.Hide();
  command.OnParsed([&registry, &work] { work = [&registry] { return ServeRequests(registry); }; });
}

}  // namespace interlock::scenarios::cli
