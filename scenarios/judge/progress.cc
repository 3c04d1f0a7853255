// SPDX-License-Identifier: MIT
#include "scenarios/judge/progress.h"

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "scenarios/judge/judged_resource.h"
#include "scenarios/judge/latch.h"
#include "scenarios/judge/outside.h"
#include "scenarios/judge/property.h"
#include "scenarios/judge/termination.h"
#include "scenarios/judge/violated.h"
#include "scenarios/log/forced.h"
#include "scenarios/log/words.h"

namespace interlock::scenarios {
namespace {

/// Merges, per grant, the time in which the server or its client had it into one span unless there
/// is a gap. A grant without a token stays separate for server and client.
class StretchesInLine {
 public:
  void Add(int client, std::string_view token, Interval interval) {
    if (interval.from >= interval.to) return;
    for (Stretch& other : stretches_) {
      const bool same = !token.empty() && other.client == client && other.token == token;
      if (!same || interval.from > other.interval.to || other.interval.from > interval.to) continue;
      other.interval.from = std::min(other.interval.from, interval.from);
      other.interval.to = std::max(other.interval.to, interval.to);
      return;
    }
    stretches_.push_back({client, token, interval});
  }
  void Reserve(std::size_t count) { stretches_.reserve(count); }
  void AppendTo(std::vector<Interval>& intervals) const {
    intervals.reserve(intervals.size() + stretches_.size());
    for (const Stretch& one : stretches_) intervals.push_back(one.interval);
  }

 private:
  struct Stretch {
    int client;
    std::string_view token;  ///< refers into the history
    Interval interval;
  };
  std::vector<Stretch> stretches_;
};

/// Whether it is a hand-over, still unfetched, to a client that was already dead.
bool CameTooLate(const History& history, const ServerHold& hold) {
  if (hold.made_by == hold.asked_by) return false;
  return std::ranges::any_of(history.deaths, [&](const Death& death) {
    return death.client == hold.asked_by && death.at < hold.granted &&
           death.last_served < hold.granted;
  });
}

/// When writers or, if `for_readers`, readers were kept out. Shared holds do not keep readers out;
/// waiting writers do if the lock prefers them.
std::vector<Interval> TakenIntervals(const History& history, const ProgressRules& rules,
                                     bool for_readers) {
  std::vector<Interval> taken = history.blocked;
  StretchesInLine grants;
  grants.Reserve(history.server_holds.size() + history.holds.size());
  for (const ServerHold& hold : history.server_holds) {
    if (for_readers && hold.shared) continue;
    VirtualTime leased_until = history.leaseless ? kOpen : hold.renewed + history.lease;
    if (rules.passed_over_bound.has_value() && CameTooLate(history, hold)) {
      leased_until = std::min(leased_until, hold.granted + *rules.passed_over_bound);
    }
    grants.Add(hold.client, hold.token,
               {hold.granted, std::min({hold.ended, hold.promised_until, leased_until})});
  }
  for (const ClientHold& hold : history.holds) {
    if (for_readers && hold.shared) continue;
    const VirtualTime dead = DiedAt(history, hold.client, hold.told_at());
    const VirtualTime believed = hold.believed_until();
    // A client that overstays its validity holds only what the server still keeps for it.
    VirtualTime until = believed < hold.release_called ? believed : hold.release_returned;
    until = std::min(until, ForcedOutAt(history, hold));
    if (dead < until) until = std::min(dead, hold.told_at()) + history.lease;
    grants.Add(hold.client, hold.token, {hold.told_at(), until});
  }
  grants.AppendTo(taken);
  if (!for_readers || !history.prefers_writers) return taken;
  for (const Attempt& attempt : history.attempts) {
    if (attempt.shared || attempt.ask == Ask::kTry) continue;
    const VirtualTime dead = DiedAt(history, attempt.client, attempt.asked);
    taken.push_back({attempt.asked, std::min({attempt.answered, dead, history.end})});
  }
  return taken;
}

/// The spans of the whole run, in order, in which surely fewer grants run than permits exist.
std::vector<Interval> FreeIntervals(const std::vector<Interval>& taken, const Limits& limits) {
  std::vector<std::pair<VirtualTime, int>> changes;
  changes.reserve(2 * taken.size() + limits.spans().size());
  for (const Interval& hold : taken) {
    if (hold.from >= hold.to) continue;
    changes.emplace_back(hold.from, 1);
    changes.emplace_back(hold.to, -1);
  }
  for (const Limits::Span& span : limits.spans()) changes.emplace_back(span.from, 0);
  // Intervals are half open: at the same instant ends sort before beginnings.
  std::ranges::sort(changes);
  std::vector<Interval> free;
  int running = 0;
  bool was_free = true;
  VirtualTime since{};
  for (const auto& [at, change] : changes) {
    running += change;
    const bool is_free = running < limits.LeastAfter(at);
    if (was_free && !is_free && at > since) free.push_back({since, at});
    if (!was_free && is_free) since = at;
    was_free = is_free;
  }
  if (was_free) free.push_back({since, kOpen});
  return free;
}

/// Whether the last holder before `at` died holding it.
bool DeadHolderBefore(const History& history, VirtualTime at) {
  VirtualTime latest{-1};
  bool answer = false;
  for (const ServerHold& hold : history.server_holds) {
    if (hold.granted > at || hold.given_back()) continue;
    if (hold.granted > latest) {
      latest = hold.granted;
      answer = Died(history, hold.client >= 0 ? hold.client : hold.asked_by);
    }
  }
  for (const ClientHold& hold : history.holds) {
    const VirtualTime from = hold.told_at();
    if (from > at || hold.release_returned != kOpen) continue;
    if (from > latest) {
      latest = from;
      answer = Died(history, hold.client);
    }
  }
  return answer;
}

class Progress {
 public:
  Progress(const History& history, const ProgressRules& rules) : history_(history), rules_(rules) {}

