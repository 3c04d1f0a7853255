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
  if (log_.closed) return;
  log_.Note(who, "told: lost");
  log_.goals.Add(Goal::kLossTold);
  const VirtualTime now = log_.now();
  for (Interval& belief : log_.hold(who).belief) belief.to = std::min(belief.to, now);
  NoteToldLost(who);
  log_.dealing(who).believes_until = std::min(log_.dealing(who).believes_until, now);
}

void Recorder::NoteToldLost(Party who) {
  log_.dealing(who).valid_end = std::min(log_.dealing(who).valid_end, log_.now());
  log_.dealing(who).told_lost = true;
}

void Recorder::OnAwaitedLoss(Party who, bool told) {
  if (log_.closed) return;
  log_.Note(who, told ? "told: lost" : "not told of the loss");
  if (told) return;
  const std::size_t first = log_.violations.size();
  JudgeUntold(who.client, log_.dealing(who).valid_end, log_.now(), log_.violations);
  log_.Attribute(first, who.resource);
}

std::function<void()> Recorder::LossCallOf(Party who) {
  if (log_.closed) return {};
  return [this, who, index = log_.dealing(who).hold] { NoteLossCall(who, index); };
}

void Recorder::NoteLossCall(Party who, std::size_t index) {
  if (log_.closed) return;
  log_.Note(who, "called: lost");
  log_.goals.Add(Goal::kToldByCall);
  const VirtualTime now = log_.now();
  ClientHold& record = log_.history(who).holds[index];
  const bool latest = index == log_.dealing(who).hold;
  record.loss_calls.push_back(
      {now, !latest || MayBeLost(who, now), record.release_returned != kOpen});
}

bool Recorder::MayBeLost(Party who, VirtualTime now) {
  // Of several at once any may be the one, and a server that was replaced may have said anything.
  if (log_.traits.several || !log_.history(who).supersessions.empty()) return true;
  if (!log_.resource(who).observable || log_.dealing(who).valid_end <= now) return true;
  const ServerHold* entry = FindServerHold(log_.history(who), who.client, log_.hold(who).token);
  if (entry == nullptr || entry->surely_until() <= now) return true;
  return entry->ended <= now && entry->end != ServerHoldEnd::kReleased;
}

void Recorder::OnAwaitedCall(Party who, bool called) {
  if (log_.closed) return;
  if (called) return;
  log_.Note(who, "not called of the loss");
  const std::size_t first = log_.violations.size();
  JudgeUntold(who.client, log_.dealing(who).valid_end, log_.now(), log_.violations);
  log_.Attribute(first, who.resource);
}

}  // namespace interlock::scenarios
