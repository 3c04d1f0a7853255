// SPDX-License-Identifier: MIT
#include "scenarios/run/processes/judge.h"

#include <algorithm>

#include <fmt/format.h>

#include "scenarios/judge/exclusion.h"
#include "scenarios/judge/exercised.h"
#include "scenarios/judge/keys.h"
#include "scenarios/judge/latch.h"
#include "scenarios/judge/progress.h"
#include "scenarios/judge/words.h"
#include "scenarios/run/processes/claims.h"

namespace interlock::scenarios::real {
namespace {

const Violation* FindIn(const std::vector<Violation>& violations, Judged property) {
  const auto found =
      std::find_if(violations.begin(), violations.end(),
                   [&](const Violation& violation) { return violation.property == property; });
  return found == violations.end() ? nullptr : &*found;
}

/// The history with its sections cut where the validity ended, because a client that was late to
/// leave no longer held anything.
History WithSectionsCut(const History& history) {
  History cut = history;
  for (ClientHold& hold : cut.holds) {
    if (!hold.entered()) continue;
    hold.section.to = std::min(hold.section.to, hold.belief.back().to);
  }
  return cut;
}

void JudgeBeliefsAndSections(const History& history, bool semaphore, RealVerdict& verdict) {
  JudgeExclusion(WithSectionsCut(history), semaphore, verdict.violations);
  const Judged section = semaphore ? Judged::kPermitsSection : Judged::kSectionExclusion;
  if (FindIn(verdict.violations, section) != nullptr) return;
  std::vector<Violation> uncut;
  JudgeExclusion(history, semaphore, uncut);
  if (const Violation* late = FindIn(uncut, section)) {
    verdict.undecided[section] =
        late->what + "; but one of them was late to leave, after its lease";
  }
}

/// Another client's proven hold that conflicts with this one at one instant, beyond the permits.
const ServerHold* Intruder(const History& history, const ServerHold& entering) {
  const Interval own = ProvenHold(entering);
  if (own.from >= own.to) return nullptr;
  int inside = 0;
  const ServerHold* met = nullptr;
  for (const ServerHold& other : history.server_holds) {
    const Interval held = ProvenHold(other);
    if (other.client == entering.client || held.from > own.from || own.from >= held.to) continue;
    if (!Conflict(entering, other)) continue;
    ++inside;
    met = &other;
  }
  return inside >= history.limits.Least() ? met : nullptr;
}

/// Counts the holds that conflict with the request. Proven holds are open intervals: at its very
/// ends no hold counts.
int HoldsOfOthersAt(const History& history, const Attempt& attempt, VirtualTime at) {
  return static_cast<int>(std::count_if(
      history.server_holds.begin(), history.server_holds.end(), [&](const ServerHold& other) {
        const Interval held = ProvenHold(other);
        return other.client != attempt.client && Conflict(attempt, other) && held.from < at &&
               at < held.to;
      }));
}

/// Whether others held everything at every instant from the call to the return.
bool GrantedWhileTaken(const History& history, const Attempt& attempt) {
  const auto full = [&](VirtualTime at) {
    return HoldsOfOthersAt(history, attempt, at) >= history.limits.Least();
  };
  if (!full(attempt.asked) || !full(attempt.answered)) return false;
  const auto covers = [&](VirtualTime at) {
    return at < attempt.asked || at > attempt.answered || full(at);
  };
  return std::all_of(history.server_holds.begin(), history.server_holds.end(),
                     [&](const ServerHold& other) {
                       const Interval held = ProvenHold(other);
                       return covers(held.from) && covers(held.to);
                     });
}

void JudgeServer(const History& history, bool semaphore, std::vector<Violation>& violations) {
  const Judged property = semaphore ? Judged::kPermitsServer : Judged::kServerExclusion;
  std::vector<Violation> found;
  for (const ServerHold& hold : history.server_holds) {
    const ServerHold* other = Intruder(history, hold);
    if (other == nullptr) continue;
    found.push_back(
        {property, hold.granted, hold.client,
         fmt::format("{} was granted at {}, while {} is proven to have held from {} "
                     "until {}",
                     ClientName(hold.client), Instant(hold.granted), ClientName(other->client),
                     Instant(other->granted), Instant(ProvenHold(*other).to))});
  }
  for (const Attempt& attempt : history.attempts) {
    const bool granted = attempt.answered != kOpen && attempt.answer == StatusCode::kOk;
    if (!granted || !GrantedWhileTaken(history, attempt)) continue;
    found.push_back({property, attempt.answered, attempt.client,
                     fmt::format("{} asked at {} and was granted at {}; all that time others are "
                                 "proven to have held",
                                 ClientName(attempt.client), Instant(attempt.asked),
                                 Instant(attempt.answered))});
  }
  const auto earliest =
      std::min_element(found.begin(), found.end(),
                       [](const Violation& a, const Violation& b) { return a.at < b.at; });
  if (earliest != found.end()) violations.push_back(*earliest);
}

/// `of` is a request or a hold.
template <typename T>
ServerHold Possible(const T& of, VirtualTime from, VirtualTime until) {
  ServerHold hold;
  hold.client = of.client;
  hold.shared = of.shared;
  hold.granted = from;
  hold.renewed = until;  // the oracle adds a lease to it
  return hold;
}

/// The history with the holds that the server may have without any client's knowledge: the resource
/// is not proven free then.
History WithPossibleHolds(const History& history) {
  History possible = history;
  possible.server_holds.clear();
  for (const Attempt& attempt : history.attempts) {
    const VirtualTime died = DiedAt(history, attempt.client);
    const bool unknown = Status(attempt.answer).outcome() == Outcome::kUnknown;
    if (attempt.answered == kOpen && died != kOpen) {
      possible.server_holds.push_back(Possible(attempt, attempt.asked, died));
    } else if (attempt.answered != kOpen && unknown) {
      possible.server_holds.push_back(Possible(attempt, attempt.asked, attempt.answered));
    }
  }
  for (const ClientHold& hold : history.holds) {
    const bool gone = hold.release_status == StatusCode::kOk ||
                      hold.release_status == StatusCode::kNotOwner ||
                      hold.release_status == StatusCode::kLeaseLost;
    if (hold.release_returned == kOpen || gone) continue;
    possible.server_holds.push_back(
        Possible(hold, hold.belief.front().from, hold.release_returned));
  }
  return possible;
}

/// Whether some client was told, when all faults were over, that the server could not be asked:
/// delays are then not the lock's fault.
bool ServerWasAway(const History& history) {
  const auto away = [](StatusCode code) {
    return code == StatusCode::kUnavailable || Status(code).outcome() == Outcome::kUnknown;
  };
  const auto in_calm = [&](VirtualTime at) { return at != kOpen && at >= history.last_fault; };
  return std::any_of(history.attempts.begin(), history.attempts.end(),
                     [&](const Attempt& attempt) {
                       return in_calm(attempt.answered) && away(attempt.answer);
                     }) ||
         std::any_of(history.holds.begin(), history.holds.end(), [&](const ClientHold& hold) {
           return in_calm(hold.release_returned) && away(hold.release_status);
         });
}

/// Adds the delays, unless they may be the machine's or the server's doing.
void AddDelays(const std::vector<Violation>& late, const History& history, const RealRules& rules,
               RealVerdict& verdict) {
  std::string excuse = rules.disturbed;
  if (excuse.empty() && ServerWasAway(history)) excuse = "the server did not answer a client";
  if (excuse.empty()) {
    verdict.violations.insert(verdict.violations.end(), late.begin(), late.end());
    return;
  }
  for (const Violation& violation : late) verdict.undecided[violation.property] = excuse;
}

void JudgeDelays(const History& history, const RealRules& rules, RealVerdict& verdict) {
  std::vector<Violation> late;
  // Only a forgotten waiter is judged: the time that it takes to serve a queue depends on the
  // machine, too.
  constexpr Duration kAnyUse = std::chrono::hours(24);
  JudgeProgress(WithPossibleHolds(history), {rules.wake_up_bound, kAnyUse}, late);
  AddDelays(late, history, rules, verdict);
}

/// Judges no refusals, about which real runs tell nothing.
void JudgeLatchOf(const History& history, const RealRules& rules, RealVerdict& verdict) {
  const LatchRules of_latch{rules.parties, rules.wake_up_bound, rules.forgetful};
  std::vector<Violation> all;
  JudgeLatch(history, of_latch, true, all);
  std::vector<Violation> late;
  for (const Violation& violation : all) {
    if (violation.property == Judged::kServerExclusion) verdict.violations.push_back(violation);
    if (violation.property == Judged::kDeadlock) late.push_back(violation);
  }
  AddDelays(late, history, rules, verdict);
  AddLatchGoals(history, of_latch, verdict.goals);
  verdict.exercised = Exercised(history, rules.traits, verdict.goals);
}

void JudgeLockOf(const RealHistory& history, const RealRules& rules, RealVerdict& verdict) {
  JudgeServer(history, rules.traits.semaphore, verdict.violations);
  JudgeBeliefsAndSections(history, rules.traits.semaphore, verdict);
  JudgeDelays(history, rules, verdict);
  JudgeClaims(history, rules, verdict.violations);
  verdict.goals = RealGoals(history);
  verdict.exercised = Exercised(history, rules.traits, verdict.goals);
  // Neither the order of a queue nor what a request prolongs is seen from outside.
  verdict.exercised[Judged::kOrder] = false;
  verdict.exercised[Judged::kForeignExtend] = verdict.goals.Has(Goal::kExtendAfterLoss);
  // A property that nobody could look at was not exercised.
  for (const Judged property : {Judged::kForeignRelease, Judged::kForeignExtend}) {
    verdict.exercised[property] = verdict.exercised[property] && EndsAreSure(rules);
    verdict.undecided[property] = rules.disturbed;
  }
  for (const Judged property : {Judged::kSpuriousRefusal, Judged::kTermination}) {
    verdict.exercised[property] = verdict.exercised[property] && rules.calm;
  }
}

/// Whether another client surely held at some time between call and return.
bool IsContended(const History& history, const Attempt& attempt) {
  return std::any_of(history.server_holds.begin(), history.server_holds.end(),
                     [&](const ServerHold& other) {
                       const Interval held = ProvenHold(other);
                       return other.client != attempt.client && Conflict(attempt, other) &&
                              held.from < attempt.answered && attempt.asked < held.to;
                     });
}

void AddAttemptGoals(const History& history, GoalSet& goals) {
  for (const Attempt& attempt : history.attempts) {
    const bool contended = IsContended(history, attempt);
    if (contended) goals.Add(Goal::kContended);
    if (attempt.answered == kOpen) continue;
    const bool waits = attempt.ask != Ask::kTry;
    if (attempt.answer == StatusCode::kOk && waits && contended) goals.Add(Goal::kWaiterGranted);
    if (attempt.answer == StatusCode::kNotAcquired) goals.Add(Goal::kRefused);
    if (attempt.answer == StatusCode::kTimeout) {
      goals.Add(waits ? Goal::kWaiterTimedOut : Goal::kRefused);
    }
    if (Status(attempt.answer).outcome() == Outcome::kUnknown) goals.Add(Goal::kUnknownOutcome);
  }
}

/// Whether somebody else had been granted what the hold had lost by the time it was released.
bool ReleasedAnothers(const RealHistory& history, std::size_t index) {
  const ClientHold& hold = history.holds[index];
  const VirtualTime over = LatestEnd(history, history.server_holds[index]);
  if (hold.release_called == kOpen || hold.release_called <= over) return false;
  return std::any_of(history.server_holds.begin(), history.server_holds.end(),
                     [&](const ServerHold& other) {
                       return other.client != hold.client && other.granted < hold.release_called &&
                              hold.release_returned < ProvenHold(other).to;
                     });
}

void AddLateGoals(const RealHistory& history, GoalSet& goals) {
  for (std::size_t i = 0; i < history.holds.size(); ++i) {
    if (ReleasedAnothers(history, i)) goals.Add(Goal::kReleaseOfLostLease);
  }
  if (history.asked_late) goals.Add(Goal::kAskedAfterValidity);
  if (std::any_of(history.renewals.begin(), history.renewals.end(),
                  [](const Renewal& renewal) { return renewal.called > renewal.promised_until; })) {
    goals.Add(Goal::kExtendAfterLoss);
  }
}

}  // namespace

const Violation* RealVerdict::Find(Judged property) const { return FindIn(violations, property); }

GoalSet RealGoals(const RealHistory& history) {
  GoalSet goals;
  AddLateGoals(history, goals);
  AddAttemptGoals(history, goals);
  VirtualTime first_death = kOpen;
  for (std::size_t i = 0; i < history.holds.size(); ++i) {
    const ClientHold& hold = history.holds[i];
    const ServerHold& promise = history.server_holds[i];
    const VirtualTime died = DiedAt(history, hold.client);
    if (died != kOpen && died < std::min(hold.release_called, promise.promised_until)) {
      goals.Add(Goal::kCrashWhileHolding);
      if (hold.entered() && died <= hold.section.to) goals.Add(Goal::kCrashInSection);
      first_death = std::min(first_death, died);
    }
    // The lease counts from the latest instant at which the server can have started it.
    const bool lost = hold.release_status == StatusCode::kNotOwner ||
                      hold.release_status == StatusCode::kLeaseLost;
    if (hold.release_called != kOpen && lost &&
        hold.release_called > promise.renewed + history.lease) {
      goals.Add(Goal::kLeaseExpiredWhileHeld);
    }
    if (promise.renewed > promise.granted) goals.Add(Goal::kExtended);
  }
  for (const ClientHold& hold : history.holds) {
    if (hold.belief.front().from > first_death) goals.Add(Goal::kRecoveredAfterCrash);
  }
  return goals;
}

RealVerdict JudgeReal(const RealHistory& history, const RealRules& rules,
                      const std::vector<sim::redis::Server::KeyInfo>& keys) {
  RealVerdict verdict;
  rules.parties > 0 ? JudgeLatchOf(history, rules, verdict) : JudgeLockOf(history, rules, verdict);
  constexpr std::int64_t kNow = 0;  // the keys' times to live are counted from the look at them
  JudgeLeftovers(keys, kNow, rules.key_limits, history, verdict.violations);
  std::stable_sort(verdict.violations.begin(), verdict.violations.end(),
                   [](const Violation& a, const Violation& b) { return a.at < b.at; });
  return verdict;
}

}  // namespace interlock::scenarios::real
