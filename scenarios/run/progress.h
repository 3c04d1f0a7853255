// SPDX-License-Identifier: MIT
//
// How far a client has come in its program: where a restarted one goes on, and what it is doing
// now, for choices that aim faults by that. Nothing that a run does depends on it.
//
// Thread safety: one run, one thread; a Progress is its client's alone.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "scenarios/cases/workload.h"
#include "sim/choices.h"

namespace interlock::scenarios {

/// A part of an operation, as its client goes through it.
enum class OperationPart : std::uint8_t {
  kThink,
  kAsk,  ///< until the answer is there: to a request, a limit, or what an operator does
  kSection,
  kExtend,
  kReturn,  ///< a late one, and the release
};
inline constexpr std::uint64_t kParts = 5;

/// The number of this part that choices are told.
constexpr std::uint64_t PlaceOf(std::size_t operation, OperationPart part) {
  return operation * kParts + static_cast<std::uint64_t>(part);
}

struct Progress {
  std::size_t next = 0;  ///< the first operation that is not done
  /// Is told of each part that begins, and of its operation in the plan; null: none.
  std::function<void(std::size_t operation, OperationPart part)> tell;
};

/// The progress of each client, and of those that ask for every permit when all is well again. The
/// choices are told of places if they follow them, and outlive the result.
std::vector<Progress> ProgressOfEach(const Workload& workload, sim::Choices& choices);

}  // namespace interlock::scenarios
