// SPDX-License-Identifier: MIT
//
// The arithmetic of a quorum: pure functions of what the nodes have answered.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <interlock/inspection.h>
#include <interlock/result.h>
#include <interlock/time.h>

#include "src/scripts/lock_scripts.h"

namespace interlock::internal {

/// More than half: any two quorums have a node in common.
constexpr std::size_t QuorumOf(std::size_t nodes) { return nodes / 2 + 1; }

/// How one node has answered an acquire.
struct NodeVote {
  enum class Kind : std::uint8_t {
    kNone,      ///< it was not asked
    kGranted,   ///< fencing_token
    kRefused,   ///< owner_ttl
    kFailed,    ///< definitely not executed; status
    kDoubtful,  ///< it may have been executed, or may still be; status
  };
  Kind kind = Kind::kNone;
  std::uint64_t fencing_token = 0;
  Milliseconds owner_ttl{};
  Status status;
};

using Votes = std::vector<NodeVote>;

std::size_t Count(const Votes& votes, NodeVote::Kind kind);

/// The highest fencing token of the nodes that granted; 0 if none did.
std::uint64_t HighestFence(const Votes& votes);

/// What a try without a quorum tells its caller, once the nodes that may have something left of it
/// are fewer than a quorum: kCancelled if a node says so; kNotAcquired if the refusals left no
/// quorum to be had; the first status that no repetition can change if such failures left none;
/// kUnavailable otherwise. The message counts the answers.
Status WhyNoQuorum(const Votes& votes, const std::string& resource);

/// How long until enough of the others' leases that the nodes reported are over for a quorum of
/// nodes to be free; nullopt: too few have answered.
std::optional<Milliseconds> FreeIn(const Votes& votes);

/// How one node has answered a release.
enum class NodeRelease : std::uint8_t {
  kUnreached,  ///< not executed
  kUnknown,    ///< it may have been executed, or the answer does not decide
  kReleased,   ///< it was the owner's there until this release
  kGone,       ///< it was no longer the owner's there
};

/// kOk: a quorum held until it was released. kNotOwner: a quorum cannot have held any more.
/// Otherwise kUnknownOutcome, or kUnavailable if nothing can have been executed where it counts.
Status WhatWasReleased(const std::vector<NodeRelease>& nodes, bool unknown_before);

/// The random part of a pause: less than `most`.
Duration Jitter(Duration most, std::uint32_t random);

/// The holders that a quorum of the nodes reports.
Inspection WhoHasAQuorum(const std::vector<Inspection>& nodes, std::size_t quorum);

}  // namespace interlock::internal
