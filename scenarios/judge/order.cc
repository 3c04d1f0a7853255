// SPDX-License-Identifier: MIT
#include "scenarios/judge/order.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "scenarios/cases/kind_model.h"
#include "scenarios/judge/judged_resource.h"
#include "scenarios/judge/property.h"
#include "scenarios/judge/violated.h"
#include "scenarios/log/forced.h"
#include "scenarios/log/words.h"

namespace interlock::scenarios {
namespace {

/// When the server granted what the attempt was told it has; kOpen: it was not granted.
VirtualTime GrantedAt(const History& history, const Attempt& attempt) {
  if (attempt.answered == kOpen || attempt.answer != StatusCode::kOk) return kOpen;
  for (const ServerHold& entry : history.server_holds) {
    if (entry.client != attempt.client || entry.copied) continue;
    if (attempt.asked <= entry.granted && entry.granted <= attempt.answered) return entry.granted;
  }
  return kOpen;
}

/// Until when the attempt was surely queued.
VirtualTime InLineUntil(const History& history, const Attempt& attempt) {
  const VirtualTime granted = GrantedAt(history, attempt);
  VirtualTime until = granted != kOpen ? granted : std::min(attempt.answered, history.end);
  // A waiter about to give up leaves the queue slightly early, by its own clock. A last look may
  // still find the resource free.
  if (attempt.deadline != kOpen) {
    const Duration wait = attempt.deadline - attempt.asked;
    const Duration leaving = 8 * history.latency + wait / 64 + std::chrono::milliseconds(2);
    until = std::min(until, attempt.deadline - leaving);
  }
  return std::min(until, attempt.stopped);
}

/// When the attempt was queued, and again after an operator took its turn away.
std::vector<Interval> PlacesInLine(const History& history, const Attempt& attempt) {
  const VirtualTime until = InLineUntil(history, attempt);
  std::vector<Interval> places = {
      {attempt.queued, std::min(until, TurnTakenAway(history, attempt).from)}};
  if (attempt.queued_again != kOpen) places.push_back({attempt.queued_again, until});
  return places;
}

/// Whether it may have lost its place.
bool WasDisturbedInLine(const History& history, const Attempt& attempt) {
  const VirtualTime died = DiedAt(history, attempt.client, attempt.asked);
  return (died != kOpen && died <= attempt.answered) ||
         AnyMet(history.outages, attempt.client, attempt.asked, attempt.answered) ||
         AnyMet(history.disturbances, attempt.client, attempt.asked, attempt.answered);
}

bool IsJudged(const History& history, const Attempt& attempt) {
  if (attempt.ask == Ask::kTry || attempt.queued == kOpen) return false;
  if (WasDisturbedInLine(history, attempt)) return false;
  // A failed attempt need not have stayed queued to the end.
  return attempt.answered == kOpen || attempt.answer == StatusCode::kOk ||
         attempt.answer == StatusCode::kTimeout || attempt.answer == StatusCode::kNotAcquired ||
         attempt.answer == StatusCode::kStopped;
}

}  // namespace

std::vector<VirtualTime> Overtakings(const History& history, const Attempt& waiter) {
  std::vector<VirtualTime> overtakings;
  if (!IsJudged(history, waiter)) return overtakings;
  for (Interval place : PlacesInLine(history, waiter)) {
    // When several permits come free at once, the first in line may still be entering.
    if (history.limits.Most() > 1) place.to -= 8 * history.latency;
    for (const Attempt& other : history.attempts) {
      if (other.client == waiter.client) continue;
      if (other.queued <= place.from || other.queued >= place.to) continue;
      const VirtualTime granted = GrantedAt(history, other);
      if (granted < place.to) overtakings.push_back(granted);
    }
  }
  std::ranges::sort(overtakings);
  return overtakings;
}

bool WaitedInLine(const History& history) {
  for (const Attempt& waiter : history.attempts) {
    if (!IsJudged(history, waiter)) continue;
    const VirtualTime until = InLineUntil(history, waiter);
    for (const Attempt& other : history.attempts) {
      if (other.client != waiter.client && other.ask != Ask::kTry && waiter.queued < other.queued &&
          other.queued < until) {
        return true;
      }
    }
  }
  return false;
}

void JudgeOrder(const History& history, int bypass_bound, std::vector<Violation>& violations) {
  if (!history.ownership_seen) return;
  const auto bound = static_cast<std::size_t>(std::max(bypass_bound, 0));
  std::optional<Violation> first;
  for (const Attempt& waiter : history.attempts) {
    const std::vector<VirtualTime> overtakings = Overtakings(history, waiter);
    if (overtakings.size() <= bound) continue;
    KeepEarlier(
        Violated(Judged::kOrder, overtakings[bound], waiter.client,
                 "{} stood in line from {} on, and {} later requests were granted before its "
                 "own, the first at {}; the lock declares {} at most",
                 ClientName(waiter.client), waiter.queued, overtakings.size(), overtakings.front(),
                 bypass_bound),
        first);
  }
  if (first.has_value()) violations.push_back(std::move(*first));
}

void JudgePreference(const History& history, std::vector<Violation>& violations) {
  if (!history.ownership_seen) return;
  std::optional<Violation> first;
  for (const Attempt& writer : history.attempts) {
    if (writer.shared || !IsJudged(history, writer)) continue;
    const VirtualTime until = PlacesInLine(history, writer).front().to;
    for (const ServerHold& reader : history.server_holds) {
      if (!reader.shared || reader.copied || reader.client == writer.client) continue;
      if (reader.granted <= writer.queued || reader.granted >= until) continue;
      KeepEarlier(Violated(Judged::kOrder, reader.granted, writer.client,
                           "{} stood in line as a writer from {} on, and {} was let in as a "
                           "reader at {}; the lock says that it prefers writers",
                           ClientName(writer.client), writer.queued, ClientName(reader.client),
                           reader.granted),
                  first);
    }
  }
  if (first.has_value()) violations.push_back(std::move(*first));
}

constinit const Property kOrderProperty = {
    .judged = Judged::kOrder,
    .code = "LK012",
    .slug = "order",
    .name = "order, starvation",
    .headline = "a waiter was overtaken too often",
    .definition =
        "Violated when a live waiter sees more later requests granted before its own than the "
        "lock declares (for a fair lock, any), a lock that prefers writers lets a reader in while "
        "a live writer waits, or a waiter waits beyond the computed bound while others are "
        "granted.",
    .scenario = "redis.d5",
    .story =
        "The holder extends without limit, or a client that has just released asks again at once "
        "and is always faster than the waiters, which must be woken first.",
    .fixes = {"queue the waiters in the server and hand over to the first",
              "release and hand over in one step, so that a newcomer finds the lock taken",
              "limit how often one client may extend or win while others wait"},
    .need =
        [](const Demand& of) {
          return of.traits.waits && (of.shows_ownership || !of.traits.bypass_bound.has_value());
        },
    .assumes = {.clocks = true, .writes = true},
    .judge =
        [](const JudgedResource& of, Violations& found) {
          const auto& bound = of.traits.bypass_bound;
          if (bound.has_value()) JudgeOrder(of.history, *bound, found);
          if (PrefersWriters(of.traits.kind)) JudgePreference(of.history, found);
        },
    .exercised =
        [](const Evidence& of) {
          // Without a declared order only starvation counts, for any waiter.
          return of.traits.bypass_bound.has_value() ? WaitedInLine(of.history)
                                                    : of.goals.Has(Goal::kWaiterGranted);
        },
    .from_outside = {.why_hidden =
                         [](const OutsideSetting&) {
                           return std::string_view("from outside nobody sees who queued first");
                         },
                     .shown = [](const SeenFromOutside&, const GoalSet&) { return false; }},
};

}  // namespace interlock::scenarios
