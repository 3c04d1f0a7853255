// SPDX-License-Identifier: MIT
#include "src/quorum.h"

#include <algorithm>
#include <map>
#include <utility>

#include "src/retry.h"

namespace interlock::internal {
namespace {

using Kind = NodeVote::Kind;

bool IsFinal(const Status& status) { return !status.ok() && !IsRetryable(status.code()); }

}  // namespace

std::size_t Count(const Votes& votes, NodeVote::Kind kind) {
  return static_cast<std::size_t>(std::count_if(
      votes.begin(), votes.end(), [kind](const NodeVote& vote) { return vote.kind == kind; }));
}

std::uint64_t HighestFence(const Votes& votes) {
  std::uint64_t highest = 0;
  for (const NodeVote& vote : votes) {
    if (vote.kind == Kind::kGranted) highest = std::max(highest, vote.fencing_token);
  }
  return highest;
}

Status WhyNoQuorum(const Votes& votes, const std::string& resource) {
  const std::size_t blocking = votes.size() - QuorumOf(votes.size()) + 1;
  const std::size_t refused = Count(votes, Kind::kRefused);
  const NodeVote* failed = nullptr;
  const NodeVote* final = nullptr;
  std::size_t finals = 0;
  for (const NodeVote& vote : votes) {
    if (vote.status.code() == StatusCode::kCancelled) return vote.status;
    if (failed == nullptr && !vote.status.ok()) failed = &vote;
    if (!IsFinal(vote.status)) continue;
    ++finals;
    if (final == nullptr) final = &vote;
  }
  std::string message = resource + ": of " + std::to_string(votes.size()) + " nodes " +
                        std::to_string(Count(votes, Kind::kGranted)) + " granted and " +
                        std::to_string(refused) + " refused";
  if (refused >= blocking) return Status(StatusCode::kNotAcquired, std::move(message));
  if (failed != nullptr) message += "; the first failure: " + failed->status.ToString();
  const bool is_final = final != nullptr && finals >= blocking;
  return Status(is_final ? final->status.code() : StatusCode::kUnavailable, std::move(message));
}

std::optional<Milliseconds> FreeIn(const Votes& votes) {
  std::vector<Milliseconds> free;
  for (const NodeVote& vote : votes) {
    if (vote.kind == Kind::kGranted) free.push_back(Milliseconds(0));
    // At its last millisecond a key is still there.
    const bool told = vote.kind == Kind::kRefused && vote.owner_ttl >= Milliseconds(0);
    if (told) free.push_back(vote.owner_ttl + Milliseconds(1));
  }
  const std::size_t quorum = QuorumOf(votes.size());
  if (free.size() < quorum) return std::nullopt;
  std::sort(free.begin(), free.end());
  return free[quorum - 1];
}

Status WhatWasReleased(const std::vector<NodeRelease>& nodes, bool unknown_before) {
  const auto count = [&](NodeRelease what) {
    return static_cast<std::size_t>(std::count(nodes.begin(), nodes.end(), what));
  };
  const std::size_t quorum = QuorumOf(nodes.size());
  if (count(NodeRelease::kReleased) >= quorum) return Status();
  const std::size_t gone = count(NodeRelease::kGone);
  if (gone > nodes.size() - quorum) {
    return Status(StatusCode::kNotOwner, "it was no longer held on a quorum of nodes");
  }
  const bool unknown = unknown_before || count(NodeRelease::kUnknown) > 0;
  return Status(unknown ? StatusCode::kUnknownOutcome : StatusCode::kUnavailable,
                "of " + std::to_string(nodes.size()) + " nodes " +
                    std::to_string(count(NodeRelease::kReleased)) + " have released it");
}

Duration Jitter(Duration most, std::uint32_t random) {
  return Duration(most.count() / 1024 * static_cast<Duration::rep>(random % 1024));
}

Inspection WhoHasAQuorum(const std::vector<Inspection>& nodes, std::size_t quorum) {
  std::map<std::string, std::vector<Holder>> by_token;
  for (const Inspection& node : nodes) {
    for (const Holder& holder : node.holders) by_token[holder.token].push_back(holder);
  }
  Inspection all;
  for (auto& [token, entries] : by_token) {
    if (entries.size() < quorum) continue;
    // A quorum of them lasts as long as its shortest.
    std::sort(entries.begin(), entries.end(),
              [](const Holder& a, const Holder& b) { return a.remaining > b.remaining; });
    Holder holder{token, entries[quorum - 1].remaining, 0};
    for (const Holder& entry : entries) {
      holder.fencing_token = std::max(holder.fencing_token, entry.fencing_token);
    }
    all.holders.push_back(std::move(holder));
  }
  return all;
}

}  // namespace interlock::internal
