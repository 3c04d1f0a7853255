// SPDX-License-Identifier: MIT
#include "scenarios/search/explore/walk.h"

#include <algorithm>
#include <utility>

namespace interlock::scenarios {

Walk::Walk(const Bounds& bounds, std::string_view prefix)
    : Decisions(prefix), bounds_(bounds), most_{bounds.crashes,       bounds.lost_replies,
                                                bounds.lost_requests, bounds.silent_losses,
                                                bounds.pauses,        bounds.short_pauses,
                                                bounds.failovers,     bounds.failovers,
                                                bounds.restarts} {
  CountFaultsLeft();
}

void Walk::Attach(const sim::World& world, std::vector<const History*> histories, VirtualTime end) {
  world_ = &world;
  end_ = end;
  histories_ = std::move(histories);
}

std::uint32_t Walk::Draw(sim::Lane lane, std::uint32_t bound) {
  if (lane == sim::Lane::kSchedule) return Decide({bound, first(), !forced(), false});
  Disturb();
  return Decide({bound});
}

void Walk::CountFaultsLeft() {
  bool any = false;
  for (std::size_t kind = 0; kind < kKinds; ++kind) any = any || Left(static_cast<Kind>(kind));
  faults_left_ = any && faults() < bounds_.faults;
}

// Adds pauses until the next lease ends, even if the lease is only a belief. A pause that ends
// earlier is just another order of steps.
void Walk::AddPause(bool in_section) {
  VirtualTime nearest = kOpen;
  VirtualTime beliefs = kOpen;
  const VirtualTime now = world_->now();
  for (const History* history : histories_) {
    for (const ServerHold& hold : history->server_holds) {
      if (hold.end == ServerHoldEnd::kNone && hold.promised_until > now) {
        nearest = std::min(nearest, hold.promised_until);
      }
    }
    for (const ClientHold& hold : history->holds) {
      const VirtualTime until = hold.belief.back().to;
      if (until > now && !Died(*history, hold.client)) beliefs = std::min(beliefs, until);
    }
  }
  if (nearest == kOpen) nearest = beliefs;
  if (nearest == kOpen) return;
  options_.push_back({kPause, sim::FaultKind::kPause, nearest - now});
  // With this length the client is still in its section when the next one has entered.
  if (in_section) {
    options_.push_back({kPause, sim::FaultKind::kPause, nearest - now + Hundredths(bounds_, 25)});
  }
}

// Server faults strike just before a command: nobody can tell a fault between two commands from one
// right before the second.
void Walk::AddServerFaults() {
  // The fault lasts until the same instant whenever it begins, so that states do not differ by
  // that.
  const Duration for_good = end_ - world_->now();
  const bool can_fail_over = Left(kFailover) && world_->replica() != sim::ReplicaState::kNone;
  const bool can_lag = can_fail_over && Left(kLag) && faults() + 2 <= bounds_.faults;
  if (can_lag && world_->replica() == sim::ReplicaState::kInStep) {
    options_.push_back({kLag, sim::FaultKind::kReplicationStop, for_good});
  }
  if (can_fail_over) {
    options_.push_back({kFailover, sim::FaultKind::kFailover, {}});
    options_.push_back({kFailover, sim::FaultKind::kFailover, for_good});
  }
  if (Left(kRestart)) {
    options_.push_back({kRestart, sim::FaultKind::kServerKill, {}, world_->server_node()});
  }
}

void Walk::FindOptions(Place& place, sim::StepKind kind) {
  options_.clear();
  const bool after_send = kind == sim::StepKind::kAfterSend;
  const bool late_reply =
      kind == sim::StepKind::kReply && (place.picks != picks() || place.sent_at != world_->now());
  const bool before_send = kind == sim::StepKind::kBeforeSend;
  const bool mark = kind == sim::StepKind::kMark;
  if (after_send) {
    place.picks = picks();
    place.sent_at = world_->now();
  }
  if ((after_send || late_reply || mark) && Left(kCrash)) {
    options_.push_back({kCrash, sim::FaultKind::kCrash, {}});
  }
  for (const Option& loss : {Option{kLostReply, sim::FaultKind::kResetAfter},
                             Option{kLostRequest, sim::FaultKind::kResetBefore},
                             Option{kSilentLoss, sim::FaultKind::kLostReply}}) {
    if (before_send && Left(loss.kind)) options_.push_back(loss);
  }
  const bool pausable = before_send || after_send || late_reply || mark;
  if (pausable && Left(kPause)) AddPause(mark);
  if (pausable && Left(kShortPause)) {
    options_.push_back({kShortPause, sim::FaultKind::kPause, Hundredths(bounds_, 50)});
  }
  if (before_send) AddServerFaults();
}

std::optional<sim::Fault> Walk::InjectFault(int process, int step, sim::StepKind kind) {
  if (finished() || !FaultsLeft()) return std::nullopt;
  const auto index = static_cast<std::size_t>(process);
  if (places_.size() <= index) places_.resize(index + 1);
  Place& place = places_[index];
  if (place.step == step) return std::nullopt;
  place.step = step;
  FindOptions(place, kind);
  if (options_.empty()) return std::nullopt;
  const std::uint32_t chosen =
      Decide({static_cast<std::uint32_t>(options_.size()) + 1, 0, true, !calm_only()});
  if (chosen == 0) return std::nullopt;
  Disturb();
  const Option& option = options_[chosen - 1];
  ++spent_[option.kind];
  CountFaultsLeft();
  sim::Fault fault;
  fault.kind = option.fault;
  fault.length = option.length;
  fault.node = option.node;
  return fault;
}

}  // namespace interlock::scenarios
