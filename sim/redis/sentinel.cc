// SPDX-License-Identifier: MIT
#include "sim/redis/sentinel.h"

#include <algorithm>
#include <utility>

#include "sim/redis/engine.h"
#include "sim/redis/topology.h"

namespace interlock::sim::redis {

namespace {

constexpr std::int64_t kSecond = 1'000'000;
constexpr std::int64_t kPingPeriodUs = kSecond;
constexpr std::int64_t kInfoPeriodUs = 10 * kSecond;
constexpr std::int64_t kUrgentInfoPeriodUs = kSecond;
constexpr std::int64_t kHelloPeriodUs = 2 * kSecond;
constexpr std::int64_t kSaneForUs = 4 * kHelloPeriodUs;
constexpr std::int64_t kElectionTimeoutUs = 10 * kSecond;
constexpr std::int64_t kPongWithinUs = 5 * kSecond;

}  // namespace

Sentinel::Sentinel(Topology& topology, NodeId self, SentinelSpec spec, NodeId master)
    : topology_(topology), self_(self), spec_(std::move(spec)) {
  master_ = Fresh(master);
  master_.reports_master = true;
  for (NodeId node = 0; node < topology_.size(); ++node) {
    const bool sentinel = topology_.IsSentinel(node);
    if (node == self_ || (!sentinel && (!spec_.led || node == master))) continue;
    (sentinel ? sentinels_ : replicas_).push_back(Fresh(node));
  }
}

Sentinel::Instance Sentinel::Fresh(NodeId node) const {
  Instance instance;
  instance.node = node;
  instance.last_pong_us = now_us();
  instance.reported_since_us = now_us();
  return instance;
}

std::int64_t Sentinel::now_us() const { return topology_.time_us(); }
const MasterAddress& Sentinel::address(NodeId node) const { return topology_.address(node); }

Replication& Sentinel::ReplicationOf(NodeId node) const {
  return topology_.engine(node).replication;
}

const std::string& Sentinel::id() const { return ReplicationOf(self_).run_id(); }

void Sentinel::Hear(NodeId master, std::int64_t at_us) {
  TakeNews();
  heard_ = master;
  heard_at_us_ = at_us;
}

void Sentinel::Describe(StateSink& sink) const {
  sink.Number(CurrentMaster());
  sink.Number(heard_);
  const bool waits = heard_at_us_ != INT64_MAX && heard_at_us_ > now_us();
  sink.Number(waits ? static_cast<std::uint64_t>(heard_at_us_ - now_us()) : 0);
}

NodeId Sentinel::CurrentMaster() const {
  if (now_us() >= heard_at_us_) return heard_;
  return stage_ == Stage::kReconfigure ? promoted_ : master_.node;
}

std::string Sentinel::DescribeMaster() const {
  const MasterAddress& its = address(master_.node);
  return "master " + spec_.master_name + " " + its.host + " " + std::to_string(its.port);
}

std::string Sentinel::Describe(const Instance& instance) const {
  if (&instance == &master_) return DescribeMaster();
  const MasterAddress& its = address(instance.node);
  const std::string port = std::to_string(its.port);
  const bool sentinel = topology_.IsSentinel(instance.node);
  const std::string name = sentinel ? ReplicationOf(instance.node).run_id() : its.host + ":" + port;
  return (sentinel ? "sentinel " : "slave ") + name + " " + its.host + " " + port + " @" +
         DescribeMaster().substr(std::string_view("master").size());
}

void Sentinel::Publish(std::string_view event, std::string_view text) const {
  topology_.engine(self_).pubsub.Publish(event, text);
}

void Sentinel::Tick() {
  Ping(&master_);
  for (Instance& replica : replicas_) Ping(&replica);
  for (Instance& sentinel : sentinels_) Ping(&sentinel);
  AskInfo(&master_);
  // A resync may add replicas, and a switch replace all.
  for (std::size_t i = 0; i < replicas_.size(); ++i) AskInfo(&replicas_[i]);
  if (now_us() % kHelloPeriodUs == 0) {
    for (const Instance& other : sentinels_) {
      if (topology_.Reaches(self_, other.node)) AdoptFrom(*topology_.sentinel(other.node));
    }
  }
  Advance();
  JudgeMaster();
}

void Sentinel::Ping(Instance* instance) {
  const bool reached = topology_.Reaches(self_, instance->node);
  const bool waits = instance->unanswered_since_us >= 0;
  const std::int64_t period = std::min(kPingPeriodUs, spec_.down_after_us);
  if (waits || now_us() - instance->last_ping_us >= period) {
    if (!waits) instance->last_ping_us = now_us();
    if (reached) {
      instance->unanswered_since_us = -1;
      instance->last_pong_us = now_us();
    } else if (!waits) {
      instance->unanswered_since_us = now_us();
    }
  }
  if (!reached) instance->info_us = -1;
  const bool down = instance->unanswered_since_us >= 0 &&
                    now_us() - instance->unanswered_since_us > spec_.down_after_us;
  if (down == instance->down) return;
  instance->down = down;
  instance->down_since_us = now_us();
  Publish(down ? "+sdown" : "-sdown", Describe(*instance));
}

void Sentinel::AskInfo(Instance* instance) {
  const bool urgent = instance != &master_ && (objectively_down_ || stage_ != Stage::kNone);
  const std::int64_t period = urgent ? kUrgentInfoPeriodUs : kInfoPeriodUs;
  if (!topology_.Reaches(self_, instance->node)) return;
  if (instance->info_us >= 0 && now_us() - instance->info_us < period) return;
  instance->info_us = now_us();
  const bool is_master = !ReplicationOf(instance->node).is_replica();
  const bool expected = instance == &master_;
  if (is_master != instance->reports_master) {
    instance->reports_master = is_master;
    instance->reported_since_us = now_us();
    Publish(is_master == expected ? "+role-change" : "-role-change",
            Describe(*instance) + " new reported role is " + (is_master ? "master" : "slave"));
  }
  if (expected) return DiscoverReplicas();
  OnReplicaInfo(instance);
}

void Sentinel::DiscoverReplicas() {
  for (const Replication::Replica& known : ReplicationOf(master_.node).replicas()) {
    const auto node = topology_.Resolve(known.address.host, known.address.port);
    const bool is_new = node && std::none_of(replicas_.begin(), replicas_.end(),
                                             [&](const Instance& it) { return it.node == *node; });
    if (!is_new) continue;
    replicas_.push_back(Fresh(*node));
    Publish("+slave", Describe(replicas_.back()));
  }
}

// A node that ought to follow the master, and does not, is told so: but only when the master is
// well, and has been for so long that this Sentinel's own view is not the outdated one.
void Sentinel::OnReplicaInfo(Instance* replica) {
  const Replication& its = ReplicationOf(replica->node);
  if (stage_ == Stage::kAwaitPromotion && replica->node == promoted_) {
    if (its.is_replica()) return;
    config_epoch_ = failover_epoch_;
    Publish("+promoted-slave", Describe(*replica));
    Enter(Stage::kReconfigure);
    Publish("+failover-state-reconf-slaves", DescribeMaster());
    for (const Instance& other : sentinels_) {
      if (topology_.Reaches(self_, other.node)) topology_.sentinel(other.node)->AdoptFrom(*this);
    }
    return;
  }
  if (stage_ == Stage::kReconfigure && replica->reconfigured && !replica->follows) {
    replica->follows = its.master() == address(promoted_) && its.link() == MasterLink::kConnected;
    if (replica->follows) Publish("+slave-reconf-done", Describe(*replica));
    return;
  }
  const bool master_is_sane =
      !master_.down && master_.info_us >= 0 && master_.reports_master && stage_ == Stage::kNone;
  const bool long_enough = now_us() - replica->reported_since_us > kSaneForUs &&
                           now_us() - replica->down_since_us > kSaneForUs;
  if (!master_is_sane || replica->down || !long_enough) return;
  if (!its.is_replica()) {
    topology_.Reconfigure(replica->node, address(master_.node));
    Publish("+convert-to-slave", Describe(*replica));
  } else if (*its.master() != address(master_.node)) {
    topology_.Reconfigure(replica->node, address(master_.node));
    Publish("+fix-slave-config", Describe(*replica));
  }
}

void Sentinel::JudgeMaster() {
  std::size_t votes = master_.down ? 1 : 0;
  for (const Instance& other : sentinels_) {
    if (!topology_.Reaches(self_, other.node)) continue;
    const Sentinel& its = *topology_.sentinel(other.node);
    if (its.master_.down && its.master_.node == master_.node) ++votes;
  }
  const bool down = master_.down && votes >= spec_.quorum;
  if (down != objectively_down_) {
    objectively_down_ = down;
    Publish(down ? "+odown" : "-odown",
            DescribeMaster() +
                (down ? " #quorum " + std::to_string(votes) + "/" + std::to_string(spec_.quorum)
                      : std::string()));
  }
  if (!down || stage_ != Stage::kNone) return;
  const bool too_soon =
      failover_start_us_ >= 0 && now_us() - failover_start_us_ < 2 * spec_.failover_timeout_us;
  if (!too_soon) StartFailover();
}

// One vote per epoch; who has voted does not stand for a while.
bool Sentinel::Vote(std::uint64_t epoch, NodeId candidate) {
  if (epoch > epoch_) {
    epoch_ = epoch;
    Publish("+new-epoch", std::to_string(epoch));
  }
  if (epoch > voted_epoch_) {
    voted_epoch_ = epoch;
    vote_ = candidate;
    Publish("+vote-for-leader", ReplicationOf(candidate).run_id() + " " + std::to_string(epoch));
    failover_start_us_ = now_us();
  }
  return voted_epoch_ == epoch && vote_ == candidate;
}

void Sentinel::StartFailover() {
  failover_epoch_ = ++epoch_;
  Publish("+new-epoch", std::to_string(epoch_));
  Publish("+try-failover", DescribeMaster());
  failover_start_us_ = now_us();
  Enter(Stage::kElection);
  Vote(failover_epoch_, self_);
  // Asked at once, the others do not stand themselves; a real one starts at a random moment of the
  // next second to that end.
  CountVotes();
}

void Sentinel::ForceFailover() {
  forced_ = true;
  StartFailover();
}

void Sentinel::Enter(Stage stage) {
  stage_ = stage;
  stage_since_us_ = now_us();
}

void Sentinel::Abort(std::string_view event) {
  Publish(event, DescribeMaster());
  stage_ = Stage::kNone;
  forced_ = false;
}

std::size_t Sentinel::CountVotes() {
  std::size_t votes = 1;
  for (const Instance& other : sentinels_) {
    if (!topology_.Reaches(self_, other.node)) continue;
    if (topology_.sentinel(other.node)->Vote(failover_epoch_, self_)) ++votes;
  }
  return votes;
}

void Sentinel::AdvanceElection() {
  const std::size_t votes = CountVotes();
  if (forced_ || votes >= std::max(majority(), spec_.quorum)) {
    Publish("+elected-leader", DescribeMaster());
    Enter(Stage::kSelectReplica);
    Publish("+failover-state-select-slave", DescribeMaster());
  } else if (now_us() - stage_since_us_ > std::min(kElectionTimeoutUs, spec_.failover_timeout_us)) {
    Abort("-failover-abort-not-elected");
  }
}

void Sentinel::Advance() {
  const bool timed_out = now_us() - stage_since_us_ > spec_.failover_timeout_us;
  const auto promoted = [&]() -> const Instance& {
    return *std::find_if(replicas_.begin(), replicas_.end(),
                         [&](const Instance& it) { return it.node == promoted_; });
  };
  switch (stage_) {
    case Stage::kNone:
    case Stage::kElection:
      if (stage_ == Stage::kElection) AdvanceElection();
      return;
    case Stage::kSelectReplica:
      if (const std::optional<NodeId> selected = SelectReplica()) {
        promoted_ = *selected;
        Publish("+selected-slave", Describe(promoted()));
        Enter(Stage::kPromote);
        Publish("+failover-state-send-slaveof-noone", Describe(promoted()));
      } else {
        Abort("-failover-abort-no-good-slave");
      }
      return;
    case Stage::kPromote:
      if (topology_.Reaches(self_, promoted_)) {
        topology_.Reconfigure(promoted_, std::nullopt);
        Enter(Stage::kAwaitPromotion);
        Publish("+failover-state-wait-promotion", Describe(promoted()));
      } else if (timed_out) {
        Abort("-failover-abort-slave-timeout");
      }
      return;
    case Stage::kAwaitPromotion:
      if (timed_out) Abort("-failover-abort-slave-timeout");
      return;
    case Stage::kReconfigure:
      return Reconfigure();
  }
}

std::optional<NodeId> Sentinel::SelectReplica() const {
  const Instance* best = nullptr;
  const auto priority = [&](const Instance& it) {
    return topology_.engine(it.node).config().replica_priority;
  };
  const auto better = [&](const Instance& a, const Instance& b) {
    if (priority(a) != priority(b)) return priority(a) < priority(b);
    const Replication& its = ReplicationOf(a.node);
    const Replication& other = ReplicationOf(b.node);
    if (its.offset() != other.offset()) return its.offset() > other.offset();
    return its.run_id() < other.run_id();
  };
  for (const Instance& replica : replicas_) {
    if (replica.down || replica.info_us < 0 || priority(replica) == 0) continue;
    if (now_us() - replica.last_pong_us > kPongWithinUs) continue;
    if (best == nullptr || better(replica, *best)) best = &replica;
  }
  if (best == nullptr) return std::nullopt;
  return best->node;
}

// One after the other, as parallel-syncs 1 has it; INFO, once a second, tells that one is done.
// Those that are down are left for later.
void Sentinel::Reconfigure() {
  const bool timed_out = now_us() - stage_since_us_ > spec_.failover_timeout_us;
  for (Instance& replica : replicas_) {
    if (replica.node == promoted_ || replica.down || timed_out) continue;
    if (!replica.reconfigured) {
      if (!topology_.Reaches(self_, replica.node)) return;
      topology_.Reconfigure(replica.node, address(promoted_));
      replica.reconfigured = true;
      replica.follows = false;
      return Publish("+slave-reconf-sent", Describe(replica));
    }
    if (!replica.follows) return;
  }
  Publish(timed_out ? "+failover-end-for-timeout" : "+failover-end", DescribeMaster());
  SwitchMaster(promoted_);
}

void Sentinel::StartOver(NodeId master) {
  master_ = Fresh(master);
  master_.reports_master = true;
  replicas_.clear();
  stage_ = Stage::kNone;
  forced_ = false;
  objectively_down_ = false;
}

void Sentinel::Reset() {
  Publish("+reset-master", DescribeMaster());
  StartOver(master_.node);
}

void Sentinel::SwitchMaster(NodeId master) {
  const MasterAddress& from = address(master_.node);
  const MasterAddress& to = address(master);
  Publish("+switch-master", spec_.master_name + " " + from.host + " " + std::to_string(from.port) +
                                " " + to.host + " " + std::to_string(to.port));
  std::vector<NodeId> others;
  for (const Instance& replica : replicas_) {
    if (replica.node != master) others.push_back(replica.node);
  }
  others.push_back(master_.node);
  StartOver(master);
  failover_start_us_ = -1;
  for (const NodeId node : others) {
    replicas_.push_back(Fresh(node));
    Publish("+slave", Describe(replicas_.back()));
  }
}

// A hello: the newer configuration wins.
void Sentinel::AdoptFrom(const Sentinel& other) {
  if (other.epoch_ > epoch_) {
    epoch_ = other.epoch_;
    Publish("+new-epoch", std::to_string(epoch_));
  }
  if (other.config_epoch_ <= config_epoch_) return;
  config_epoch_ = other.config_epoch_;
  if (other.CurrentMaster() == master_.node) return;
  for (const Instance& sentinel : sentinels_) {
    if (sentinel.node == other.self_) Publish("+config-update-from", Describe(sentinel));
  }
  SwitchMaster(other.CurrentMaster());
}

}  // namespace interlock::sim::redis
