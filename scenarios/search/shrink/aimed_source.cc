// SPDX-License-Identifier: MIT
#include "scenarios/search/shrink/aimed_source.h"

#include <algorithm>

namespace interlock::scenarios {

AimedSource::Whereabouts& AimedSource::At(int process) {
  const auto index = static_cast<std::size_t>(process);
  if (index >= processes_.size()) processes_.resize(index + 1);
  return processes_[index];
}

bool AimedSource::IsDue(const AimedFault& one, const Whereabouts& where, int step) {
  if (one.struck) return false;
  return one.target ? step == where.step && *one.target == where.at : one.fault.step <= step;
}

std::optional<sim::Fault> AimedSource::InjectFault(int process, int step, sim::StepKind kind) {
  Whereabouts& where = At(process);
  // A process stopped at a step is asked again at that step, and may have moved on to another
  // place.
  if (step > where.step) {
    where.step = step;
    where.at = {static_cast<std::size_t>(where.place / kParts),
                static_cast<OperationPart>(where.place % kParts), kind,
                where.steps[{where.place, kind}]++};
  }
  const auto due = std::ranges::find_if(faults_, [&](const AimedFault& one) {
    return one.fault.process == process && IsDue(one, where, step);
  });
  if (due == faults_.end()) return std::nullopt;
  due->struck = true;
  due->fault.step = step;
  due->target = where.at;
  return due->fault;
}

}  // namespace interlock::scenarios
