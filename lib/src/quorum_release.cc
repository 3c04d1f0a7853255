// SPDX-License-Identifier: MIT
#include "src/quorum_release.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "src/quorum.h"
#include "src/quorum_round.h"
#include "src/retry.h"

namespace interlock::internal {
namespace {

class Releasing {
 public:
  Releasing(const std::vector<ClientCore*>& nodes, const MutexScripts& scripts, Grant& grant)
      : nodes_(nodes),
        resource_(scripts.resource()),
        grant_(grant),
        calls_(nodes.size(), NodeCall{scripts.Release(grant.token, grant.fencing_token)}),
        barred_(nodes.size(), false),
        unknown_(nodes.size(), grant.release_unknown),
        results_(nodes.size(), NodeRelease::kUnreached) {
    for (const std::size_t node : grant.doubtful_nodes) {
      if (node >= nodes_.size()) continue;  // of a lease that was handed over from a larger quorum
      calls_[node].call = scripts.Abandon(grant.token);
      barred_[node] = true;
    }
  }

  Status Run(Duration node_timeout) {
    Runtime& runtime = nodes_.front()->runtime();
    int attempts = 1;
    for (ClientCore* node : nodes_) attempts = std::max(attempts, node->options().release_attempts);
    for (int attempt = 0; attempt < attempts && Open(); ++attempt) {
      if (attempt > 0) nodes_.front()->PauseBeforeRetry({resource_, attempt, failure_});
      const MonotonicTime by = AddSaturating(runtime.Now(), node_timeout);
      const std::vector<NodeAnswer> answers = AskNodes(nodes_, calls_, by);
      for (std::size_t i = 0; i < answers.size(); ++i) {
        if (answers[i]) Take(i, *answers[i]);
      }
      if (cancelled_) return Status(StatusCode::kCancelled);
    }
    Status released = WhatWasReleased(results_, grant_.release_unknown);
    const bool unknown = std::find(unknown_.begin(), unknown_.end(), true) != unknown_.end();
    grant_.release_unknown = grant_.release_unknown || unknown;
    if (released.ok() || released.code() == StatusCode::kNotOwner || failure_.ok()) return released;
    return Status(released.code(),
                  released.message() + "; the first failure: " + failure_.ToString());
  }

 private:
  bool Open() const {
    return std::any_of(calls_.begin(), calls_.end(),
                       [](const NodeCall& call) { return call.call.has_value(); });
  }

  void Take(std::size_t node, const Result<ScriptReply>& answer) {
    const Status failed = answer.ok() ? TakeReply(node, answer->reply) : answer.status();
    if (failed.ok()) {
      calls_[node].call.reset();
      return;
    }
    cancelled_ = cancelled_ || failed.code() == StatusCode::kCancelled;
    if (failure_.ok()) failure_ = failed;
    if (failed.outcome() == Outcome::kUnknown) unknown_[node] = true;
    if (unknown_[node]) results_[node] = NodeRelease::kUnknown;
    calls_[node].use = Use::kFresh;
    if (!IsRetryable(failed.code())) calls_[node].call.reset();
  }

  Status TakeReply(std::size_t node, const Reply& reply) {
    if (barred_[node]) {
      const Result<bool> mine = ParseFlag(reply);
      if (!mine.ok()) return mine.status();
      // A repetition finds nothing, whatever the first one found.
      const NodeRelease none = unknown_[node] ? NodeRelease::kUnknown : NodeRelease::kGone;
      results_[node] = *mine ? NodeRelease::kReleased : none;
      return Status();
    }
    const Result<ReleaseReply> parsed = ParseRelease(reply);
    if (!parsed.ok()) return parsed.status();
    switch (*parsed) {
      case ReleaseReply::kReleased:
      case ReleaseReply::kReleasedEarlier:
        results_[node] = NodeRelease::kReleased;
        break;
      case ReleaseReply::kSuperseded:
        // A later owner may have erased the trace of an attempt whose reply was lost.
        results_[node] = unknown_[node] ? NodeRelease::kUnknown : NodeRelease::kGone;
        break;
      case ReleaseReply::kNotOwner:
        results_[node] = NodeRelease::kGone;
        break;
    }
    return Status();
  }

  const std::vector<ClientCore*>& nodes_;
  const std::string& resource_;
  Grant& grant_;
  std::vector<NodeCall> calls_;  ///< what is still to be asked
  std::vector<bool> barred_;     ///< asked by Abandon
  std::vector<bool> unknown_;    ///< an earlier attempt may have been executed
  std::vector<NodeRelease> results_;
  Status failure_;  ///< the first
  bool cancelled_ = false;
};

}  // namespace

Status ReleaseOnAll(const std::vector<ClientCore*>& nodes, const MutexScripts& scripts,
                    Duration node_timeout, Grant& grant) {
  return Releasing(nodes, scripts, grant).Run(node_timeout);
}

}  // namespace interlock::internal
