// SPDX-License-Identifier: MIT
#include "scenarios/judge/exercised.h"

#include <algorithm>

#include "scenarios/cases/kind_model.h"
#include "scenarios/judge/latch.h"
#include "scenarios/judge/limit.h"
#include "scenarios/judge/order.h"
#include "scenarios/judge/property.h"
#include "scenarios/judge/quorum.h"
#include "scenarios/judge/refusals.h"
#include "scenarios/judge/validity.h"
#include "scenarios/log/forced.h"

namespace interlock::scenarios {
namespace {

/// Whether its server lost it, or was replaced by one that never had it.
bool IsForgotten(const History& history, const ServerHold& entry) {
  if (entry.end != ServerHoldEnd::kLost || entry.waived != kOpen) return false;
  return std::ranges::none_of(history.server_holds, [&](const ServerHold& other) {
    const bool same = other.client == entry.client && other.token == entry.token;
    return same && other.copied && other.granted >= entry.ended;
  });
}

bool Overlaps(VirtualTime from, VirtualTime to, VirtualTime begin, VirtualTime end) {
  return from < end && begin < to;
}

/// Whether somebody else held the lock, at the server or by its own belief, during the request.
bool IsContended(const History& history, const Attempt& attempt) {
  const auto met = [&](const auto& hold, VirtualTime from, VirtualTime to) {
    return hold.client != attempt.client && Conflict(attempt, hold) &&
           Overlaps(attempt.asked, attempt.answered, from, to);
  };
  const auto at_the_server = [&](const ServerHold& hold) {
    return met(hold, hold.granted, hold.had_until());
  };
  const auto in_its_belief = [&](const ClientHold& hold) {
    return met(hold, hold.told_at(), hold.believed_until());
  };
  return std::ranges::any_of(history.server_holds, at_the_server) ||
         std::ranges::any_of(history.holds, in_its_belief);
}

/// Whether a client that met a fault could go on with the same lock object.
bool WentOn(const History& history, const Attempt& attempt) {
  return attempt.answer == StatusCode::kOk && attempt.answered != kOpen &&
         IsPastRecovery(history, attempt) &&
         AnyMet(history.disturbances, attempt.client, {}, kOpen);
}

void AddAttemptGoals(const History& history, GoalSet& goals) {
  for (const Attempt& attempt : history.attempts) {
    AddAnswerGoals(attempt, IsContended(history, attempt), goals);
    if (attempt.answered == kOpen) continue;
    if (attempt.answer == StatusCode::kStopped) goals.Add(Goal::kWaiterStopped);
    const bool met = attempt.stopped <= attempt.answered && attempt.answer == StatusCode::kOk;
    if (met) goals.Add(Goal::kGrantMetStop);
    if (WentOn(history, attempt)) goals.Add(Goal::kWentOn);
  }
}

void AddServerGoals(const History& history, GoalSet& goals) {
  VirtualTime first_death = kOpen;
  for (const ServerHold& entry : history.server_holds) {
    const VirtualTime died = DiedAt(history, entry.client, entry.granted);
    if (died != kOpen && entry.granted <= died && died < entry.promise_end()) {
      goals.Add(Goal::kCrashWhileHolding);
      first_death = std::min(first_death, died);
    }
    const bool known = std::ranges::any_of(
        history.holds, [&](const ClientHold& hold) { return entry.IsOf(hold); });
    if (!known && entry.client >= 0 && died == kOpen) goals.Add(Goal::kReplyLostAfterGrant);
    for (const Attempt& attempt : history.attempts) {
      const bool made_it = attempt.client == entry.client && attempt.asked <= entry.granted &&
                           entry.granted <= attempt.answered;
      if (made_it && attempt.answered != kOpen &&
          attempt.answered >= entry.granted + history.lease) {
        goals.Add(Goal::kGrantCameLate);
      }
    }
  }
  for (const ClientHold& hold : history.holds) {
    const VirtualTime died = DiedAt(history, hold.client, hold.told_at());
    if (died != kOpen && died < hold.release_called) first_death = std::min(first_death, died);
  }
  for (const ClientHold& hold : history.holds) {
    if (hold.told_at() > first_death) goals.Add(Goal::kRecoveredAfterCrash);
  }
}

void AddHoldGoals(const History& history, GoalSet& goals) {
  for (const ClientHold& hold : history.holds) {
    const VirtualTime died = DiedAt(history, hold.client, hold.told_at());
    if (ForcedOutAt(history, hold) < std::min(died, hold.believed_until())) {
      goals.Add(Goal::kForcedOut);
    }
    if (died != kOpen && died < hold.release_called) {
      goals.Add(Goal::kCrashWhileHolding);
      if (hold.entered() && died <= hold.section.to) goals.Add(Goal::kCrashInSection);
    }
    const VirtualTime out = hold.entered() ? hold.section.to : kOpen;
    if (out != kOpen && out > hold.believed_until() + history.lease / 64) {
      goals.Add(Goal::kPausedPastLease);
    }
    for (const ServerHold& entry : history.server_holds) {
      if (!entry.IsOf(hold)) continue;
      if (entry.promised_until < hold.used_until()) goals.Add(Goal::kLeaseExpiredWhileHeld);
      const bool gone = entry.end == ServerHoldEnd::kForced || IsForgotten(history, entry);
      const VirtualTime over = gone ? entry.ended : entry.promised_until;
      for (const ServerHold& next : history.server_holds) {
        if (next.client != hold.client && hold.release_called != kOpen && over <= next.granted &&
            next.granted < hold.release_called && next.promise_end() > hold.release_called) {
          goals.Add(Goal::kReleaseOfLostLease);
        }
      }
    }
  }
}

bool RacedExpiry(const History& history, const Renewal& renewal) {
  if (renewal.sent == kOpen || renewal.answered == kOpen) return false;
  return renewal.called <= renewal.promised_until &&
         renewal.promised_until <= renewal.answered + history.latency;
}

/// Whether a fault struck just as the server released, and the client kept asking.
bool LostReleaseReply(const History& history, const ClientHold& hold) {
  if (hold.release_called == kOpen || Died(history, hold.client)) return false;
  for (const ServerHold& entry : history.server_holds) {
    if (!entry.IsOf(hold)) continue;
    if (entry.end != ServerHoldEnd::kReleased || entry.ended < hold.release_called) continue;
    const bool asked_again = hold.release_sent != kOpen && hold.release_sent > entry.ended;
    if (!asked_again && !IsUnknown(hold.release_status)) continue;
    if (AnyMet(history.disturbances, hold.client, entry.ended, entry.ended)) return true;
  }
  return false;
}

bool WokenAsItTimedOut(const History& history, const Attempt& attempt) {
  if (attempt.deadline == kOpen) return false;
  return std::ranges::any_of(history.server_holds, [&](const ServerHold& entry) {
    const VirtualTime free = entry.had_until();
    const bool waiting =
        attempt.asked < free && std::min(free, attempt.deadline) <= attempt.answered;
    return entry.client != attempt.client && waiting &&
           attempt.deadline - history.latency <= free && free <= attempt.deadline + history.latency;
  });
}

/// Whether a holder died at `death` while all permits were out.
bool WasFull(const History& history, const Death& death) {
  const int permits = history.limits.Most(death.at, death.at);
  if (permits < 2) return false;
  int out = 0;
  bool its_own = false;
  for (const ServerHold& entry : history.server_holds) {
    const VirtualTime until = entry.had_until();
    if (entry.copied || death.at < entry.granted || until <= death.at) continue;
    ++out;
    its_own = its_own || entry.client == death.client;
  }
  return its_own && out >= permits;
}

/// The same, while its client relied on it.
bool WasLost(const History& history, const ServerHold& entry) {
  if (!IsForgotten(history, entry)) return false;
  return std::ranges::any_of(history.holds, [&](const ClientHold& hold) {
    return entry.IsOf(hold) && hold.told_at() <= entry.ended && entry.ended < hold.believed_until();
  });
}

/// Whether two readers were inside at once.
bool WereTogether(const History& history, const ClientHold& reader) {
  if (!reader.shared || !reader.entered()) return false;
  return std::ranges::any_of(history.holds, [&](const ClientHold& other) {
    return other.shared && other.entered() && other.client != reader.client &&
           Overlaps(reader.section.from, reader.section.to, other.section.from, other.section.to);
  });
}

/// Whether it waited while the other kind held the lock.
bool WaitedForTheOthers(const History& history, const Attempt& attempt) {
  if (attempt.ask == Ask::kTry) return false;
  return std::ranges::any_of(history.server_holds, [&](const ServerHold& hold) {
    return hold.shared != attempt.shared && hold.client != attempt.client &&
           Overlaps(attempt.asked, attempt.answered, hold.granted, hold.had_until());
  });
}

/// Interactions of readers and writers.
void AddSharedGoals(const History& history, GoalSet& goals) {
  for (const ClientHold& hold : history.holds) {
    if (WereTogether(history, hold)) goals.Add(Goal::kReadersTogether);
  }
  for (const Attempt& attempt : history.attempts) {
    if (!WaitedForTheOthers(history, attempt)) continue;
    goals.Add(attempt.shared ? Goal::kReaderWaited : Goal::kWriterWaited);
  }
}

/// When the client died while queued in the server; kOpen if it did not.
VirtualTime DiedInLine(const History& history, const Attempt& attempt) {
  if (attempt.ask == Ask::kTry || attempt.queued == kOpen || attempt.answered != kOpen) {
    return kOpen;
  }
  return DiedAt(history, attempt.client, attempt.queued);
}

/// Whether the dead waiter was granted the lock anyway: its death and the grant crossed on the
/// wire, or nobody had noticed yet.
bool WasGrantedAllTheSame(const History& history, const Attempt& attempt) {
  VirtualTime until = kOpen;  // then a later incarnation of the client asks
  for (const Attempt& other : history.attempts) {
    const bool later = other.client == attempt.client && other.asked > attempt.asked;
    if (later) until = std::min(until, other.asked);
  }
  return std::ranges::any_of(history.server_holds, [&](const ServerHold& entry) {
    return entry.client == attempt.client && !entry.copied && attempt.queued < entry.granted &&
           entry.granted < until;
  });
}

/// Races in waiting, renewing and releasing.
void AddRaceGoals(const History& history, GoalSet& goals) {
  for (const Renewal& renewal : history.renewals) {
    if (RacedExpiry(history, renewal)) goals.Add(Goal::kRenewalRacedExpiry);
  }
  for (const ClientHold& hold : history.holds) {
    if (LostReleaseReply(history, hold)) goals.Add(Goal::kReleaseReplyLost);
  }
  for (const Attempt& attempt : history.attempts) {
    if (WokenAsItTimedOut(history, attempt)) goals.Add(Goal::kWokenAsTimedOut);
    if (!Overtakings(history, attempt).empty()) goals.Add(Goal::kOvertaken);
    if (DiedInLine(history, attempt) == kOpen) continue;
    goals.Add(Goal::kDiedInLine);
    if (WasGrantedAllTheSame(history, attempt)) goals.Add(Goal::kGrantMetCrash);
  }
  for (const ServerHold& entry : history.server_holds) {
    if (WasLost(history, entry)) goals.Add(Goal::kGrantLost);
  }
  for (const Death& death : history.deaths) {
    if (WasFull(history, death)) goals.Add(Goal::kFullThenCrash);
  }
}

}  // namespace

void AddGoals(const History& history, GoalSet& goals) {
  AddAttemptGoals(history, goals);
  AddServerGoals(history, goals);
  AddHoldGoals(history, goals);
  AddRaceGoals(history, goals);
  AddSharedGoals(history, goals);
}

void AddGoals(const JudgedResource& resource, GoalSet& goals) {
  const History& recorded = resource.recorded;
  if (!ModelOf(resource.traits.kind).held)
    return AddLatchGoals(recorded, LatchRulesOf(resource), goals);
  AddGoals(recorded, goals);
  AddLimitGoals(recorded, goals);
  if (AskedLate(recorded)) goals.Add(Goal::kAskedAfterValidity);
  if (resource.traits.quorum) AddQuorumGoals(recorded, resource.history, goals);
}

void AddAnswerGoals(const Attempt& attempt, bool contended, GoalSet& goals) {
  if (contended) goals.Add(Goal::kContended);
  if (attempt.answered == kOpen) return;
  const bool waits = attempt.ask != Ask::kTry;
  if (attempt.answer == StatusCode::kOk && waits && contended) goals.Add(Goal::kWaiterGranted);
  if (attempt.answer == StatusCode::kNotAcquired) goals.Add(Goal::kRefused);
  if (attempt.answer == StatusCode::kTimeout) {
    goals.Add(waits ? Goal::kWaiterTimedOut : Goal::kRefused);
  }
  if (IsUnknown(attempt.answer)) goals.Add(Goal::kUnknownOutcome);
}

PerJudged<bool> Exercised(const History& history, const harness::Traits& traits,
                          const GoalSet& goals) {
  PerJudged<bool> exercised;
  for (const Property* property : AllProperties()) {
    if (!property->IsOf(traits.kind)) continue;
    const WasExercised was = property->ReadingOf(traits.kind).exercised;
    exercised[*property->judged] = was({history, traits, goals});
  }
  return exercised;
}

}  // namespace interlock::scenarios
