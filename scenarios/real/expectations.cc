// SPDX-License-Identifier: MIT
#include "scenarios/real/expectations.h"

#include <algorithm>
#include <array>

#include "scenarios/real/real_fault.h"
#include "scenarios/real/real_plan.h"

namespace interlock::scenarios::real {
namespace {

/// All that befalls anybody are pauses and deaths of clients.
bool ServersAnswer(const WorkloadShape& shape) {
  return std::all_of(shape.faults.begin(), shape.faults.end(), [](sim::FaultKind kind) {
    return kind == sim::FaultKind::kCrash || kind == sim::FaultKind::kRestart ||
           kind == sim::FaultKind::kPause || kind == sim::FaultKind::kExpiry;
  });
}

struct Escape {
  std::string_view specimen;
  std::string_view why;
};

constexpr auto kEscapes = std::to_array<Escape>({
    {"none yet", ""},
});

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
    case Judged::kSpuriousRefusal:
    case Judged::kTermination:
      if (traits.latch) return "a real machine's delays excuse it";
      if (!shape.faults.empty()) return "a fault may be the reason";
      return "";
    default:
      return "";
  }
}

std::string_view WhyItMayEscape(std::string_view specimen, Judged /*property*/) {
  for (const Escape& escape : kEscapes) {
    if (escape.specimen == specimen) return escape.why;
  }
  return "";
}

}  // namespace interlock::scenarios::real
