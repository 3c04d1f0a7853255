// SPDX-License-Identifier: MIT
//
// One Sentinel of a topology: what it sees of the master and its replicas, and the failovers that
// follow, driven by topology time (Redis 7.0's sentinel.c; periods and waits are its own). Every
// decision is deterministic: where Sentinels race for the lead, the one that comes first in the
// topology wins. Its commands are in commands/sentinel.cc.
//
// Not modelled: the time that pings, votes and hellos spend on their way (a cut, stopped or dead
// node is not reached at all), TILT, several masters, notification scripts, SENTINEL SET, MONITOR
// and REMOVE.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/redis/node_id.h"
#include "sim/redis/replication.h"

namespace interlock::sim::redis {

class Topology;

struct SentinelSpec {
  std::string master_name = "mymaster";
  std::size_t quorum = 1;
  std::int64_t down_after_us = 30'000'000;
  std::int64_t failover_timeout_us = 180'000'000;
  /// Does nothing by itself: its host promotes replicas, and tells it.
  bool led = false;
};

class Sentinel {
 public:
  static constexpr std::int64_t kTickUs = 100'000;

  /// A node that it watches.
  struct Instance {
    NodeId node = 0;
    std::int64_t last_ping_us = 0;
    std::int64_t unanswered_since_us = -1;  // -1: every ping has been answered.
    std::int64_t last_pong_us = 0;
    bool down = false;
    std::int64_t down_since_us = 0;
    std::int64_t info_us = -1;  // When the last INFO came; -1: none, or it was unreachable since.
    bool reports_master = false;
    std::int64_t reported_since_us = 0;
    bool reconfigured = false;  // Told to follow the promoted one,
    bool follows = false;       // and seen to do it.
  };

  /// Monitors the data nodes' first master at first.
  Sentinel(Topology& topology, NodeId self, SentinelSpec spec, NodeId master);
  void Tick();

  // What its commands ask.
  Topology& topology() const { return topology_; }
  const SentinelSpec& spec() const { return spec_; }
  const std::string& id() const;
  std::int64_t now_us() const;
  const MasterAddress& address(NodeId node) const;
  Replication& ReplicationOf(NodeId node) const;
  const Instance& master() const { return master_; }
  const std::vector<Instance>& replicas() const { return replicas_; }
  const std::vector<Instance>& others() const { return sentinels_; }
  /// From its promotion on the new master counts, though the others may still have to follow it.
  NodeId CurrentMaster() const;
  /// From then on it names this master, as if another Sentinel had told it so. REQUIRES: it is led.
  void Hear(NodeId master, std::int64_t at_us);
  /// Watches the master that it has heard of, if it is time, and says so: one that is led discovers
  /// nothing by itself. REQUIRES: as for Hear.
  void TakeNews() {
    if (now_us() >= heard_at_us_ && master_.node != heard_) SwitchMaster(heard_);
  }
  /// Which master it names, and which it will have heard of, and when. REQUIRES: it is led.
  void Describe(StateSink& sink) const;
  bool objectively_down() const { return objectively_down_; }
  bool in_failover() const { return stage_ != Stage::kNone; }
  std::uint64_t config_epoch() const { return config_epoch_; }
  std::size_t majority() const { return (sentinels_.size() + 1) / 2 + 1; }
  /// The replica that a failover would promote now; nullopt: none is fit for it.
  std::optional<NodeId> SelectReplica() const;
  /// SENTINEL FAILOVER: no other has to agree. REQUIRES: !in_failover() and SelectReplica().
  void ForceFailover();
  /// SENTINEL RESET: forgets the replicas, and any failover.
  void Reset();

 private:
  enum class Stage : std::uint8_t {
    kNone,
    kElection,
    kSelectReplica,
    kPromote,
    kAwaitPromotion,
    kReconfigure,
  };

  std::string Describe(const Instance& instance) const;
  std::string DescribeMaster() const;
  void Publish(std::string_view event, std::string_view text) const;

  Instance Fresh(NodeId node) const;
  void Ping(Instance* instance);
  void AskInfo(Instance* instance);
  void DiscoverReplicas();
  void OnReplicaInfo(Instance* replica);
  void JudgeMaster();
  bool Vote(std::uint64_t epoch, NodeId candidate);
  void StartFailover();
  void Enter(Stage stage);
  void Abort(std::string_view event);
  void Advance();
  std::size_t CountVotes();
  void AdvanceElection();
  void Reconfigure();
  void SwitchMaster(NodeId master);
  /// Watches `master` as if it had never watched another one.
  void StartOver(NodeId master);
  void AdoptFrom(const Sentinel& other);

  Topology& topology_;
  const NodeId self_;
  const SentinelSpec spec_;
  Instance master_;
  std::vector<Instance> replicas_;
  std::vector<Instance> sentinels_;
  bool objectively_down_ = false;
  std::uint64_t epoch_ = 0;
  std::uint64_t config_epoch_ = 0;
  std::uint64_t voted_epoch_ = 0;
  NodeId vote_ = 0;

  Stage stage_ = Stage::kNone;
  bool forced_ = false;
  std::uint64_t failover_epoch_ = 0;
  std::int64_t failover_start_us_ = -1;
  std::int64_t stage_since_us_ = 0;
  NodeId promoted_ = 0;

  NodeId heard_ = 0;
  std::int64_t heard_at_us_ = INT64_MAX;  // Never.
};

}  // namespace interlock::sim::redis
