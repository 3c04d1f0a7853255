// SPDX-License-Identifier: MIT
#include "scenarios/run/foreign/real/case_difference.h"

#include <cstddef>
#include <vector>

#include <fmt/format.h>

#include "scenarios/log/event.h"
#include "scenarios/log/words.h"
#include "scenarios/run/foreign/real/case_likeness.h"
#include "scenarios/run/foreign/real/case_steps.h"
#include "sim/redis/server.h"

namespace interlock::scenarios::drive {

std::string DifferenceFrom(const reports::Counterexample& example, const DriveRun& run) {
  std::vector<const LogEvent*> sent;
  for (const LogEvent& event : run.events) {
    if (event.kind == EventKind::kSend) sent.push_back(&event);
  }
  CaseLikeness alike;
  std::size_t next = 0;
  const CaseSteps of_case = CaseStepsOf(example);
  for (const CaseStep& step : of_case.steps) {
    if (step.kind != CaseStep::Kind::kCommand) continue;
    const std::string in_case = sim::redis::ToText(step.argv);
    if (next == sent.size()) {
      return fmt::format("nothing is sent where {} sends {} in the case", ClientName(step.client),
                         in_case);
    }
    const LogEvent& now = *sent[next++];
    const std::string& command = now.As<SendDetails>().command;
    if (now.client == step.client && alike.Commands(step.argv, WordsOf(command))) continue;
    return fmt::format("{} sends {}, where {} sends {} in the case", ClientName(now.client),
                       command, now.client == step.client ? "it" : ClientName(step.client),
                       in_case);
  }
  if (run.faults.size() == example.faults.size()) return {};
  return fmt::format("{} faults struck, and {} in the case", run.faults.size(),
                     example.faults.size());
}

}  // namespace interlock::scenarios::drive
