// SPDX-License-Identifier: MIT
//
// The instant that a validity is counted from is the one before the round begins, so it is no later
// than any node's: what a slow node or a connection costs is taken off the validity.
#include "src/quorum_protocol.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "src/quorum_release.h"
#include "src/quorum_waiting.h"
#include "src/retry.h"

namespace interlock::internal {
namespace {

NodeVote FromFailure(const Status& status) {
  NodeVote vote;
  const bool doubtful = status.outcome() == Outcome::kUnknown;
  vote.kind = doubtful ? NodeVote::Kind::kDoubtful : NodeVote::Kind::kFailed;
  vote.status = status;
  return vote;
}

NodeVote ToVote(const Result<ScriptReply>& answer) {
  if (!answer.ok()) return FromFailure(answer.status());
  const Result<AcquireReply> reply = ParseAcquire(answer->reply);
  if (!reply.ok()) return FromFailure(reply.status());
  NodeVote vote;
  switch (reply->kind) {
    case AcquireReply::Kind::kGranted:
      vote.kind = NodeVote::Kind::kGranted;
      vote.fencing_token = reply->fencing_token;
      return vote;
    case AcquireReply::Kind::kRefused:
      vote.kind = NodeVote::Kind::kRefused;
      vote.owner_ttl = reply->owner_ttl;
      return vote;
    case AcquireReply::Kind::kCancelled:
    case AcquireReply::Kind::kOtherLimit:
      break;
  }
  // Nobody else knows the token, and a mutex has no limit.
  return FromFailure(Status(StatusCode::kProtocolError, "a node answers as none can"));
}

bool Confirms(const NodeAnswer& answer) {
  if (!answer.has_value() || !answer->ok()) return false;
  const Result<bool> flag = ParseFlag((*answer)->reply);
  return flag.ok() && *flag;
}

}  // namespace

std::size_t Leftovers::count() const {
  return static_cast<std::size_t>(std::count_if(
      calls.begin(), calls.end(), [](const NodeCall& call) { return call.call.has_value(); }));
}

QuorumProtocol::QuorumProtocol(std::vector<ClientCore*> nodes,
                               std::unique_ptr<const QuorumScripts> scripts, QuorumTiming timing,
                               bool fencing)
    : nodes_(std::move(nodes)), scripts_(std::move(scripts)), timing_(timing), fencing_(fencing) {}

MonotonicTime QuorumProtocol::ValidUntilFrom(MonotonicTime started, Duration lease) const {
  return AddSaturating(ValidUntil(started, lease, timing_.drift_per_mille), -timing_.drift_extra);
}

std::vector<NodeAnswer> QuorumProtocol::AskAll(const ScriptCall& call, MonotonicTime by) {
  return AskNodes(nodes_, std::vector<NodeCall>(nodes_.size(), NodeCall{call}), by);
}

Votes QuorumProtocol::Ask(const std::string& token, const Leftovers& left, MonotonicTime by) {
  // A node that hangs must not grant in the end what nobody waits for any more.
  std::vector<NodeCall> calls(nodes_.size(),
                              NodeCall{.call = scripts_->node().Acquire(token),
                                       .if_overdue = scripts_->node().Abandon(token)});
  for (std::size_t i = 0; i < calls.size(); ++i) {
    // It would wait for itself there.
    if (left.calls[i].call) calls[i].call.reset();
  }
  const std::vector<NodeAnswer> answers = AskNodes(nodes_, calls, by);
  Votes votes(nodes_.size());
  for (std::size_t i = 0; i < votes.size(); ++i) {
    if (answers[i]) votes[i] = ToVote(*answers[i]);
  }
  return votes;
}

bool QuorumProtocol::RaiseFences(const std::string& token, std::uint64_t fence,
                                 const Votes& votes) {
  const ScriptCall raise = scripts_->RaiseFence(token, fence);
  std::vector<NodeCall> calls(nodes_.size());
  std::size_t raised = 0;
  // Also the one whose counter it is: what it granted may be over already, by its clock.
  for (std::size_t i = 0; i < votes.size(); ++i) {
    if (votes[i].kind == NodeVote::Kind::kGranted) calls[i].call = raise;
  }
  for (const NodeAnswer& answer : AskNodes(nodes_, calls, NodeDeadline())) {
    if (Confirms(answer)) ++raised;
  }
  return raised >= quorum();
}

Result<Grant> QuorumProtocol::Decide(const std::string& token, const Votes& votes,
                                     MonotonicTime started) {
  const std::string& resource = scripts_->node().resource();
  if (Count(votes, NodeVote::Kind::kGranted) < quorum()) return WhyNoQuorum(votes, resource);
  Grant grant;
  grant.token = token;
  grant.valid_until = ValidUntilFrom(started, default_lease());
  if (fencing_) {
    grant.fencing_token = HighestFence(votes);
    if (!RaiseFences(token, grant.fencing_token, votes)) {
      return Status(StatusCode::kUnavailable,
                    resource + ": too few nodes have taken over the fencing token");
    }
  }
  if (Now() >= grant.valid_until) {
    return Status(StatusCode::kUnavailable, resource +
                                                ": the replies of a quorum took longer than the "
                                                "lease, which was given back");
  }
  for (std::size_t i = 0; i < votes.size(); ++i) {
    if (votes[i].kind == NodeVote::Kind::kDoubtful) grant.doubtful_nodes.push_back(i);
  }
  return grant;
}

QuorumAttempt QuorumProtocol::TryOnce(Leftovers& left, int number) {
  const std::string token = first().NewToken();
  const MonotonicTime started = Now();
  QuorumAttempt attempt;
  if (first().teller()) {
    first().teller().Tell({.kind = Observation::Kind::kAttempt,
                           .resource = resource(),
                           .token = token,
                           .attempt = number});
  }
  attempt.votes = Ask(token, left, AddSaturating(started, timing_.node_timeout));
  attempt.grant = Decide(token, attempt.votes, started);
  if (attempt.grant.ok() || attempt.grant.code() == StatusCode::kCancelled) return attempt;
  Undo(token, attempt.votes, left);
  if (first().teller() && attempt.grant.code() == StatusCode::kNotAcquired) {
    first().teller().Tell({.kind = Observation::Kind::kRefused,
                           .resource = resource(),
                           .token = token,
                           .attempt = number,
                           .duration = FreeIn(attempt.votes).value_or(Milliseconds(-1))});
  }
  if (left.count() >= quorum() && IsRetryable(attempt.grant.code())) {
    attempt.grant = Status(StatusCode::kUnknownOutcome,
                           attempt.grant.status().message() + "; the clean-up was not confirmed");
  }
  return attempt;
}

void QuorumProtocol::Undo(const std::string& token, const Votes& votes, Leftovers& left) {
  const std::uint64_t fence = HighestFence(votes);
  Leftovers mine(nodes_.size());
  int attempts = 1;
  for (std::size_t i = 0; i < votes.size(); ++i) {
    attempts = std::max(attempts, nodes_[i]->options().cleanup_attempts);
    if (votes[i].kind == NodeVote::Kind::kGranted) {
      mine.calls[i].call = scripts_->node().Release(token, fence);
    } else if (votes[i].kind == NodeVote::Kind::kDoubtful) {
      mine.calls[i] = {scripts_->node().Abandon(token), Use::kFresh};
    }
  }
  for (int attempt = 0; attempt < attempts && mine.count() > 0; ++attempt) {
    if (attempt > 0) {
      const Status unsettled(StatusCode::kUnknownOutcome, "a clean-up was not confirmed");
      first().PauseBeforeRetry({resource(), attempt, unsettled});
    }
    Settle(mine);
  }
  for (std::size_t i = 0; i < votes.size(); ++i) {
    if (mine.calls[i].call) left.calls[i] = mine.calls[i];
  }
}

void QuorumProtocol::Settle(Leftovers& left) {
  const std::vector<NodeAnswer> answers = AskNodes(nodes_, left.calls, NodeDeadline());
  for (std::size_t i = 0; i < answers.size(); ++i) {
    if (!answers[i]) continue;
    // Whatever a script answers, it has been executed.
    if (answers[i]->ok()) {
      left.calls[i].call.reset();
    } else {
      left.calls[i].use = Use::kFresh;
    }
  }
}

Result<Grant> QuorumProtocol::Try() {
  Leftovers left(nodes_.size());
  return TryOnce(left, 1).grant;
}

Result<Grant> QuorumProtocol::AcquireUntil(MonotonicTime deadline, const std::stop_token& stop) {
  return WaitForQuorum(*this, nodes_.size(), deadline, stop);
}

Result<MonotonicTime> QuorumProtocol::Extend(const Grant& grant, Duration lease) {
  if (Status valid = CheckLease(lease); !valid.ok()) return valid;
  const Milliseconds rounded = std::chrono::floor<Milliseconds>(lease);
  const MonotonicTime started = Now();
  const MonotonicTime by =
      std::min(AddSaturating(started, timing_.node_timeout), grant.valid_until);
  std::size_t extended = 0;
  std::size_t denied = 0;
  Status failure;  // the first, or the first after which the effect is unknown
  for (const NodeAnswer& answer : AskAll(scripts_->node().Extend(grant.token, rounded), by)) {
    const Result<bool> flag = answer->ok() ? ParseFlag((*answer)->reply) : answer->status();
    if (flag.ok()) {
      ++(*flag ? extended : denied);
    } else if (failure.ok() ||
               (flag.outcome() == Outcome::kUnknown && failure.outcome() != Outcome::kUnknown)) {
      failure = flag.status();
    }
  }
  if (extended >= quorum()) return ValidUntilFrom(started, rounded);
  if (denied > nodes_.size() - quorum()) {
    return Status(StatusCode::kNotOwner,
                  scripts_->node().resource() + " is no longer held on a quorum of nodes");
  }
  if (failure.code() == StatusCode::kCancelled) return failure;
  const bool unknown = extended > 0 || failure.outcome() == Outcome::kUnknown;
  return Status(unknown ? StatusCode::kUnknownOutcome : StatusCode::kUnavailable,
                scripts_->node().resource() + ": extended on " + std::to_string(extended) + " of " +
                    std::to_string(nodes_.size()) + " nodes; a failure: " + failure.ToString());
}

Result<Inspection> QuorumProtocol::Inspect() {
  std::vector<Inspection> answered;
  Status failure;
  for (const NodeAnswer& answer : AskAll(scripts_->node().Inspect(), NodeDeadline())) {
    Result<Inspection> one = answer->ok() ? ParseInspection((*answer)->reply) : answer->status();
    if (one.ok()) {
      answered.push_back(std::move(*one));
    } else {
      failure = one.status();
    }
  }
  if (answered.size() >= quorum()) return WhoHasAQuorum(answered, quorum());
  if (failure.code() == StatusCode::kCancelled) return failure;
  return Status(StatusCode::kUnavailable, scripts_->node().resource() + ": " +
                                              std::to_string(answered.size()) + " of " +
                                              std::to_string(nodes_.size()) +
                                              " nodes answered; a failure: " + failure.ToString());
}

Status QuorumProtocol::Release(Grant& grant) {
  return ReleaseOnAll(nodes_, scripts_->node(), timing_.node_timeout, grant);
}

}  // namespace interlock::internal
