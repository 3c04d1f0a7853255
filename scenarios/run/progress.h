// SPDX-License-Identifier: MIT
//
// How far a client has come in its program: where a restarted one resumes, and what it is doing
// now, for choices that aim faults at that. No behaviour of a run depends on it.
//
// Thread safety: one run, one thread; each client has its own Progress.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

namespace interlock::scenarios {

/// A part of an operation, in the order its client goes through them.
enum class OperationPart : std::uint8_t {
  kThink,
  kAsk,  ///< until the answer to a request, a limit or an operator's call
  kSection,
  kExtend,
  kReturn,  ///< a late return, and the release
};
inline constexpr std::uint64_t kParts = 5;

/// The number of this part as passed to choices.
constexpr std::uint64_t PlaceOf(std::size_t operation, OperationPart part) {
  return operation * kParts + static_cast<std::uint64_t>(part);
}

struct Progress {
  std::size_t next = 0;  ///< the first operation not done
  /// Called as each part begins, with its operation in the plan; null: no callback.
  std::function<void(std::size_t operation, OperationPart part)> tell;
};

}  // namespace interlock::scenarios