  /// The first violation that the attempt suffered from `calm` on.
  std::optional<Violation> Judge(const Attempt& attempt, VirtualTime calm) {
    const Interval wait{std::max(attempt.asked, calm), std::min(attempt.answered, history_.end)};
    if (wait.to - wait.from <= LeastBound()) return std::nullopt;
    if (auto forgotten = Forgotten(attempt, wait)) return forgotten;
    // A dead client holds on until its connection is given up, whenever that is.
    return history_.leaseless ? std::nullopt : Starved(attempt, wait);
  }

 private:
  /// Shorter waits are within every bound; nearly all are.
  Duration LeastBound() const {
    const Duration least = std::min(SlowBound(), LivenessBound(TermsAlone()));
    const auto hand_over = rules_.hand_over_bound;
    return hand_over.has_value() ? std::min<Duration>(least, *hand_over + 8 * history_.latency)
                                 : least;
  }

  /// Computed only once somebody has waited for long enough.
  const std::vector<Interval>& Free(bool for_readers) {
    std::optional<std::vector<Interval>>& free = for_readers ? free_for_readers_ : free_;
    if (free) return *free;
    std::vector<Interval> taken = TakenIntervals(history_, rules_, for_readers);
    if (rules_.taken_with != nullptr) {
      const std::vector<Interval> more = TakenIntervals(*rules_.taken_with, rules_, for_readers);
      taken.insert(taken.end(), more.begin(), more.end());
    }
    free = FreeIntervals(taken, history_.limits);
    return *free;
  }

  std::optional<Violation> Forgotten(const Attempt& attempt, const Interval& wait) {
    for (const Interval& free : Free(attempt.shared)) {
      const Interval idle{std::max(free.from, wait.from), std::min(free.to, wait.to)};
      const FreeBound limit = FreeBoundOf(attempt, idle);
      const Duration bound = limit.length();
      if (idle.to - idle.from <= bound) continue;
      // A request that gives a different limit is never let in.
      const int wish = history_.limits.WishOf(attempt.client);
      const VirtualTime from = idle.from + Duration(1);
      if (history_.limits.MayRefuse(wish, from, idle.from + bound)) continue;
      const bool crash = DeadHolderBefore(history_, idle.from);
      return Violated(crash ? Judged::kCrashRecovery : Judged::kDeadlock, idle.from + bound,
                      attempt.client,
                      "{} waited from {} on; the resource was free from {} and still not granted "
                      "at {}{}; the bound is {} = {}",
                      ClientName(attempt.client), attempt.asked, idle.from, idle.to,
                      crash ? " (its last holder had died)" : "", bound, InWords(limit));
    }
    return std::nullopt;
  }

