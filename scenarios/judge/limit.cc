// SPDX-License-Identifier: MIT
#include "scenarios/judge/limit.h"

#include <algorithm>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "scenarios/judge/violated.h"
#include "scenarios/log/words.h"

namespace interlock::scenarios {
namespace {

/// Whether a permit granted under another limit was out at some instant of the request.
bool AnotherIsOut(const History& history, const Attempt& attempt, int wish) {
  return std::ranges::any_of(history.server_holds, [&](const ServerHold& hold) {
    const int asked_by = hold.client >= 0 ? hold.client : hold.asked_by;
    const bool other = asked_by < 0 || history.limits.WishOf(asked_by) != wish;
    return other && hold.granted <= attempt.answered && hold.had_until() >= attempt.asked;
  });
}

bool MayBeRefused(const History& history, const Attempt& attempt) {
  const int wish = history.limits.WishOf(attempt.client);
  if (!history.limits.stands()) return AnotherIsOut(history, attempt, wish);
  return history.limits.MayRefuse(wish, attempt.asked, attempt.answered);
}

std::optional<Violation> JudgeRefusal(const History& history, const Attempt& attempt) {
  if (attempt.answered == kOpen || attempt.answer != StatusCode::kInvalidArgument) return {};
  if (MayBeRefused(history, attempt)) return {};
  const int wish = history.limits.WishOf(attempt.client);
  const std::string why =
      wish == 0 ? "though one was in force all the time, which it follows"
                : fmt::format("though no other limit than its own {} was in force", wish);
  return Violated(Judged::kSpuriousRefusal, attempt.answered, attempt.client,
                  "{} asked at {} and was told \"{}\" at {}, {}", ClientName(attempt.client),
                  attempt.asked, attempt.answer, attempt.answered, why);
}

std::optional<Violation> JudgeCall(const History& history, const LimitCall& call) {
  if (call.answered == kOpen || call.answer == StatusCode::kOk) return {};
  if (call.answer == StatusCode::kCancelled) return {};
  const auto found = [&](const std::string& why) {
    return Violated(Judged::kSpuriousRefusal, call.answered, call.client,
                    "{} set the limit to {} at {} and was told \"{}\" at {}, {}",
                    ClientName(call.client), call.limit, call.called, call.answer, call.answered,
                    why);
  };
  const bool denied = Status(call.answer).outcome() == Outcome::kFailure;
  if (denied && call.changed <= call.answered) {
    return found(fmt::format("though it had changed at {}", Instant(call.changed)));
  }
  if (AnyMet(history.disturbances, call.client, {}, call.answered)) return {};
  return found("though no fault had met it");
}

int PermitsOut(const History& history, VirtualTime at) {
  return static_cast<int>(std::ranges::count_if(history.server_holds, [at](const ServerHold& hold) {
    return !hold.copied && hold.granted <= at && at < hold.had_until();
  }));
}

/// Whether it asked while all permits were out, and the limit was set before it was granted.
bool WasLetIn(const History& history, const Attempt& attempt, const LimitCall& call) {
  return attempt.client != call.client && attempt.ask != Ask::kTry &&
         attempt.asked < call.changed && call.changed <= attempt.answered &&
         attempt.answered != kOpen && attempt.answer == StatusCode::kOk &&
         PermitsOut(history, call.changed) < call.limit &&
         PermitsOut(history, attempt.asked) >= history.limits.Most(attempt.asked, attempt.asked);
}

}  // namespace

void JudgeLimit(const History& history, std::vector<Violation>& violations) {
  if (!history.limits.kept()) return;
  std::optional<Violation> first;
  for (const Attempt& attempt : history.attempts) {
    KeepEarlier(JudgeRefusal(history, attempt), first);
  }
  for (const LimitCall& call : history.limits.calls()) KeepEarlier(JudgeCall(history, call), first);
  if (first.has_value()) violations.push_back(std::move(*first));
}

void AddLimitGoals(const History& history, GoalSet& goals) {
  if (!history.limits.kept()) return;
  for (const Attempt& attempt : history.attempts) {
    const bool refused = attempt.answer == StatusCode::kInvalidArgument;
    if (attempt.answered != kOpen && refused) goals.Add(Goal::kOtherLimitRefused);
  }
  for (const LimitCall& call : history.limits.calls()) {
    if (call.changed == kOpen) continue;
    const int out = PermitsOut(history, call.changed);
    if (out > 0) goals.Add(Goal::kLimitSetInUse);
    if (out > call.limit) goals.Add(Goal::kLimitBelowOut);
    for (const Attempt& attempt : history.attempts) {
      if (WasLetIn(history, attempt, call)) goals.Add(Goal::kLetInByLimit);
    }
  }
}

}  // namespace interlock::scenarios
