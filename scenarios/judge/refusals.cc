// SPDX-License-Identifier: MIT
#include "scenarios/judge/refusals.h"

#include <algorithm>
#include <optional>

#include "scenarios/judge/judged_resource.h"
#include "scenarios/judge/limit.h"
#include "scenarios/judge/outside.h"
#include "scenarios/judge/property.h"
#include "scenarios/judge/violated.h"
#include "scenarios/log/words.h"

namespace interlock::scenarios {
namespace {

/// Time for a request, or its undoing, that may be in flight when its attempt ends.
Duration Travel(const History& history) {
  return std::max(history.lease / 50, 4 * history.latency);
}

bool IsDefinite(const Attempt& attempt) {
  return attempt.answered != kOpen && attempt.answer != StatusCode::kCancelled &&
         attempt.answer != StatusCode::kInvalidArgument &&
         Status(attempt.answer).outcome() == Outcome::kFailure;
}

bool IsRefusal(const Attempt& attempt) {
  return attempt.answer == StatusCode::kNotAcquired || attempt.answer == StatusCode::kTimeout ||
         attempt.answer == StatusCode::kStopped;
}

struct CountChange {
  VirtualTime at{};
  int by = 0;
};

/// Whether at some instant in [from, to] every permit was taken or, for a reader, a writer had it.
bool WasTaken(const History& history, const Attempt& attempt, VirtualTime from) {
  const VirtualTime to = attempt.answered;
  std::vector<CountChange> changes;
  const auto add = [&](VirtualTime begin, VirtualTime end) {
    if (begin > to || end < from) return;
    changes.push_back({std::max(begin, from), 1});
    if (end != kOpen) changes.push_back({end + Duration(1), -1});
  };
  for (const ServerHold& hold : history.server_holds) {
    if (Conflict(attempt, hold)) add(hold.granted, hold.taken_until());
  }
  for (const Interval& blocked : history.blocked) add(blocked.from, blocked.to);
  const bool at_the_server = !history.server_holds.empty() || !history.blocked.empty();
  for (const ClientHold& hold : history.holds) {
    if (at_the_server || !Conflict(attempt, hold)) continue;
    add(hold.asked, std::max(hold.believed_until(), hold.release_returned));
  }
  std::ranges::stable_sort(changes, {}, &CountChange::at);
  const int permits = history.limits.Least(from, to);
  int taken = 0;
  for (const CountChange& change : changes) {
    taken += change.by;
    if (taken >= permits) return true;
  }
  return false;
}

/// Whether somebody else asked in that time, and may have been served or queued earlier. A client
/// that died while asking, or was told "unknown", stays queued until the lock forgets it, even
/// ahead of its own next incarnation. Readers do not block each other.
bool OthersAsked(const History& history, const Attempt& attempt, VirtualTime from) {
  for (const Attempt& other : history.attempts) {
    if (&other == &attempt || other.asked > attempt.answered) continue;
    if (!Conflict(attempt, other)) continue;
    if (other.answered == kOpen) return true;
    if (other.client != attempt.client && other.answered >= from) return true;
    if (IsUnknown(other.answer)) return true;
  }
  return false;
}

/// Whether the request's part at the other resource, if any, was unopposed.
bool WasFreeBeside(const History* beside, const Attempt& attempt, VirtualTime from) {
  if (beside == nullptr) return true;
  return std::ranges::none_of(beside->attempts, [&](const Attempt& part) {
    const bool of_it = part.beside && part.client == attempt.client && part.asked == attempt.asked;
    return of_it && (OthersAsked(*beside, part, from) || WasTaken(*beside, part, from));
  });
}

bool WasFree(const History& history, const Attempt& attempt, const History* beside) {
  if (attempt.beside) return false;       // the other resource was the one taken
  if (!IsRefusal(attempt)) return false;  // "not reached" says nothing about the resource
  const Duration travel = Travel(history);
  // An attempt that gives up before an answer can arrive was not refused.
  const VirtualTime until = attempt.wanted_until();
  if (until != kOpen && until - attempt.asked < 4 * travel) return false;
  const VirtualTime from = attempt.asked - travel;
  return !WasDisturbed(history, attempt) && !OthersAsked(history, attempt, from) &&
         !WasTaken(history, attempt, from) && WasFreeBeside(beside, attempt, from);
}

/// The client's clock jumped, so messages in flight were late by that clock.
bool IsOfAJump(const History& history, const Delay& delay) {
  return std::ranges::any_of(history.disturbances, [&](const Disturbance& fault) {
    return fault.client == delay.client && fault.unheard && fault.at == delay.interval.from;
  });
}

/// Whether it may come from an earlier attempt of the client that ended unknown or was delayed, or
/// from this one after its client's clock jumped and it had given up and cleaned up.
bool MayBeOfAnEarlierAttempt(const History& history, const ServerHold& entry,
                             const Attempt& attempt) {
  for (const Delay& delay : history.delays) {
    const bool before = delay.interval.from <= attempt.asked ||
                        (delay.interval.from <= entry.granted && IsOfAJump(history, delay));
    if (delay.client == entry.client && before && entry.granted <= delay.interval.to) {
      return true;
    }
  }
  return std::ranges::any_of(history.attempts, [&](const Attempt& other) {
    return other.client == entry.client && other.asked < attempt.asked && other.answered != kOpen &&
           IsUnknown(other.answer) && other.answered >= entry.granted - Travel(history);
  });
}

/// The entry that this attempt made and left behind.
const ServerHold* LeftBehind(const History& history, const Attempt& attempt) {
  const VirtualTime later = attempt.answered + Travel(history);
  if (DiedAt(history, attempt.client) <= later || history.end <= later) return nullptr;
  for (const ServerHold& entry : history.server_holds) {
    if (entry.copied || entry.waived != kOpen) continue;
    const bool its_own = entry.client == attempt.client && entry.granted >= attempt.asked &&
                         entry.granted <= attempt.answered;
    if (its_own && std::min(entry.ended, entry.surely_until()) > later &&
        !MayBeOfAnEarlierAttempt(history, entry, attempt)) {
      return &entry;
    }
  }
  return nullptr;
}

std::optional<Violation> Judge(const History& history, const Attempt& attempt,
                               const History* beside) {
  if (!IsDefinite(attempt)) return std::nullopt;
  if (const ServerHold* entry = LeftBehind(history, attempt)) {
    return Violated(Judged::kSpuriousRefusal, attempt.answered, attempt.client,
                    "{} was told \"{}\" at {}, though the server had granted at {} and keeps the "
                    "grant until {}",
                    ClientName(attempt.client), attempt.answer, attempt.answered, entry->granted,
                    entry->had_until());
  }
  if (!WasFree(history, attempt, beside)) return std::nullopt;
  return Violated(Judged::kSpuriousRefusal, attempt.answered, attempt.client,
                  "{} asked at {} and was told \"{}\" at {}, though the resource was free all the "
                  "time and nobody else asked",
                  ClientName(attempt.client), attempt.asked, attempt.answer, attempt.answered);
}

/// The hold's entry that a command of its own client changed between call and answer.
const ServerHold* EntryOf(const History& history, const ClientHold& hold) {
  if (hold.token.empty()) return nullptr;
  const ServerHold* found = nullptr;
  for (const ServerHold& entry : history.server_holds) {
    if (entry.IsOf(hold) && !entry.copied) found = &entry;
  }
  return found;
}

/// With a quorum, an operator may have taken the other votes at the same time.
bool HadCompany(const History& history, const ClientHold& hold) {
  return std::ranges::any_of(history.forces, [&](const Force& force) {
    const bool in_vain = force.answered != kOpen && force.answer == StatusCode::kNotOwner;
    return force.token == hold.token && !in_vain && force.called <= hold.release_returned &&
           hold.release_called <= force.answered;
  });
}

/// An extension that is answered at the instant of the release may be what removed the entry then.
bool WasAlsoExtending(const History& history, const ServerHold& entry, const ClientHold& hold) {
  return std::ranges::any_of(history.renewals, [&](const Renewal& renewal) {
    return renewal.client == entry.client && renewal.called <= entry.ended &&
           entry.ended <= renewal.answered && renewal.answered <= hold.release_called;
  });
}

/// "Not owner" for a release that removed the entry.
std::optional<Violation> JudgeRelease(const History& history, const ClientHold& hold) {
  if (hold.release_returned == kOpen || hold.release_status != StatusCode::kNotOwner) {
    return std::nullopt;
  }
  const ServerHold* entry = EntryOf(history, hold);
  if (entry == nullptr || entry->end != ServerHoldEnd::kReleased ||
      entry->ended < hold.release_called || entry->ended > hold.release_returned) {
    return std::nullopt;
  }
  // Without the release it would have expired by then anyway.
  if (entry->surely_until() <= hold.release_returned) return std::nullopt;
  if (WasAlsoExtending(history, *entry, hold)) return std::nullopt;
  if (history.quorum > 1 && HadCompany(history, hold)) return std::nullopt;
  return Violated(Judged::kSpuriousRefusal, hold.release_returned, hold.client,
                  "{}'s release was told \"{}\" at {}, though it had released at {}",
                  ClientName(hold.client), hold.release_status, hold.release_returned,
                  entry->ended);
}

/// "Not owner" for an extend that prolonged the lease.
std::optional<Violation> JudgeRenewal(const Renewal& renewal) {
  if (renewal.answered == kOpen || renewal.answer != StatusCode::kNotOwner) return std::nullopt;
  if (renewal.prolonged == kOpen) return std::nullopt;
  return Violated(Judged::kSpuriousRefusal, renewal.answered, renewal.client,
                  "{}'s extend was told \"{}\" at {}, though it had prolonged the lease at {}",
                  ClientName(renewal.client), renewal.answer, renewal.answered, renewal.prolonged);
}

/// Neither "yes" nor "no", long after the last fault.
bool IsNoAnswer(StatusCode code) {
  return code != StatusCode::kOk && code != StatusCode::kNotAcquired &&
         code != StatusCode::kTimeout && code != StatusCode::kNotOwner &&
         code != StatusCode::kLeaseLost && code != StatusCode::kCancelled &&
         code != StatusCode::kStopped;
}

Violation NotRecovered(std::string_view what, int client, VirtualTime at, StatusCode answer,
                       std::string_view wrong) {
  return Violated(Judged::kSpuriousRefusal, at, client,
                  "{}'s {} was told \"{}\" at {}, {} though all faults had been over for {}",
                  ClientName(client), what, answer, at, wrong, kLongestRecovery);
}

/// Judges the answer to a release that came long after the last fault.
std::optional<Violation> JudgeLateRelease(const History& history, const ClientHold& hold) {
  const VirtualTime at = hold.release_returned;
  if (at == kOpen) return std::nullopt;
  if (IsNoAnswer(hold.release_status)) {
    return NotRecovered("release", hold.client, at, hold.release_status, "which is no answer,");
  }
  const bool denied =
      hold.release_status == StatusCode::kNotOwner || hold.release_status == StatusCode::kLeaseLost;
  const ServerHold* entry = denied ? EntryOf(history, hold) : nullptr;
  if (entry == nullptr || std::min(entry->ended, entry->surely_until()) <= at) {
    return std::nullopt;
  }
  return NotRecovered("release", hold.client, at, hold.release_status, "while it was the owner,");
}

}  // namespace

bool IsPastRecovery(const History& history, const Attempt& attempt) {
  if (history.healed == kOpen || attempt.asked < history.healed + kLongestRecovery) return false;
  const auto earlier = std::ranges::count_if(history.attempts, [&](const Attempt& other) {
    return other.client == attempt.client && other.asked >= history.healed &&
           other.asked < attempt.asked;
  });
  return earlier >= kExcused;
}

bool WasDisturbed(const History& history, const Attempt& attempt) {
  // An earlier fault can have broken the connection it uses, if it used any.
  const bool asked_nobody = attempt.commands == 0 && attempt.answer == StatusCode::kNotAcquired;
  VirtualTime since = asked_nobody ? attempt.asked - history.lease : VirtualTime{};
  if (IsPastRecovery(history, attempt)) since = history.healed;
  return AnyMet(history.disturbances, attempt.client, since, attempt.answered);
}

void JudgePatience(const History& history, Duration wake_up_bound,
                   std::vector<Violation>& violations) {
  std::optional<Violation> first;
  for (const Attempt& attempt : history.attempts) {
    if (attempt.ask == Ask::kTry || attempt.answered == kOpen || !IsRefusal(attempt)) continue;
    const bool in_time = attempt.deadline != kOpen &&
                         attempt.deadline - attempt.answered <= wake_up_bound + Travel(history);
    const bool was_stopped = attempt.stopped <= attempt.answered;
    // No fault stops a wait.
    const bool excused =
        attempt.answer != StatusCode::kStopped && (in_time || WasDisturbed(history, attempt));
    if (was_stopped || excused) continue;
    KeepEarlier(Violated(Judged::kSpuriousRefusal, attempt.answered, attempt.client,
                         "{} asked at {}, would have waited until {}, and was told \"{}\" "
                         "at {}; the lock's own bound for another look is {}",
                         ClientName(attempt.client), attempt.asked, attempt.deadline,
                         attempt.answer, attempt.answered, wake_up_bound),
                first);
  }
  if (first.has_value()) violations.push_back(std::move(*first));
}

void JudgeRecovery(const History& history, std::vector<Violation>& violations) {
  std::optional<Violation> first;
  for (const Attempt& attempt : history.attempts) {
    if (!IsPastRecovery(history, attempt)) continue;
    // A different limit, or a latch that is gone, is judged where that is known.
    const bool by_rule = attempt.answer == StatusCode::kInvalidArgument &&
                         (history.limits.kept() || history.short_lived);
    if (attempt.answered != kOpen && IsNoAnswer(attempt.answer) && !by_rule) {
      KeepEarlier(NotRecovered("request", attempt.client, attempt.answered, attempt.answer,
                               "which is no answer,"),
                  first);
    }
    for (const ClientHold& hold : history.holds) {
      if (hold.client != attempt.client || hold.asked != attempt.asked) continue;
      KeepEarlier(JudgeLateRelease(history, hold), first);
    }
  }
  if (first.has_value()) violations.push_back(std::move(*first));
}

void JudgeRefusals(const History& history, std::vector<Violation>& violations,
                   const History* beside) {
  std::optional<Violation> of_holds;
  for (const ClientHold& hold : history.holds) KeepEarlier(JudgeRelease(history, hold), of_holds);
  for (const Renewal& renewal : history.renewals) KeepEarlier(JudgeRenewal(renewal), of_holds);
  if (of_holds.has_value()) violations.push_back(std::move(*of_holds));
  std::optional<Violation> first;
  for (const Attempt& attempt : history.attempts) {
    KeepEarlier(Judge(history, attempt, beside), first);
  }
  if (first.has_value()) violations.push_back(std::move(*first));
}

namespace {

/// Nothing excuses a client that gave up too early.
void JudgePatienceFromOutside(const SeenFromOutside& of, OutsideVerdict& verdict) {
  if (!of.rules.calm || !of.rules.traits.waits) return;
  JudgePatience(of.history, of.rules.wake_up_bound, verdict.violations);
}

}  // namespace

constinit const Property kSpuriousRefusalProperty = {
    .judged = Judged::kSpuriousRefusal,
    .code = "LK010",
    .slug = "spurious-refusal",
    .name = "spurious refusal",
    .headline = "refused a lock that was free, or was granted",
    .definition =
        "Violated when a client gets a definite refusal although the resource was free all the "
        "time, although its request was executed and not undone, or although it was to wait and "
        "there was time for another look; when it is told of another limit that was not in force; "
        "and when all faults have been over for a minute and it still gets no answer.",
    .scenario = "redis.d7",
    .story =
        "The server executes the SET and the reply is lost. The client reports \"not acquired\" "
        "and forgets its token; the resource is locked by nobody until the TTL.",
    .fixes = {"keep three outcomes apart: done, not done, unknown",
              "after an unknown acquire remove your own token, compared in a script",
              "never turn a timeout into a refusal"},
    .need = NeedsOwnership,
    .assumes = {.clocks = true, .writes = true},
    .judge =
        [](const JudgedResource& of, Violations& found) {
          JudgeRefusals(of.history, found, of.taken_with);
          JudgeRecovery(of.history, found);
          JudgeLimit(of.history, found);
          if (!of.traits.waits) return;
          JudgePatience(of.history, of.rules.wake_up_bound, found);
        },
    .exercised = Reached<Goal::kRefused, Goal::kWaiterTimedOut, Goal::kWentOn>,
    .from_outside = {.judge = JudgePatienceFromOutside,
                     .why_hidden = WhyFaultsHide,
                     .shown = [](const SeenFromOutside& of,
                                 const GoalSet&) { return of.rules.calm; }},
    .of_latches = {.headline = "refused to let through, or to count",
                   .definition = "Violated when a wait is refused at a latch that is known to be "
                                 "open, or a count down is not acknowledged, to a client that no "
                                 "fault has met.",
                   .fix = "look at the count before anything else, and once more when the time is "
                          "up",
                   .judge =
                       [](const JudgedResource& of, Violations& found) {
                         JudgeRecovery(of.history, found);
                         JudgePatience(of.history, of.rules.wake_up_bound, found);
                       },
                   .exercised = Reached<Goal::kAwaitedOpen>,
                   .from_outside = {.why_hidden = WhyDelaysHide}},
};

}  // namespace interlock::scenarios
