// SPDX-License-Identifier: MIT
//
// What masters and replicas have sent each other and has not arrived yet. Each way, from one node
// to another, has a lag and keeps its messages in order; one that is cut keeps them until it is
// healed.
//
// Thread safety: none. Units: us of topology time.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "sim/redis/journal.h"
#include "sim/redis/node_id.h"
#include "sim/redis/replication.h"

namespace interlock::sim::redis {

/// On the connection of a replica to its master.
struct ReplicationMessage {
  enum class Kind : std::uint8_t {
    kRequest,   ///< PSYNC
    kContinue,  ///< The history goes on, named `point.id`.
    kSyncing,   ///< All data will follow.
    kSnapshot,
    kUnit,
    kAcknowledgement,
    kClosed,
  };
  Kind kind = Kind::kClosed;
  std::uint64_t connection = 0;
  ReplicationPoint point = {};
  std::int64_t on_disk = 0;  ///< kAcknowledgement: up to where the replica's file is on disk.
  std::shared_ptr<const Snapshot> snapshot = {};
  Unit unit = {};
  std::int64_t deliver_at_us = 0;
  std::uint64_t sequence = 0;  ///< Over all ways: the order in which they were sent.
};

class ReplicationTraffic {
 public:
  using Way = std::pair<NodeId, NodeId>;  ///< From, to.
  using Ways = std::map<Way, std::deque<ReplicationMessage>>;

  /// Nothing is on its way, and nothing is cut. `lag_us`: of all ways that SetLag says nothing of.
  void Reset(std::int64_t lag_us);

  /// For what is sent from now on.
  void SetLag(const Way& way, std::int64_t us) { lags_[way] = us; }
  /// False: no way has a lag.
  bool has_lag() const { return lag_us_ > 0 || !lags_.empty(); }
  /// Both ways.
  void SetCut(NodeId a, NodeId b, bool cut);
  bool IsCut(NodeId a, NodeId b) const;

  /// Arrives after the lag, and never before what was sent there earlier.
  void Send(const Way& way, ReplicationMessage&& message, std::int64_t sent_at_us);
  /// The oldest. REQUIRES: there is one.
  ReplicationMessage Take(const Way& way);
  /// All that the node has sent is gone.
  void LoseFrom(NodeId node);
  /// Those that have ever been used; a cut is not looked at.
  const Ways& ways() const { return ways_; }

 private:
  std::int64_t lag_us_ = 0;
  std::map<Way, std::int64_t> lags_;
  Ways ways_;
  std::vector<Way> cuts_;  // The lower node first.
  std::uint64_t sequence_ = 0;
};

}  // namespace interlock::sim::redis
