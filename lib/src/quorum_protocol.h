// SPDX-License-Identifier: MIT
//
// QuorumProtocol: one lock of one client over several independent nodes: tries, extend, release,
// and the clean-up after tries that got no quorum.
//
// Guarantee: every try has a token of its own. It ends granted by a quorum; or with every node
// settled (nothing of it stands there, or can come to stand there) except for fewer than a quorum;
// or as unknown. Thread safety: may be used from any task.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <interlock/lease_source.h>
#include <interlock/result.h>
#include <interlock/time.h>

#include "src/client_core.h"
#include "src/quorum.h"
#include "src/quorum_round.h"
#include "src/scripts/quorum_scripts.h"

namespace interlock::internal {

struct QuorumTiming {
  Duration node_timeout{};
  int drift_per_mille = 0;
  Duration drift_extra{};
  Duration first_pause{};
  Duration max_pause{};
};

/// What stands, or may come to stand, on some nodes, and belongs to nobody: by node, the call that
/// removes it.
struct Leftovers {
  explicit Leftovers(std::size_t nodes) : calls(nodes) {}
  std::size_t count() const;
  std::vector<NodeCall> calls;
};

/// How one try ended.
struct QuorumAttempt {
  Result<Grant> grant = Status(StatusCode::kUnavailable);
  Votes votes;
};

class QuorumProtocol final : public LeaseGranter {
 public:
  QuorumProtocol(std::vector<ClientCore*> nodes, std::unique_ptr<const QuorumScripts> scripts,
                 QuorumTiming timing, bool fencing);

  /// Try `number` of a call, on the nodes where nothing of an earlier one may stand; its leftovers
  /// are added to `left`. kNotAcquired and kUnavailable are definite. YIELDS.
  QuorumAttempt TryOnce(Leftovers& left, int number);

  /// One round to remove what is left. YIELDS.
  void Settle(Leftovers& left);

  /// See quorum_waiting.h.
  Result<Grant> Try() override;
  Result<Grant> AcquireUntil(MonotonicTime deadline, const std::stop_token& stop) override;

  Runtime& runtime() override { return nodes_.front()->runtime(); }
  LeaseKeeper& keeper() override { return nodes_.front()->keeper(); }
  Duration default_lease() const override { return scripts_->node().lease(); }
  const std::string& resource() const override { return scripts_->node().resource(); }
  Result<MonotonicTime> Extend(const Grant& grant, Duration lease) override;
  Status Release(Grant& grant) override;
  /// The holder that has a quorum. kUnavailable: fewer than a quorum answered.
  Result<Inspection> Inspect() override;
  /// Needed because the nodes that still have it keep others out, and have even prolonged it.
  void ReleaseLost(Grant& grant) override { (void)Release(grant); }

  MonotonicTime Now() { return runtime().Now(); }
  std::size_t quorum() const { return QuorumOf(nodes_.size()); }
  const QuorumTiming& timing() const { return timing_; }
  /// The client through which calls that belong to no single node pause and report.
  ClientCore& first() { return *nodes_.front(); }

 private:
  std::vector<NodeAnswer> AskAll(const ScriptCall& call, MonotonicTime by);
  Votes Ask(const std::string& token, const Leftovers& left, MonotonicTime by);
  /// Whether the counters of a quorum are at `fence` or above.
  bool RaiseFences(const std::string& token, std::uint64_t fence, const Votes& votes);
  Result<Grant> Decide(const std::string& token, const Votes& votes, MonotonicTime started);
  /// Undoes what a try without a quorum has done; what cannot be undone is added to `left`.
  void Undo(const std::string& token, const Votes& votes, Leftovers& left);
  MonotonicTime ValidUntilFrom(MonotonicTime started, Duration lease) const;
  MonotonicTime NodeDeadline() { return AddSaturating(Now(), timing_.node_timeout); }

  const std::vector<ClientCore*> nodes_;
  const std::unique_ptr<const QuorumScripts> scripts_;
  const QuorumTiming timing_;
  const bool fencing_;
};

}  // namespace interlock::internal
