// SPDX-License-Identifier: MIT
#include "scenarios/run/recorder/validity_log.h"

#include <algorithm>

#include "scenarios/log/answers.h"

namespace interlock::scenarios {

void ValidityLog::OnAskValid(Party who) { log_.dealing(who).asked_valid = log_.now(); }

void ValidityLog::OnAskedValid(Party who, const ValidDetails& told) {
  const bool valid = told.valid;
  const MonotonicTime end(told.valid_until);
  log_.Note(who, valid ? "told: valid" : "told: not valid");
  // A lock that renews by itself has moved the end of the validity since.
  if (valid && end > log_.dealing(who).valid_until) {
    holds_.Prolong(who, end);
    if (log_.resource(who).observable && !log_.free_clocks) {
      CompareRenewed(log_.hold(who), ClaimedEnd(who), log_.now(), log_.history(who));
    }
  }
  // The instant of the question counts, as a pause before the answer is not the lock's fault.
  const Dealing& its = log_.dealing(who);
  log_.history(who).questions.push_back({.client = who.client,
                                         .until = its.valid_end,
                                         .announced = its.told_lost,
                                         .at = its.asked_valid,
                                         .told_lost = !valid});
}

VirtualTime ValidityLog::ClaimedEnd(Party who) {
  const Dealing& dealing = log_.dealing(who);
  const VirtualTime until = dealing.believes_until;
  return until > log_.now() ? until : std::min(until, dealing.asked_valid);
}

void ValidityLog::OnLost(Party who) {
  log_.Note(who, "told: lost");
  log_.goals.Add(Goal::kLossTold);
  const VirtualTime now = log_.now();
  for (Interval& belief : log_.hold(who).belief) belief.to = std::min(belief.to, now);
  log_.dealing(who).TellLost(log_.now());
  log_.dealing(who).believes_until = std::min(log_.dealing(who).believes_until, now);
}

void ValidityLog::OnAwaitedLoss(Party who, bool told) {
  log_.Note(who, told ? "told: lost" : "not told of the loss");
  if (!told) NoteUntold(who);
}

void ValidityLog::OnAwaitedCall(Party who, bool called) {
  if (called) return;
  log_.Note(who, "not called of the loss");
  NoteUntold(who);
}

void ValidityLog::NoteUntold(Party who) {
  log_.history(who).questions.push_back({.client = who.client,
                                         .until = log_.dealing(who).valid_end,
                                         .at = log_.now(),
                                         .asked = false,
                                         .told_lost = false});
}

std::function<void()> ValidityLog::LossCallOf(Party who) {
  if (log_.closed) return {};
  return [this, who, index = log_.dealing(who).hold] { NoteLossCall(who, index); };
}

void ValidityLog::NoteLossCall(Party who, std::size_t index) {
  if (log_.closed) return;
  log_.Note(who, "called: lost");
  log_.goals.Add(Goal::kToldByCall);
  const VirtualTime now = log_.now();
  ClientHold& record = log_.history(who).holds[index];
  const bool latest = index == log_.dealing(who).hold;
  record.loss_calls.push_back(
      {now, !latest || MayBeLost(who, now), record.release_returned != kOpen});
}

bool ValidityLog::MayBeLost(Party who, VirtualTime now) {
  // If the lock takes several resources at once, any of them may be lost, and a server that was
  // replaced may have said anything.
  if (log_.traits.several || !log_.history(who).supersessions.empty()) return true;
  if (!log_.resource(who).observable || log_.dealing(who).valid_end <= now) return true;
  const ServerHold* entry = FindServerHold(log_.history(who), who.client, log_.hold(who).token);
  if (entry == nullptr || entry->surely_until() <= now) return true;
  return entry->ended <= now && entry->end != ServerHoldEnd::kReleased;
}

}  // namespace interlock::scenarios
