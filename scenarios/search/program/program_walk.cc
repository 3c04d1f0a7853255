// SPDX-License-Identifier: MIT
#include "scenarios/search/program/program_walk.h"

#include <array>

namespace interlock::scenarios {
namespace {

using sim::FaultKind;
using sim::StepKind;
using sim::VirtualTime;

/// The steps at which a fault is offered: at others it would do the same as at one of these.
enum class Where : std::uint8_t {
  kNowhere,
  kBeforeSend,  ///< before a command
  kDying,       ///< before and after a command, and before a note
  kPausing,     ///< before a command, at a reply and before a note
};

constexpr VirtualTime kForGood = std::chrono::hours(24);

struct Offer {
  FaultKind kind;
  Where where;
};
constexpr auto kOffers = std::to_array<Offer>({{FaultKind::kCrash, Where::kDying},
                                               {FaultKind::kRestart, Where::kDying},
                                               {FaultKind::kPause, Where::kPausing},
                                               {FaultKind::kExpiry, Where::kPausing},
                                               {FaultKind::kClientClockJump, Where::kPausing},
                                               {FaultKind::kPartition, Where::kPausing},
                                               {FaultKind::kPartitionToServer, Where::kPausing},
                                               {FaultKind::kPartitionFromServer, Where::kPausing},
                                               {FaultKind::kHalfOpen, Where::kPausing},
                                               {FaultKind::kDelayRequest, Where::kBeforeSend},
                                               {FaultKind::kDelayReply, Where::kBeforeSend},
                                               {FaultKind::kLostRequest, Where::kBeforeSend},
                                               {FaultKind::kLostReply, Where::kBeforeSend},
                                               {FaultKind::kResetBefore, Where::kBeforeSend},
                                               {FaultKind::kResetAfter, Where::kBeforeSend},
                                               {FaultKind::kServerKill, Where::kBeforeSend},
                                               {FaultKind::kFailover, Where::kBeforeSend},
                                               {FaultKind::kReplicationStop, Where::kBeforeSend},
                                               {FaultKind::kEvict, Where::kBeforeSend},
                                               {FaultKind::kFlushAll, Where::kBeforeSend},
                                               {FaultKind::kAdminDel, Where::kBeforeSend},
                                               {FaultKind::kScriptFlush, Where::kBeforeSend},
                                               {FaultKind::kClientKill, Where::kBeforeSend}});

Where WhereOf(FaultKind kind) {
  for (const Offer& offer : kOffers) {
    if (offer.kind == kind) return offer.where;
  }
  return Where::kNowhere;
}

bool IsThere(Where where, StepKind kind) {
  if (kind == StepKind::kBeforeSend) return where != Where::kNowhere;
  if (kind == StepKind::kMark) return where == Where::kDying || where == Where::kPausing;
  if (kind == StepKind::kAfterSend) return where == Where::kDying;
  return kind == StepKind::kReply && where == Where::kPausing;
}

}  // namespace

bool IsExplorable(FaultKind kind) { return WhereOf(kind) != Where::kNowhere; }

bool HasExploredLengths(FaultKind kind) {
  switch (kind) {
    case FaultKind::kPause:
    case FaultKind::kClientClockJump:
    case FaultKind::kPartition:
    case FaultKind::kPartitionToServer:
    case FaultKind::kPartitionFromServer:
    case FaultKind::kDelayRequest:
    case FaultKind::kDelayReply:
      return true;
    default:
      return false;
  }
}

ProgramWalk::ProgramWalk(const ExploredProgram& explored, std::string_view prefix)
    : Decisions(prefix),
      explored_(explored),
      spent_(explored.limits.size()),
      last_steps_(explored.workload.clients.size(), -1) {}

std::uint32_t ProgramWalk::Draw(sim::Lane lane, std::uint32_t bound) {
  if (lane != sim::Lane::kSchedule) Disturb();
  return Decide({bound});
}

void ProgramWalk::OnAstray() {
  astray_ = true;
  Finish();
}

void ProgramWalk::AddOptions(std::size_t limit, StepKind kind) {
  const FaultLimit& one = explored_.limits[limit];
  if (spent_[limit] >= one.most || !IsThere(WhereOf(one.kind), kind)) return;
  const sim::FaultInfo& info = *sim::FindFault(one.kind);
  sim::Fault fault;
  fault.kind = one.kind;
  std::vector<Duration> lengths = {Duration{}};
  if (HasExploredLengths(one.kind)) lengths = explored_.pauses;
  // A key whose end has come is gone a moment later.
  if (one.kind == FaultKind::kExpiry) lengths = {std::chrono::milliseconds(1)};
  if (one.kind == FaultKind::kReplicationStop) {
    // It lasts until the same instant whenever it begins, so that states do not differ by that.
    if (world_ == nullptr || world_->replica() != sim::ReplicaState::kInStep) return;
    lengths = {kForGood - world_->now()};
  }
  const int nodes = info.uses_node ? explored_.workload.nodes : 1;
  for (const Duration length : lengths) {
    fault.length = length;
    for (fault.node = 0; fault.node < nodes; ++fault.node) options_.push_back({limit, fault});
  }
}

std::optional<sim::Fault> ProgramWalk::InjectFault(int process, int step, StepKind kind) {
  const auto client = static_cast<std::size_t>(process);
  if (finished() || client >= last_steps_.size() || faults_ >= explored_.faults ||
      last_steps_[client] == step) {
    return std::nullopt;
  }
  last_steps_[client] = step;
  options_.clear();
  for (std::size_t limit = 0; limit < explored_.limits.size(); ++limit) AddOptions(limit, kind);
  if (options_.empty()) return std::nullopt;
  const std::uint32_t chosen = Decide({static_cast<std::uint32_t>(options_.size()) + 1});
  if (chosen == 0) return std::nullopt;
  Disturb();
  const Option& option = options_[chosen - 1];
  ++spent_[option.limit];
  ++faults_;
  return option.fault;
}

}  // namespace interlock::scenarios