  /// How long the resource may stay free while somebody waits, with its terms.
  struct FreeBound {
    bool without_faults = false;
    Duration hand_over{};
    Duration rest{};  ///< messages, or a retry
    Duration length() const { return hand_over + rest; }
  };

  FreeBound FreeBoundOf(const Attempt& attempt, const Interval& idle) const {
    const VirtualTime taken_away = TurnTakenAway(history_, attempt).to;
    const bool sleeps_on = taken_away <= idle.from && idle.from - taken_away < SlowBound();
    if (rules_.hand_over_bound.has_value() && !sleeps_on) {
      // A waiter woken when stopped ends its sleep, tries once more, and hands on.
      const Duration messages = 8 * (1 + StoppedMeanwhile(idle)) * history_.latency;
      return {true, *rules_.hand_over_bound, messages};
    }
    return {false, rules_.wake_up_bound, kSettling};
  }

  static std::string InWords(const FreeBound& bound) {
    return bound.without_faults ? fmt::format("hand-over without faults {} + messages {}",
                                              Instant(bound.hand_over), Instant(bound.rest))
                                : fmt::format("hand-over {} + retry {}", Instant(bound.hand_over),
                                              Instant(bound.rest));
  }

  /// The time within which every waiter looks again, even if not woken.
  Duration SlowBound() const { return rules_.wake_up_bound + kSettling; }

  std::int64_t StoppedMeanwhile(const Interval& idle) const {
    return std::ranges::count_if(history_.attempts, [&](const Attempt& attempt) {
      return attempt.stopped < idle.to && idle.from <= attempt.answered;
    });
  }

  std::optional<Violation> Starved(const Attempt& attempt, const Interval& wait) const {
    const LivenessTerms terms = TermsOf(attempt, wait);
    const Duration bound = LivenessBound(terms);
    if (wait.to - wait.from <= bound || IsInUseTooLong(attempt, wait)) return std::nullopt;
    const auto others = std::ranges::count_if(history_.holds, [&](const ClientHold& hold) {
      const VirtualTime from = hold.told_at();
      return hold.client != attempt.client && wait.from < from && from < wait.to;
    });
    const std::string meanwhile = others > 0 ? fmt::format("{} other requests were granted", others)
                                             : fmt::format(
                                                   "nobody was granted anything, though {} "
                                                   "commands were sent for it",
                                                   attempt.commands);
    return Violated(others > 0 ? Judged::kOrder : Judged::kTermination, wait.from + bound,
                    attempt.client, "{} waited from {} until {}, and {}; the bound is {}",
                    ClientName(attempt.client), wait.from, wait.to, meanwhile,
                    LivenessInWords(terms));
  }

  /// Without other waiters, and without the time that a hand-over takes.
  LivenessTerms TermsAlone() const { return {history_.lease, rules_.longest_use, rules_.rate_ppm}; }

  LivenessTerms TermsOf(const Attempt& attempt, const Interval& wait) const {
    LivenessTerms terms = TermsAlone();
    // A request and its answer, a release and its answer; a wake-up and its consequences.
    terms.hand_over = rules_.wake_up_bound + 8 * history_.latency;
    const auto in_the_way = [&](const Attempt& other) {
      return other.client != attempt.client && other.asked < wait.to && wait.from < other.answered;
    };
    for (const Attempt& other : history_.attempts) terms.waiters += in_the_way(other);
    for (const History* beside : rules_.beside) {
      for (const Attempt& other : beside->attempts) {
        terms.waiters += !other.beside && in_the_way(other);
      }
    }
    return terms;
  }

  /// Whether a live user has held the lock for longer than any program may.
  bool IsInUseTooLong(const Attempt& attempt, const Interval& wait) const {
    return std::ranges::any_of(history_.holds, [&](const ClientHold& hold) {
      const VirtualTime from = hold.told_at();
      const VirtualTime to = std::min(
          {hold.release_called, hold.believed_until(), DiedAt(history_, hold.client, from)});
      const Duration most = rules_.longest_use * (1'000'000 + rules_.rate_ppm) / 1'000'000;
      return hold.client != attempt.client && from < wait.to && wait.from < to &&
             std::min(to, history_.end) - from > most + 8 * history_.latency;
    });
  }

