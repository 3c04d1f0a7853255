// SPDX-License-Identifier: MIT
#include "scenarios/oracles/progress.h"

#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "scenarios/oracles/words.h"

namespace interlock::scenarios {
namespace {

/// A permit is taken over this interval; `client` had it.
struct Taken {
  Interval interval;
  int client = 0;
};

std::vector<Taken> TakenIntervals(const History& history) {
  std::vector<Taken> taken;
  for (const ServerHold& hold : history.server_holds) {
    const VirtualTime leased_until = hold.renewed + history.lease;
    const VirtualTime until = std::min({hold.ended, hold.promised_until, leased_until});
    taken.push_back({{hold.granted, until}, hold.client});
  }
  for (const ClientHold& hold : history.holds) {
    const VirtualTime dead = DiedAt(history, hold.client, hold.belief.front().from);
    const VirtualTime believed = hold.belief.back().to;
    // Who overstays its validity holds no more than the server still keeps for it.
    VirtualTime until = believed < hold.release_called ? believed : hold.release_returned;
    if (dead < until) until = std::min(dead, hold.belief.front().from) + history.lease;
    taken.push_back({{hold.belief.front().from, until}, hold.client});
  }
  return taken;
}

/// The instant from which the resource has been free without interruption at `at`; nullopt: it is
/// taken.
std::optional<VirtualTime> FreeSince(const std::vector<Taken>& taken, int permits, VirtualTime at) {
  std::vector<VirtualTime> running;
  VirtualTime last_end{};
  for (const Taken& hold : taken) {
    if (hold.interval.from <= at && at < hold.interval.to) {
      running.push_back(hold.interval.to);
    } else if (hold.interval.to <= at) {
      last_end = std::max(last_end, hold.interval.to);
    }
  }
  if (static_cast<int>(running.size()) >= permits) return std::nullopt;
  return last_end;
}

/// Whoever held last before `at` died with it.
bool DeadHolderBefore(const History& history, VirtualTime at) {
  VirtualTime latest{-1};
  bool answer = false;
  for (const ServerHold& hold : history.server_holds) {
    if (hold.granted > at || hold.end == ServerHoldEnd::kReleased) continue;
    if (hold.granted > latest) {
      latest = hold.granted;
      answer = Died(history, hold.client);
    }
  }
  for (const ClientHold& hold : history.holds) {
    const VirtualTime from = hold.belief.front().from;
    if (from > at || hold.release_returned != kOpen) continue;
    if (from > latest) {
      latest = from;
      answer = Died(history, hold.client);
    }
  }
  return answer;
}

}  // namespace

void JudgeProgress(const History& history, Duration wake_up_bound,
                   std::vector<Violation>& violations) {
  const VirtualTime calm =
      history.needs_healing ? std::max(history.healed, history.last_fault) : history.last_fault;
  if (calm >= history.end) return;
  const std::vector<Taken> taken = TakenIntervals(history);
  const Duration bound = wake_up_bound + kSettling;
  for (const Attempt& attempt : history.attempts) {
    if (attempt.ask == Ask::kTry) continue;
    if (DiedAt(history, attempt.client, attempt.asked) < attempt.answered) continue;
    const VirtualTime until = std::min(attempt.answered, history.end);
    // The end of the wait is the last instant at which the waiter can have been forgotten.
    const auto free_since = FreeSince(taken, history.permits, until - Duration(1));
    const bool granted = attempt.answered != kOpen && attempt.answer == StatusCode::kOk;
    VirtualTime forgotten_since{};
    if (free_since.has_value()) {
      forgotten_since = std::max({*free_since, attempt.asked, calm});
    } else if (granted) {
      // Its own grant took it: look at the moment before that grant.
      VirtualTime own = until;
      for (const Taken& hold : taken) {
        if (hold.client == attempt.client && hold.interval.from >= attempt.asked) {
          own = std::min(own, hold.interval.from);
        }
      }
      const auto before = FreeSince(taken, history.permits, own - Duration(1));
      if (!before.has_value()) continue;
      forgotten_since = std::max({*before, attempt.asked, calm});
      if (own - forgotten_since <= bound) continue;
    } else {
      continue;
    }
    if (until - forgotten_since <= bound) continue;
    const bool crash = DeadHolderBefore(history, forgotten_since);
    violations.push_back(
        {crash ? Judged::kCrashRecovery : Judged::kDeadlock, forgotten_since + bound,
         attempt.client,
         fmt::format(
             "{} waited from {} on; the resource was free from {} and still not granted at {}"
             "{}",
             Client(attempt.client), Instant(attempt.asked), Instant(forgotten_since),
             Instant(until), crash ? " (its last holder had died)" : "")});
    return;
  }
}

}  // namespace interlock::scenarios
