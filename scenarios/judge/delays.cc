// SPDX-License-Identifier: MIT
#include "scenarios/judge/outside.h"

#include <algorithm>
#include <chrono>

#include "scenarios/judge/latch.h"
#include "scenarios/judge/progress.h"

namespace interlock::scenarios {
namespace {

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
History WithPossibleHolds(const History& history, bool renews) {
  History possible = history;
  possible.server_holds.clear();
  for (const Attempt& attempt : history.attempts) {
    const VirtualTime died = DiedAt(history, attempt.client, attempt.asked);
    const bool unknown = IsUnknown(attempt.answer);
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
    if (renews) {
      // It renews until its client is done with it.
      const VirtualTime until =
          std::min(hold.used_until(), DiedAt(history, hold.client, hold.asked));
      possible.server_holds.push_back(Possible(hold, hold.told_at(), std::min(until, history.end)));
    }
    if (hold.release_returned == kOpen || gone) continue;
    possible.server_holds.push_back(Possible(hold, hold.told_at(), hold.release_returned));
  }
  return possible;
}

/// Whether some client was told, when all faults were over, that the server could not be asked:
/// delays are then not the lock's fault.
bool ServerWasAway(const History& history) {
  const auto away = [](StatusCode code) {
    return code == StatusCode::kUnavailable || IsUnknown(code);
  };
  const auto in_calm = [&](VirtualTime at) { return at != kOpen && at >= history.last_fault; };
  return std::ranges::any_of(history.attempts,
                             [&](const Attempt& attempt) {
                               return in_calm(attempt.answered) && away(attempt.answer);
                             }) ||
         std::ranges::any_of(history.holds, [&](const ClientHold& hold) {
           return in_calm(hold.release_returned) && away(hold.release_status);
         });
}

/// Adds the delays, unless they may be the machine's or the server's doing.
void AddDelays(const std::vector<Violation>& late, const History& history,
               const OutsideRules& rules, OutsideVerdict& verdict) {
  std::string excuse = rules.disturbed;
  if (excuse.empty() && ServerWasAway(history)) excuse = "the server did not answer a client";
  if (excuse.empty()) {
    verdict.violations.insert(verdict.violations.end(), late.begin(), late.end());
    return;
  }
  for (const Violation& violation : late) verdict.undecided[violation.property] = excuse;
}

}  // namespace

void JudgeDelays(const SeenFromOutside& of, OutsideVerdict& verdict) {
  if (of.rules.partial) return;
  std::vector<Violation> late;
  // Only a forgotten waiter is judged: the time that it takes to serve a queue depends on the
  // machine, too.
  constexpr Duration kAnyUse = std::chrono::hours(24);
  JudgeProgress(WithPossibleHolds(of.history, of.rules.traits.renews),
                {of.rules.wake_up_bound, kAnyUse}, late);
  AddDelays(late, of.history, of.rules, verdict);
}

void JudgeLatchFromOutside(const SeenFromOutside& of, OutsideVerdict& verdict) {
  const OutsideRules& rules = of.rules;
  std::vector<Violation> all;
  JudgeLatch(of.history, {rules.parties, rules.wake_up_bound, rules.forgetful}, true, all);
  std::vector<Violation> late;
  for (const Violation& violation : all) {
    if (violation.property == Judged::kServerExclusion) verdict.violations.push_back(violation);
    if (violation.property == Judged::kDeadlock) late.push_back(violation);
  }
  AddDelays(late, of.history, rules, verdict);
}

}  // namespace interlock::scenarios
