// SPDX-License-Identifier: MIT
#include "scenarios/run/processes/expectations.h"

#include <algorithm>

#include "scenarios/locks/specimens/escapes.h"
#include "scenarios/run/processes/real_fault.h"
#include "scenarios/run/processes/real_plan.h"

namespace interlock::scenarios::real {
namespace {

/// Whether the only faults are pauses and deaths of clients.
bool ServersAnswer(const WorkloadShape& shape) {
  return std::all_of(shape.faults.begin(), shape.faults.end(), [](sim::FaultKind kind) {
    return kind == sim::FaultKind::kCrash || kind == sim::FaultKind::kRestart ||
           kind == sim::FaultKind::kPause || kind == sim::FaultKind::kExpiry;
  });
}

}  // namespace

std::string_view WhyNotJudged(Judged property, const Scenario& scenario,
                              const harness::Traits& traits) {
  const WorkloadShape shape = RealShape(scenario);
  switch (property) {
    case Judged::kOrder:
      return "from outside nobody sees who queued first";
    case Judged::kFencedWrites:
      return "nothing is guarded outside of Redis";
    case Judged::kForeignRelease:
    case Judged::kForeignExtend:
      if (traits.latch) return "nobody holds a latch";
      if (traits.renews) return "from outside nobody sees when a renewed lease ends";
      if (!ServersAnswer(shape)) return "what is held back may be released or extended later";
      return "";
    case Judged::kFalseValidity:
      if (!shape.overstay) return "nobody comes back late to ask";
      return "";
    case Judged::kSpuriousRefusal:
    case Judged::kTermination:
      if (traits.latch) return "a real machine's delays excuse it";
      if (!shape.faults.empty()) return "a fault may be the reason";
      return "";
    default:
      return "";
  }
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
