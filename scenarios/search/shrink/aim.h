// SPDX-License-Identifier: MIT
//
// What a fault strikes, other than by the number of a step: numbers shift when something is left
// out of a workload before the fault, and then it would strike elsewhere. The same edits as in
// parts.h, in which each fault goes on aiming at the step that it struck.
//
// Thread safety: pure functions of plain data.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "scenarios/cases/workload.h"
#include "scenarios/run/progress.h"
#include "scenarios/search/shrink/parts.h"
#include "sim/choices.h"

namespace interlock::scenarios {

/// A step of the fault's client.
struct Target {
  std::size_t operation = 0;
  OperationPart part = OperationPart::kThink;
  sim::StepKind kind = sim::StepKind::kMark;
  int nth = 0;  ///< from 0, of the steps of this kind in this part of the operation
  bool operator==(const Target&) const = default;
};

/// One for each of FaultPlaces, in their order; none: the number of the fault's step says where.
using Targets = std::vector<std::optional<Target>>;

struct Aimed {
  Workload workload;
  Targets targets;
};

/// Aimed by the numbers of steps alone.
Aimed ByNumber(Workload workload);

Aimed WithoutFaults(const Aimed& aimed, std::size_t first, std::size_t count);
/// A fault that struck one of these operations is aimed by its number again.
Aimed WithoutOperations(const Aimed& aimed, std::size_t first, std::size_t count);
Aimed WithoutClient(const Aimed& aimed, std::size_t client);
std::vector<Aimed> ThinkingInstead(const Aimed& aimed, Place operation);
/// Without this fault of the targets', in whose time its client thinks before it asks: one for each
/// notion of how long that was. None if it is no pause, or is not known to strike before an answer.
std::vector<Aimed> ThinkingInsteadOf(const Aimed& aimed, std::size_t fault);
/// Without this pause, in whose place another one of its client lasts for two leases: one for each.
std::vector<Aimed> OneLongPauseInsteadOf(const Aimed& aimed, std::size_t fault);
Aimed Joined(const Aimed& aimed, std::size_t from, std::size_t into);

}  // namespace interlock::scenarios
