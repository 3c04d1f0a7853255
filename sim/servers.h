// SPDX-License-Identifier: MIT
//
// The servers of one world (one, a primary with replicas, independent masters, or a cluster), the
// current primary, and the errors that a fault makes them answer with. Messages between servers,
// and their timers, are processed lazily: no observer can tell the difference.
//
// A part of a World, or alone: CatchUp is all that it needs. Thread safety: none.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/faults.h"
#include "sim/redis/topology.h"
#include "sim/setting.h"
#include "sim/shards.h"
#include "sim/timer_queue.h"
#include "sim/trace.h"

namespace interlock::sim {

class FingerprintWriter;
struct WorldOptions;

class Servers {
 public:
  /// `spec` keeps its addresses if it has as many nodes; the rest of it is made anew.
  Servers(redis::Topology& topology, redis::TopologySpec& spec, const WorldOptions& options);

  int count() const { return static_cast<int>(topology_.size()); }
  /// Those of them that have data; Sentinels come behind.
  int with_data() const { return count() - sentinels_; }
  redis::Server& at(int node) { return topology_.server(Id(node)); }
  const redis::MasterAddress& address(int node) const { return topology_.address(Id(node)); }
  /// The server to which clients asking for the master are directed; for independent masters, and
  /// for a cluster, the first.
  int primary() const { return primary_; }
  bool IsUp(int node) const { return topology_.IsUp(Id(node)); }
  /// It runs, and is not stopped.
  bool Serves(int node) const { return IsUp(node) && !topology_.IsPaused(Id(node)); }

  /// Brings clocks and messages between servers up to `now`, which never decreases.
  void CatchUp(VirtualTime now) {
    if (now != caught_up_ || count() > 1) MoveTo(now);
  }
  /// When RunTimers should be called, if a client waits inside a server.
  std::optional<VirtualTime> NextTimer();
  void RunTimers() { topology_.RunTimers(); }
  /// The first unmodelled thing that any of them met.
  std::optional<std::string> unmodelled();

  std::int64_t ClockUs(int node) { return at(node).time_us(); }
  /// When the node's wall clock shows `unix_us`, if nothing sets it; max(): out of range.
  VirtualTime TimeAtClock(int node, std::int64_t unix_us) const;
  void StepClock(int node, Duration by) { topology_.StepClock(Id(node), by.count() / 1000); }
  void SetClockRate(int node, std::int64_t ppm) { topology_.SetClockDrift(Id(node), ppm); }

  // Processes and machines. REQUIRES: CatchUp(now) was called.
  void Kill(int node, bool power_lost);
  void Start(int node);
  void SetPaused(int node, bool paused) { topology_.SetPaused(Id(node), paused); }

  /// The node's relations to other nodes; see redis::Topology.
  bool InStep(int node) { return topology_.InStep(Id(node)); }
  void Describe(int node, redis::StateSink& sink) { topology_.Describe(Id(node), sink); }

  bool clustered() const { return shards_ != nullptr; }
  /// REQUIRES: clustered().
  Shards& shards() const { return *shards_; }

  /// Whether they are as the fault needs them.
  bool Has(FaultNeeds needed) const;

  // For a primary with replicas.
  bool replicated() const { return replicated_; }
  ReplicaState replica();
  /// The running replica with most of the primary's data, as a Sentinel chooses it.
  std::optional<int> BestReplica();
  /// Makes it the primary, followed by all other running servers except `except`, the old one.
  /// Closes the clients of each. One Sentinel has led that, and the others hear of it a tick later.
  void Promote(int node, int except);
  /// Makes it follow the primary, losing any data of its own.
  void Follow(int node);
  /// Blocks or unblocks messages between the node and all others.
  void SetCutOff(int node, bool cut);

  /// Marks its memory as used up with nothing evictable, or ends that.
  void SetFull(int node, bool full);
  /// Until then the node refuses commands as the kind's meaning says: LOADING, READONLY, ...
  void Refuse(int node, FaultKind kind, VirtualTime until) {
    refusals_.push_back({node, kind, until});
  }
  void EndRefusals() { refusals_.clear(); }
  bool refuses() const { return !refusals_.empty(); }
  void DescribeRefusals(VirtualTime now, FingerprintWriter& writer) const;
  /// The error that answers the command instead of its execution.
  std::optional<std::string> RefusalOf(int node, const redis::Argv& argv, VirtualTime now) const;

 private:
  struct Refusal {
    int node = 0;
    FaultKind kind = FaultKind::kLoading;
    VirtualTime until{};
  };

  static redis::NodeId Id(int node) { return static_cast<redis::NodeId>(node); }
  void MoveTo(VirtualTime now);
  bool Settled();

  redis::Topology& topology_;
  const bool replicated_;
  const bool replicas_;  // there are some, of whichever master
  const int sentinels_;
  std::unique_ptr<Shards> shards_;  // for a cluster
  std::int64_t warm_up_us_ = 0;     // topology time at virtual time 0
  int primary_ = 0;
  VirtualTime caught_up_{-1};
  std::vector<Refusal> refusals_;
};

}  // namespace interlock::sim
