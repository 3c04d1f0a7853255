// SPDX-License-Identifier: MIT
#include "scenarios/run/processes/expectations.h"

#include <algorithm>

#include "scenarios/judge/outside.h"
#include "scenarios/judge/property.h"
#include "scenarios/locks/specimens/escapes.h"
#include "scenarios/run/processes/real_plan.h"

namespace interlock::scenarios::real {
namespace {

/// Whether the only faults are pauses and deaths of clients.
bool ServersAnswer(const WorkloadShape& shape) {
  return std::ranges::all_of(shape.faults, [](sim::FaultKind kind) {
    return kind == sim::FaultKind::kCrash || kind == sim::FaultKind::kRestart ||
           kind == sim::FaultKind::kPause || kind == sim::FaultKind::kExpiry;
  });
}

}  // namespace

std::string_view WhyNotJudged(Judged property, const Scenario& scenario,
                              const harness::Traits& traits) {
  const WorkloadShape shape = RealShape(scenario);
  return WhyHidden(property, {.traits = traits,
                              .faults = !shape.faults.empty(),
                              .servers_answer = ServersAnswer(shape),
                              .comes_late = shape.overstay});
}

std::string_view WhyItMayEscape(const std::vector<Conviction>& expected, Judged property) {
  for (const Conviction& one : expected) {
    if (one.property == Slug(property)) return one.escapes_real_servers;
  }
  return "";
}

bool IsSeenByChance(const std::vector<Conviction>& expected, Judged property) {
  return WhyItMayEscape(expected, property) == specimens::kChance;
}

}  // namespace interlock::scenarios::real
