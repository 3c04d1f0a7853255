// SPDX-License-Identifier: MIT
//
// The recorder's part about locks that renew their leases by themselves, and tell of a loss.
#include <algorithm>
#include <span>

#include "scenarios/judge/validity.h"
#include "scenarios/judge/whose.h"
#include "scenarios/log/recorder.h"

namespace interlock::scenarios {

void Recorder::OnLost(Party who) {
  if (closed_) return;
  Note(who, "told: lost");
  goals_.Add(Goal::kLossTold);
  const VirtualTime now = world_->now();
  for (Interval& belief : hold(who).belief) belief.to = std::min(belief.to, now);
  NoteToldLost(who);
  dealing(who).believes_until = std::min(dealing(who).believes_until, now);
}

void Recorder::NoteToldLost(Party who) {
  dealing(who).valid_end = std::min(dealing(who).valid_end, world_->now());
  dealing(who).told_lost = true;
}

void Recorder::OnAwaitedLoss(Party who, bool told) {
  if (closed_) return;
  Note(who, told ? "told: lost" : "not told of the loss");
  if (told) return;
  const std::size_t first = violations_.size();
  JudgeUntold(who.client, dealing(who).valid_end, world_->now(), violations_);
  Attribute(first, who.resource);
}

std::function<void()> Recorder::LossCallOf(Party who) {
  if (closed_) return {};
  return [this, who, index = dealing(who).hold] { NoteLossCall(who, index); };
}

void Recorder::NoteLossCall(Party who, std::size_t index) {
  if (closed_) return;
  Note(who, "called: lost");
  goals_.Add(Goal::kToldByCall);
  const VirtualTime now = world_->now();
  ClientHold& record = history(who).holds[index];
  const bool latest = index == dealing(who).hold;
  record.loss_calls.push_back(
      {now, !latest || MayBeLost(who, now), record.release_returned != kOpen});
}

bool Recorder::MayBeLost(Party who, VirtualTime now) {
  // Of several at once any may be the one, and a server that was replaced may have said anything.
  if (traits_.several || !history(who).supersessions.empty()) return true;
  if (!resource(who).observable || dealing(who).valid_end <= now) return true;
  const ServerHold* entry = FindServerHold(history(who), who.client, hold(who).token);
  if (entry == nullptr || entry->surely_until() <= now) return true;
  return entry->ended <= now && entry->end != ServerHoldEnd::kReleased;
}

void Recorder::OnAwaitedCall(Party who, bool called) {
  if (closed_) return;
  if (called) return;
  Note(who, "not called of the loss");
  const std::size_t first = violations_.size();
  JudgeUntold(who.client, dealing(who).valid_end, world_->now(), violations_);
  Attribute(first, who.resource);
}

void Recorder::NoteUnasked(Party who, VirtualTime now) {
  dealing(who).renews_before = kOpen;
  const auto busy = [](const Dealing& one, VirtualTime) { return one.doing != Doing::kNothing; };
  if (!traits_.renews || AnyDealing({who.client, who.client}, busy)) return;
  // What is over for good is looked for once in a run.
  const bool found = goals_.Has(Goal::kRenewedAfterLoss);
  for (const ServerHold& entry : found ? Unsettled(who) : std::span(history(who).server_holds)) {
    if (entry.client != who.client) continue;
    const bool over = entry.promised_until <= now && !entry.given_back();
    if (!over && entry.ended == kOpen) dealing(who).renews_before = entry.promised_until;
    if (over && IsOut(history(who), entry)) goals_.Add(Goal::kRenewedAfterLoss);
  }
}

void Recorder::NoteRenewed(int client, VirtualTime now) {
  for (int i = 0; i < static_cast<int>(resources_.size()); ++i) {
    const Party who{client, i};
    Dealing& its = dealing(who);
    if (its.doing != Doing::kNothing || its.renews_before == kOpen) continue;
    if (its.renews_before <= now) goals_.Add(Goal::kRenewalRacedExpiry);
    its.renews_before = kOpen;
    for (const ServerHold& entry : Unsettled(who)) {
      const bool renewed = entry.renewed == now && entry.granted < now && !entry.copied;
      if (entry.client == client && renewed) goals_.Add(Goal::kRenewedByItself);
    }
  }
}

}  // namespace interlock::scenarios
