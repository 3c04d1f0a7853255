// SPDX-License-Identifier: MIT
//
// Identifies the step that a fault strikes other than by its number, since numbers shift when
// something before the fault is removed from a workload. Edits of a workload after which each fault
// is still aimed at the step that it struck.
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
  int nth = 0;  ///< from 0, among the steps of this kind in this part of the operation
  bool operator==(const Target&) const = default;
};

/// For each client, one per fault, in order; nullopt: aimed by its step number.
using Targets = std::vector<std::vector<std::optional<Target>>>;

struct Aimed {
  Workload workload;
  Targets targets;
};

/// Aimed by step numbers alone.
Aimed ByNumber(Workload workload);

/// Without `count` of the faults in FaultPlaces, from `first` on.
Aimed WithoutFaults(Aimed aimed, std::size_t first, std::size_t count);
/// The same for OperationPlaces. A fault that struck one of them is aimed by its number again.
Aimed WithoutOperations(Aimed aimed, std::size_t first, std::size_t count);
Aimed WithoutClient(Aimed aimed, std::size_t client);

/// Replaces this operation by thinking time, so that the next one begins at about the same time.
/// One result for each notion of how long the operation took; empty if it is the last.
std::vector<Aimed> ThinkingInstead(const Aimed& aimed, Place operation);
/// Replaces this fault by thinking time of its client before it asks: one result for each notion of
/// how long that was. Empty if it is no pause, or is not known to strike before an answer.
std::vector<Aimed> ThinkingInsteadOf(const Aimed& aimed, std::size_t fault);
/// Removes this pause and makes another one of its client last two leases: one result for each.
std::vector<Aimed> OneLongPauseInsteadOf(const Aimed& aimed, std::size_t fault);
/// Moves client `from`'s operations to the end of client `into`'s, and removes `from`.
Aimed Joined(Aimed aimed, std::size_t from, std::size_t into);

}  // namespace interlock::scenarios
