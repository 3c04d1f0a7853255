// SPDX-License-Identifier: MIT
#include "scenarios/judge/latch.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "scenarios/judge/liveness_bound.h"
#include "scenarios/judge/refusals.h"
#include "scenarios/judge/violated.h"
#include "scenarios/log/words.h"

namespace interlock::scenarios {
namespace {

/// When the last of `parties` had counted, given when each count was made (`instant`); kOpen: fewer
/// have.
template <typename Instant>
VirtualTime WhenAllHad(const History& history, int parties, const Instant& instant) {
  std::map<int, VirtualTime> first;
  for (const Attempt& attempt : history.attempts) {
    if (attempt.counts_for < 0) continue;
    const auto [known, added] = first.try_emplace(attempt.counts_for, kOpen);
    known->second = std::min(known->second, instant(attempt));
  }
  std::vector<VirtualTime> counted;
  counted.reserve(first.size());
  for (const auto& [party, at] : first) counted.push_back(at);
  if (static_cast<int>(counted.size()) < parties) return kOpen;
  const auto last = counted.begin() + parties - 1;
  std::nth_element(counted.begin(), last, counted.end());
  return *last;
}

/// A party told that it counts, in the order of the answers.
struct ToldCount {
  int party = 0;
  VirtualTime asked{};
  VirtualTime told{};
};

/// When a latch surely existed, and when it was open. It exists from one count down to the next if
/// that was answered within its life; then earlier counts still hold.
class Remembered {
 public:
  Remembered(int parties, Duration life) : parties_(parties), life_(life) {}

  void Add(const ToldCount& count) {
    const bool goes_on = count.told < alive_until_ && count.told < EndOfLife(count.asked);
    if (!goes_on) Close(count.told);
    counted_.insert(count.party);
    alive_until_ = std::max(alive_until_, EndOfLife(count.asked));
    const bool all = static_cast<int>(counted_.size()) >= parties_;
    if (all && open_from_ == kOpen) open_from_ = count.told;
  }
  void Finish() { Close(kOpen); }

  const std::vector<Interval>& alive() const { return alive_; }
  const std::vector<Interval>& open() const { return open_; }

 private:
  /// A little early: clocks differ, and Redis counts in whole milliseconds.
  VirtualTime EndOfLife(VirtualTime since) const {
    if (life_ == Duration(0)) return kOpen;
    return since + life_ - life_ / 64 - std::chrono::milliseconds(1);
  }

  void Close(VirtualTime next) {
    if (!counted_.empty()) alive_.push_back({alive_from_, alive_until_});
    if (open_from_ != kOpen) open_.push_back({open_from_, alive_until_});
    counted_.clear();
    alive_from_ = next;
    alive_until_ = VirtualTime{};
    open_from_ = kOpen;
  }

  const int parties_;
  const Duration life_;
  std::set<int> counted_;
  VirtualTime alive_from_{};
  VirtualTime alive_until_{};
  VirtualTime open_from_ = kOpen;
  std::vector<Interval> alive_;
  std::vector<Interval> open_;
};

bool Covers(const std::vector<Interval>& intervals, VirtualTime from, VirtualTime to) {
  return std::ranges::any_of(intervals,
                             [&](const Interval& one) { return one.from < from && to < one.to; });
}

bool Waits(const Attempt& attempt) { return attempt.counts_for < 0; }

class LatchModel {
 public:
  LatchModel(const History& history, const LatchRules& rules)
      : history_(history),
        rules_(rules),
        calm_(CalmFrom(history)),
        may_be_open_(WhenAllHad(history, rules.parties,
                                [](const Attempt& attempt) { return attempt.queued; })),
        remembered_(WhatWasTold(nullptr)) {}

  VirtualTime may_be_open() const { return may_be_open_; }
  const std::vector<Interval>& open() const { return remembered_.open(); }
  const std::vector<Interval>& alive() const { return remembered_.alive(); }

  std::optional<Violation> Early(const Attempt& attempt) const {
    if (!Waits(attempt) || attempt.answered == kOpen || attempt.answer != StatusCode::kOk)
      return {};
    if (may_be_open_ <= attempt.answered) return {};
    return Violated(
        Judged::kServerExclusion, attempt.answered, attempt.client,
        "{} was let through at {}; the last of the {} parties had not counted down before {}",
        ClientName(attempt.client), attempt.answered, rules_.parties, may_be_open_);
  }

