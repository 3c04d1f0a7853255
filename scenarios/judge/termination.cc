// SPDX-License-Identifier: MIT
#include "scenarios/judge/termination.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "scenarios/judge/judged_resource.h"
#include "scenarios/judge/outside.h"
#include "scenarios/judge/property.h"
#include "scenarios/judge/violated.h"
#include "scenarios/log/words.h"

namespace interlock::scenarios {
namespace {

/// A try does not wait, so it is due when it is made.
VirtualTime DeadlineOf(const Attempt& attempt) {
  return attempt.ask == Ask::kTry ? attempt.asked : attempt.wanted_until();
}

/// The overrun counts from the deadline, or from the end of the faults if the client felt any: each
/// of them may cost the lock a timeout and a clean-up.
VirtualTime CountedFrom(const History& history, const Attempt& attempt) {
  VirtualTime from = DeadlineOf(attempt);
  for (const Disturbance& fault : history.disturbances) {
    if (fault.client != attempt.client || fault.at > attempt.answered) continue;
    from = std::max({from, fault.at, history.last_fault});
  }
  return from;
}

Duration BoundOf(const History& history, const Attempt& attempt, const TerminationBounds& bounds) {
  const bool met = AnyMet(history.disturbances, attempt.client, {}, attempt.answered);
  if (met) return bounds.overrun;
  if (attempt.stopped < attempt.deadline) return bounds.stop + kMessagesOfAStop * history.latency;
  if (bounds.overrun < kWithTimeOuts) return bounds.overrun;
  return kLastNap + history.lease / 4;
}

std::int64_t GrantsToOthers(const History& history, const Attempt& attempt, VirtualTime until) {
  return std::ranges::count_if(history.holds, [&](const ClientHold& hold) {
    const VirtualTime from = hold.told_at();
    return hold.client != attempt.client && attempt.asked <= from && from <= until;
  });
}

void JudgeStoppedBefore(const History& history, std::vector<Violation>& violations) {
  for (const Attempt& attempt : history.attempts) {
    const bool told = attempt.stopped_before && attempt.answer == StatusCode::kStopped;
    if (!told || attempt.answered == kOpen || attempt.commands == 0) continue;
    violations.push_back(Violated(Judged::kTermination, attempt.answered, attempt.client,
                                  "{} asked at {} for what had been stopped before, was told "
                                  "\"stopped\", and has sent {} commands",
                                  ClientName(attempt.client), attempt.asked, attempt.commands));
    return;
  }
}

}  // namespace

TerminationBounds BoundsOf(const harness::Subject& subject, const harness::LockOptions& options) {
  return {subject.OverrunBound(options), subject.StopBound(options), subject.traits().renews};
}

void JudgeTermination(const History& history, const TerminationBounds& bounds,
                      std::vector<Violation>& violations) {
  if (!bounds.renews) JudgeStoppedBefore(history, violations);
  std::optional<Violation> first;
  for (const Attempt& attempt : history.attempts) {
    const VirtualTime deadline = DeadlineOf(attempt);
    if (deadline == kOpen || Died(history, attempt.client)) continue;
    const Duration bound = BoundOf(history, attempt, bounds);
    const VirtualTime due = CountedFrom(history, attempt) + bound;
    if (std::min(attempt.answered, history.end) <= due) continue;
    const bool stood_still =
        AnyMet(history.pauses, attempt.client, attempt.asked, attempt.answered);
    if (stood_still) continue;
    const bool open = attempt.answered == kOpen;
    KeepEarlier(
        Violated(
            Judged::kTermination, due, attempt.client,
            "{} {} {} and {} {}; {} after it, or after a fault that lasts longer, is the bound",
            ClientName(attempt.client),
            attempt.stopped < attempt.deadline ? "was stopped at" : "asked with a deadline of",
            deadline, open ? "has no answer at" : "was answered at",
            open ? history.end : attempt.answered, bound),
        first);
  }
  if (first.has_value()) violations.push_back(std::move(*first));
}

std::int64_t MostCommands(std::int64_t commands_per_lease, Duration lease, Duration waited,
                          std::int64_t grants) {
  const std::int64_t leases = waited / lease + 1;
  return leases * commands_per_lease + grants * kCommandsPerGrant;
}

namespace {

/// What a client has been asked by one call, and how many commands it sent for that.
struct Call {
  int client = 0;
  VirtualTime asked{};
  VirtualTime until{};  ///< its answer, or the end of the run or the client
  std::int64_t commands = 0;
  std::int64_t grants = 0;        ///< to others meanwhile
  std::string_view purpose = {};  ///< empty: to acquire
};

template <typename Visit>
void ForEachCall(const History& history, const Visit& visit) {
  const auto end_of = [&](int client, VirtualTime asked, VirtualTime answered) {
    return std::min({answered, history.end, DiedAt(history, client, asked)});
  };
  for (const Attempt& one : history.attempts) {
    const VirtualTime until = end_of(one.client, one.asked, one.answered);
    visit(Call{one.client, one.asked, until, one.commands, GrantsToOthers(history, one, until)});
  }
  for (const ClientHold& one : history.holds) {
    if (one.release_called == kOpen) continue;
    const VirtualTime until = end_of(one.client, one.release_called, one.release_returned);
    visit(Call{one.client, one.release_called, until, one.release_commands, 0, " to release"});
  }
  for (const Renewal& one : history.renewals) {
    const VirtualTime until = end_of(one.client, one.called, one.answered);
    visit(Call{one.client, one.called, until, one.commands, 0, " to extend"});
  }
}

}  // namespace

void JudgeStorm(const History& history, std::int64_t commands_per_lease,
                std::vector<Violation>& violations) {
  std::optional<Violation> worst;
  std::int64_t worst_excess = 0;
  ForEachCall(history, [&](const Call& call) {
    const Duration took = std::max(call.until - call.asked, Duration{});
    const std::int64_t most = MostCommands(commands_per_lease, history.lease, took, call.grants);
    if (call.commands - most <= worst_excess) return;
    worst_excess = call.commands - most;
    worst = Violated(Judged::kTermination, call.until, call.client,
                     "{} sent {} commands{} from {} until {} while {} others were granted; the "
                     "bound is {} = {} for each lease of {} that has begun + {} for each grant",
                     ClientName(call.client), call.commands, call.purpose, call.asked, call.until,
                     call.grants, most, commands_per_lease, history.lease, kCommandsPerGrant);
  });
  if (worst.has_value()) violations.push_back(std::move(*worst));
}

std::string WhyStepsRanOut(const History& history, std::uint64_t steps, std::uint64_t executed) {
  // A command is some ten steps, with the look at the clock before it and the sleep behind it.
  constexpr std::uint64_t kStepsPerCommand = 100;
  if (steps > kStepsPerCommand * executed) {
    return fmt::format(
        "the step limit was reached at {}: {} steps, while the servers executed no more than {} "
        "commands. Does a client look at its clock, or at an event, in a loop? No time passes "
        "while it does: let it sleep, or wait until the deadline",
        Instant(history.end), steps, executed);
  }
  std::int64_t commands = 0;
  for (const Attempt& attempt : history.attempts) commands += attempt.commands;
  return fmt::format(
      "the step limit was reached at {}: {} requests sent {} commands, each within "
      "its bound; the run is too long to be judged",
      Instant(history.end), history.attempts.size(), commands);
}

namespace {

/// Scheduling delay to tolerate on a busy machine.
constexpr Duration kMachine = std::chrono::seconds(1);

/// The same history with deadlines later by kMachine.
History WithSpare(const History& history) {
  History later = history;
  for (Attempt& attempt : later.attempts) {
    if (attempt.ask == Ask::kTry) attempt.deadline = attempt.asked;
    attempt.ask = Ask::kWaitFor;
    if (attempt.deadline != kOpen) attempt.deadline += kMachine;
  }
  return later;
}

/// A client that was late has only itself to blame if nothing befell any client.
void JudgeLateAnswers(const SeenFromOutside& of, OutsideVerdict& verdict) {
  const OutsideRules& rules = of.rules;
  if (!rules.calm || !rules.traits.waits || !rules.disturbed.empty()) return;
  std::vector<Violation> late;
  JudgeTermination(WithSpare(of.history), rules.termination, late);
  JudgeStorm(of.history, rules.commands_per_lease, late);
  if (!late.empty()) verdict.violations.push_back(late.front());
}

/// Storms are judged in the row of LK009.
void JudgeTerminationOf(const JudgedResource& of, Violations& found) {
  JudgeTermination(of.history, BoundsOf(of.subject, of.options), found);
}

}  // namespace

constinit const Property kTerminationProperty = {
    .judged = Judged::kTermination,
    .code = "LK015",
    .slug = "termination",
    .name = "termination",
    .headline = "an operation did not end in time",
    .definition =
        "Violated when an operation returns later than its deadline, or a request to stop it, "
        "allows, when a request, a release or an extension sends more commands than its bound "
        "allows, or when nobody is granted anything beyond the computed bound.",
    .scenario = "redis.d3",
    .story =
        "Three clients split the votes of five nodes 2-2-1, all give up, wait for the same fixed "
        "time and split the votes again, without end.",
    .fixes = {"wait a random time between tries, growing with each",
              "pass the deadline down to every single command",
              "release the votes won as soon as the quorum is out of reach"},
    .need = NeedsWaits,
    .assumes = {.clocks = true},
    .judge = JudgeTerminationOf,
    .exercised = Reached<Goal::kWaiterTimedOut, Goal::kWaiterStopped>,
    .from_outside = {.judge = JudgeLateAnswers,
                     .why_hidden = WhyFaultsHide,
                     .shown = [](const SeenFromOutside& of,
                                 const GoalSet&) { return of.rules.calm; }},
    .of_latches = {.judge = JudgeTerminationOf,
                   .exercised = Reached<Goal::kWaiterTimedOut, Goal::kWaiterStopped>,
                   .from_outside = {.why_hidden = WhyDelaysHide}},
};

}  // namespace interlock::scenarios