  const History& history_;
  const ProgressRules rules_;
  std::optional<std::vector<Interval>> free_;
  std::optional<std::vector<Interval>> free_for_readers_;
};

}  // namespace

void JudgeProgress(const History& history, const ProgressRules& rules,
                   std::vector<Violation>& violations) {
  const VirtualTime calm = CalmFrom(history);
  if (calm >= history.end) return;
  Progress progress(history, rules);
  std::optional<Violation> first;
  for (const Attempt& attempt : history.attempts) {
    if (attempt.ask == Ask::kTry || attempt.beside) continue;
    if (DiedAt(history, attempt.client, attempt.asked) < attempt.answered) continue;
    KeepEarlier(progress.Judge(attempt, calm), first);
  }
  if (first.has_value()) violations.push_back(std::move(*first));
}

namespace {

/// Endless retries may block everybody, so they are reported before a forgotten waiter.
void JudgeStormOf(const JudgedResource& of, Violations& found) {
  JudgeStorm(of.history, of.subject.CommandsPerLease(of.options), found);
}

}  // namespace

constinit const Property kCrashRecoveryProperty = {
    .judged = Judged::kCrashRecovery,
    .code = "LK008",
    .slug = "crash-recovery",
    .name = "recovery after a crash",
    .headline = "a dead holder's lock was not granted again",
    .definition =
        "Violated when a holder is dead, a live client waits, and the next grant comes later than "
        "the holder's expiry plus the lock's own wake-up bound.",
    .scenario = "antirez.a4",
    .story =
        "The holder crashes, and the server's clock is stepped back: the key outlives the lease "
        "that it stood for. The waiters sleep until a wake-up that nobody will send, and do not "
        "look at the TTL.",
    .fixes = {"give every lock a TTL, set in the granting command itself",
              "let a waiter wake at the holder's expiry too, not only by a message",
              "after waking, pass the wake-up on if the lock is not taken"},
    .assumes = {.clocks = true, .writes = true},
    .exercised = Reached<Goal::kRecoveredAfterCrash>,
    .from_outside = {.shown = [](const SeenFromOutside& of,
                                 const GoalSet&) { return !of.rules.partial; }},
};

constinit const Property kDeadlockProperty = {
    .judged = Judged::kDeadlock,
    .code = "LK009",
    .slug = "deadlock",
    .name = "deadlock, lost wake-up",
    .headline = "a client waits for what does not come",
    .definition =
        "Violated when a live client waits while nothing can run any more, when the resource "
        "stays free beyond the wake-up bound, or when clients that each ask in one order wait for "
        "each other in a circle that only the end of a lease breaks.",
    .scenario = "none",
    .story =
        "A waiter finds the lock taken; the holder releases and publishes; only then does the "
        "waiter subscribe. The message was sent to nobody and no other will come.",
    .fixes = {"subscribe first, then look again, then wait",
              "never wait without an end: the holder's TTL bounds every wait",
              "take several locks in one global order"},
    .need = NeedsWaits,
    .assumes = {.clocks = true},
    .judge =
        [](const JudgedResource& of, Violations& found) {
          JudgeStormOf(of, found);
          if (of.to_its_end) JudgeProgress(of.history, of.rules, found);
        },
    .exercised = Reached<Goal::kWaiterGranted>,
    .from_outside = {.judge = JudgeDelays,
                     .shown = [](const SeenFromOutside& of,
                                 const GoalSet&) { return !of.rules.partial; }},
    .of_latches = {.headline = "an open latch let somebody wait",
                   .definition = "Violated when a waiter is not let through within the wake-up "
                                 "bound after all have been told that they have counted down.",
                   .fix = "count and wake in one script; let each that is woken wake the next, "
                          "and look again at times",
                   .judge =
                       [](const JudgedResource& of, Violations& found) {
                         JudgeStormOf(of, found);
                         JudgeLatch(of.history, LatchRulesOf(of), of.to_its_end, found);
                       },
                   .exercised = Reached<Goal::kWaiterGranted>,
                   .from_outside = {.judge = JudgeLatchFromOutside}},
};

}  // namespace interlock::scenarios