  std::optional<Violation> Late(const Attempt& attempt) const {
    if (!Waits(attempt) || attempt.ask == Ask::kTry) return {};
    if (DiedAt(history_, attempt.client, attempt.asked) < attempt.answered) return {};
    for (const Interval& open : remembered_.open()) {
      if (auto late = LateWhile(open, attempt)) return late;
    }
    return {};
  }

  std::optional<Violation> Refused(const Attempt& attempt) const {
    if (attempt.answered == kOpen || WasDisturbed(history_, attempt)) return {};
    if (attempt.answer == StatusCode::kOk || attempt.answer == StatusCode::kCancelled) return {};
    if (!Waits(attempt)) return NoAnswer(attempt);
    if (attempt.answer == StatusCode::kStopped && attempt.stopped <= attempt.answered) return {};
    const bool gone = attempt.answer == StatusCode::kInvalidArgument && rules_.life.count() > 0;
    if (gone && !Covers(remembered_.alive(), attempt.asked, attempt.answered)) return {};
    if (attempt.answer != StatusCode::kTimeout && attempt.answer != StatusCode::kNotAcquired) {
      return NoAnswer(attempt);
    }
    // A try looks once; a wait looks once more at its deadline.
    const VirtualTime wanted_until = attempt.wanted_until();
    const VirtualTime looked = attempt.ask == Ask::kTry ? attempt.asked : wanted_until;
    const Remembered told = WhatWasTold(&attempt);
    const auto open = std::find_if(
        told.open().begin(), told.open().end(),
        [&](const Interval& one) { return one.from < looked && attempt.answered < one.to; });
    if (open == told.open().end()) return {};
    // An attempt that gives up before an answer can arrive was not refused.
    const Duration left = wanted_until - std::max(attempt.asked, open->from);
    if (wanted_until != kOpen && left < 4 * history_.latency) return {};
    return Violated(
        Judged::kSpuriousRefusal, attempt.answered, attempt.client,
        "{} asked at {} and was told \"{}\" at {}, though the latch was open from {} on",
        ClientName(attempt.client), attempt.asked, attempt.answer, attempt.answered, open->from);
  }

 private:
  std::optional<Violation> LateWhile(const Interval& open, const Attempt& attempt) const {
    const VirtualTime since = std::max({attempt.asked, open.from, calm_});
    if (since >= std::min(history_.end, open.to)) return {};  // also if it never became calm
    const Duration bound = BoundFrom(since);
    const VirtualTime due = since + bound;
    const VirtualTime until = std::min(attempt.answered, history_.end);
    if (std::min(until, open.to) <= due) return {};
    return Violated(Judged::kDeadlock, due, attempt.client,
                    "{} waited from {} on, and nothing was in its way from {} on, when all {} "
                    "parties had counted down; it {} {}; the bound is {}",
                    ClientName(attempt.client), attempt.asked, since, rules_.parties,
                    attempt.answered == kOpen ? "still waits at" : "was answered at", until, bound);
  }

  static Violation NoAnswer(const Attempt& attempt) {
    const bool waits = Waits(attempt);
    return Violated(Judged::kSpuriousRefusal, attempt.answered, attempt.client,
                    "{} {} at {} and was told \"{}\" at {}, {}though no fault had met it",
                    ClientName(attempt.client), waits ? "asked" : "counted down", attempt.asked,
                    attempt.answer, attempt.answered, waits ? "which is no answer, " : "");
  }

  /// What follows from the counts acknowledged so far. `asks`, if not null, was made after its own
  /// client's earlier answers, even at the same instant.
  Remembered WhatWasTold(const Attempt* asks) const {
    std::vector<ToldCount> counts;
    for (const Attempt& attempt : history_.attempts) {
      const bool told = attempt.answered != kOpen && attempt.answer == StatusCode::kOk;
      const bool kept = !rules_.forgetful || attempt.asked >= calm_;
      if (Waits(attempt) || !told || !kept) continue;
      // Attempts are in the order in which they were made.
      const bool own = asks != nullptr && attempt.client == asks->client && &attempt < asks;
      const VirtualTime at = own ? attempt.answered - Duration(1) : attempt.answered;
      counts.push_back({attempt.counts_for, attempt.asked, at});
    }
    std::ranges::stable_sort(
        counts, [](const ToldCount& a, const ToldCount& b) { return a.told < b.told; });
    Remembered remembered(rules_.parties, rules_.life);
    for (const ToldCount& count : counts) remembered.Add(count);
    remembered.Finish();
    return remembered;
  }

