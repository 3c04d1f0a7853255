// SPDX-License-Identifier: MIT
#include "scenarios/search/program/program_case.h"

#include <utility>
#include <variant>

#include <fmt/format.h>

#include "scenarios/cases/scenario.h"
#include "scenarios/run/program/program_faults.h"

namespace interlock::scenarios {
namespace {

/// What stands in a token in the place of a scenario, which no scenario is called.
constexpr std::string_view kScenario = "program";

/// With the servers' version, if it is not the default one: "program@valkey-9.1".
std::string ScenarioOf(const harness::Program& program) {
  const sim::redis::Dialect& server = ServerOf(program);
  if (&server == &sim::redis::DefaultDialect()) return std::string(kScenario);
  return fmt::format("{}{}{}", kScenario, Scenario::kOnServer, server.name);
}

Status Bad(std::string message) { return Status(StatusCode::kInvalidArgument, std::move(message)); }

std::string ServersOf(const Workload& workload) {
  return fmt::format("{} {} server{}", workload.nodes, ToString(workload.topology),
                     workload.nodes == 1 ? "" : "s");
}

}  // namespace

std::string TokenOf(const ProgramCase& one, const harness::Program& program) {
  return Encode({program.name, ScenarioOf(program), SynchronyClass::kArbitrary, one});
}

Result<ProgramCase> CaseIn(std::string_view token, const harness::Program& program,
                           const Workload& calm) {
  Result<ReplayToken> decoded = DecodeReplayToken(token);
  if (!decoded.ok()) return decoded.status();
  const std::string_view scenario = decoded->scenario;
  const bool of_program = scenario.substr(0, scenario.find(Scenario::kOnServer)) == kScenario;
  if (!of_program || !std::holds_alternative<ProgramCase>(decoded->run)) {
    return Bad(
        fmt::format("the token is of the lock {} in the scenario {}; expected one of the "
                    "program {}",
                    decoded->lock, decoded->scenario, program.name));
  }
  if (decoded->lock != program.name) {
    return Bad(fmt::format("the token is of the program {}; expected one of {}", decoded->lock,
                           program.name));
  }
  if (scenario != ScenarioOf(program)) {
    return Bad(fmt::format("the token is of a {}; the program {} has servers of version {}",
                           scenario, program.name, program.version));
  }
  auto one = std::get<ProgramCase>(std::move(decoded->run));
  if (one.workload.clients.size() != calm.clients.size()) {
    return Bad(fmt::format("the token is of {} clients; the program {} has {}",
                           one.workload.clients.size(), program.name, calm.clients.size()));
  }
  if (one.workload.topology != calm.topology || one.workload.nodes != calm.nodes) {
    return Bad(fmt::format("the token is of {}; the program {} has {}", ServersOf(one.workload),
                           program.name, ServersOf(calm)));
  }
  return one;
}

}  // namespace interlock::scenarios