  /// The waiters then may be woken one after the other, with one message each way for each.
  Duration BoundFrom(VirtualTime since) const {
    const auto waiters = std::ranges::count_if(history_.attempts, [since](const Attempt& attempt) {
      const bool there = attempt.asked <= since && since <= attempt.answered;
      return Waits(attempt) && attempt.ask != Ask::kTry && there;
    });
    const Duration messages = 8 * history_.latency * waiters;
    return messages + rules_.hand_over_bound.value_or(rules_.wake_up_bound + kSettling);
  }

  const History& history_;
  const LatchRules& rules_;
  const VirtualTime calm_;
  const VirtualTime may_be_open_;
  const Remembered remembered_;
};

}  // namespace

void JudgeLatch(const History& history, const LatchRules& rules, bool to_its_end,
                std::vector<Violation>& violations) {
  const LatchModel latch(history, rules);
  std::optional<Violation> early;
  std::optional<Violation> late;
  std::optional<Violation> refused;
  for (const Attempt& attempt : history.attempts) {
    KeepEarlier(latch.Early(attempt), early);
    if (to_its_end) KeepEarlier(latch.Late(attempt), late);
    KeepEarlier(latch.Refused(attempt), refused);
  }
  for (std::optional<Violation>* found : {&early, &late, &refused}) {
    if (found->has_value()) violations.push_back(std::move(**found));
  }
}

void AddLatchGoals(const History& history, const LatchRules& rules, GoalSet& goals) {
  const LatchModel latch(history, rules);
  std::map<int, VirtualTime> counted;
  for (const Attempt& attempt : history.attempts) {
    if (!Waits(attempt)) {
      const auto [known, first] = counted.try_emplace(attempt.counts_for, attempt.queued);
      if (!first && known->second < attempt.asked) goals.Add(Goal::kCountedAgain);
      known->second = std::min(known->second, attempt.queued);
    }
    if (attempt.answered == kOpen) continue;
    if (IsUnknown(attempt.answer)) goals.Add(Goal::kUnknownOutcome);
    if (IsPastRecovery(history, attempt) && attempt.answer == StatusCode::kOk) {
      goals.Add(Goal::kWentOn);
    }
    if (!Waits(attempt)) continue;
    // Attempts are in the order in which they were made, even at one instant.
    const bool blocked =
        attempt.asked < latch.may_be_open() || static_cast<int>(counted.size()) < rules.parties;
    if (blocked) goals.Add(Goal::kAwaitedClosed);
    if (blocked && attempt.answer == StatusCode::kOk) goals.Add(Goal::kWaiterGranted);
    if (attempt.answer == StatusCode::kTimeout) goals.Add(Goal::kWaiterTimedOut);
    if (attempt.answer == StatusCode::kStopped) goals.Add(Goal::kWaiterStopped);
    if (attempt.answer == StatusCode::kInvalidArgument) goals.Add(Goal::kLatchForgotten);
    const bool open = std::any_of(latch.open().begin(), latch.open().end(), [&](Interval one) {
      return one.from <= attempt.asked && attempt.answered < one.to;
    });
    if (open && !WasDisturbed(history, attempt)) goals.Add(Goal::kAwaitedOpen);
  }
  for (const Interval& alive : latch.alive()) {
    const bool longer = rules.life.count() > 0 && alive.to - alive.from > rules.life;
    if (longer) goals.Add(Goal::kLatchProlonged);
  }
}

LatchRules LatchRulesOf(const JudgedResource& resource) {
  return {resource.options.parties, resource.rules.wake_up_bound, resource.forgetful,
          resource.rules.hand_over_bound, resource.options.life};
}

}  // namespace interlock::scenarios
