// SPDX-License-Identifier: MIT
#include "scenarios/judge/validity.h"

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "scenarios/cases/scenario.h"
#include "scenarios/judge/judged_resource.h"
#include "scenarios/judge/kept_alive.h"
#include "scenarios/judge/outside.h"
#include "scenarios/judge/property.h"
#include "scenarios/judge/violated.h"
#include "scenarios/log/words.h"

namespace interlock::scenarios {
namespace {

/// The server had promised it for at least as long as its client believed in it: whatever the
/// client's clock showed meanwhile, the lock may have asked for the time left.
bool IsPromised(const History& history, const ClientHold& hold) {
  const Interval& believed = hold.belief.front();
  return std::ranges::any_of(history.server_holds, [&](const ServerHold& entry) {
    return entry.IsOf(hold) && entry.granted <= believed.from && entry.ended > believed.from &&
           entry.surely_until() > believed.from && entry.surely_until() >= believed.to;
  });
}

std::optional<std::string> WhyFalse(const History& history, const ClientHold& hold) {
  if (hold.sent == kOpen) {
    if (!history.ownership_seen || hold.token.empty()) return std::nullopt;
    return std::string("the server had never granted it");
  }
  if (history.leaseless) return std::nullopt;
  const Duration left = history.lease - hold.elapsed - history.drift_allowance;
  if (left > Duration{} || IsPromised(history, hold)) return std::nullopt;
  return fmt::format("its request had gone out {} before on its own clock, and the lease is {}",
                     Instant(hold.elapsed), Instant(history.lease));
}

std::string_view WhyWrong(const LossCall& call, const LossCall* before) {
  if (call.released) return "and it had given it back";
  if (before != nullptr) return "and had been called already";
  return call.lost ? "" : "and it was not";
}

void JudgeLossCalls(const History& history, std::vector<Violation>& violations) {
  std::optional<Violation> first;
  for (const ClientHold& hold : history.holds) {
    const LossCall* before = nullptr;
    for (const LossCall& call : hold.loss_calls) {
      const std::string_view wrong = WhyWrong(call, before);
      before = &call;
      if (wrong.empty()) continue;
      KeepEarlier(Violated(Judged::kFalseValidity, call.at, hold.client,
                           "{} was called at {} because its lease is lost, {}",
                           ClientName(hold.client), call.at, wrong),
                  first);
    }
  }
  if (first.has_value()) violations.push_back(std::move(*first));
}

void JudgeLateQuestions(const History& history, std::vector<Violation>& violations) {
  for (const Question& one : history.questions) {
    if (one.told_lost || !CameLate(one)) continue;
    const auto text = one.asked ? fmt::format(
                                      "{} was told at {} that its lease is valid, which had "
                                      "ended at {}",
                                      ClientName(one.client), Instant(one.at), Instant(one.until))
                                : fmt::format(
                                      "{} had not been told at {} that its lease is lost, whose "
                                      "validity had ended at {}",
                                      ClientName(one.client), Instant(one.at), Instant(one.until));
    violations.push_back({Judged::kFalseValidity, one.at, one.client, text});
  }
}

/// A try is granted by one of its own commands, so its lease counts from no later than the last one
/// sent.
std::optional<Violation> JudgeLateGrant(const History& history, const ClientHold& hold) {
  const auto attempt = std::ranges::find_if(history.attempts, [&](const Attempt& one) {
    return one.client == hold.client && one.asked == hold.asked;
  });
  if (attempt == history.attempts.end() || attempt->ask != Ask::kTry || hold.sent == kOpen ||
      hold.sent < hold.asked) {
    return std::nullopt;
  }
  const VirtualTime over = hold.sent + history.lease + history.lease / kDriftPart;
  const VirtualTime granted = hold.told_at();
  if (granted <= over || hold.belief.front().to <= granted) return std::nullopt;
  return Violated(Judged::kFalseValidity, granted, hold.client,
                  "{} was told at {} that it holds until {}; what it had sent last, at {}, can "
                  "have got it a lease until {}",
                  ClientName(hold.client), granted, hold.belief.front().to, hold.sent, over);
}

void JudgeValidityFromOutside(const SeenFromOutside& of, OutsideVerdict& verdict) {
  std::optional<Violation> first;
  for (const ClientHold& hold : of.history.holds) {
    KeepEarlier(JudgeLateGrant(of.history, hold), first);
  }
  if (first.has_value()) verdict.violations.push_back(std::move(*first));
  JudgeLateQuestions(of.history, verdict.violations);
}

}  // namespace

void JudgeFalseValidity(const History& history, std::vector<Violation>& violations) {
  JudgeLossCalls(history, violations);
  JudgeLateQuestions(history, violations);
  std::optional<Violation> first;
  for (const ClientHold& hold : history.holds) {
    const auto why = WhyFalse(history, hold);
    if (!why.has_value()) continue;
    const VirtualTime at = hold.told_at();
    KeepEarlier(
        Violated(Judged::kFalseValidity, at, hold.client,
                 "{} was told \"granted\" at {}, though {}", ClientName(hold.client), at, *why),
        first);
  }
  if (first.has_value()) violations.push_back(std::move(*first));
}

bool CameLate(const Question& question) {
  if (!question.asked) return true;
  if (question.until == kOpen) return false;
  return question.announced ? question.at >= question.until
                            : question.at > question.until + kNotice;
}

bool AskedLate(const History& history) {
  return std::ranges::any_of(history.questions,
                             [](const Question& one) { return one.asked && CameLate(one); });
}

constinit const Property kFalseValidityProperty = {
    .judged = Judged::kFalseValidity,
    .code = "LK014",
    .slug = "false-validity",
    .name = "false validity",
    .headline = "a lease was called valid after its end",
    .definition =
        "Violated when an acquire succeeds although nothing of the lease is left by the client's "
        "own clock, when the client is not told in time that its validity has ended, or is told "
        "so without cause, and when a lock that renews by itself lets an undisturbed holder's "
        "lease end, or prolongs it for longer than it says.",
    .scenario = "etcd.e1",
    .story =
        "C2 waits long in a queue. Its own entry expires meanwhile, C1 releases, and C2 is told "
        "\"it is yours\" although its lease no longer exists.",
    .fixes = {"after any wait, check the lease again before reporting success",
              "compute the validity from the time of sending, and fail when it is not positive",
              "let valid() look at the clock instead of remembering an answer"},
    .need =
        [](const Demand& of) {
          // There is no telling whose release ends another one's renewal.
          return NeedsOwnership(of) && (of.traits.renews || !of.scenario.shape.nest);
        },
    .assumes = {.clocks = true},
    .judge =
        [](const JudgedResource& of, Violations& found) {
          JudgeFalseValidity(of.history, found);
          JudgeKeptAlive(of.history, KeptAliveBy(of.subject, of.options), found);
        },
    .exercised = Reached<Goal::kAskedAfterValidity, Goal::kGrantCameLate, Goal::kRenewedByItself>,
    .from_outside = {.judge = JudgeValidityFromOutside,
                     .why_hidden = [](const OutsideSetting& setting) -> std::string_view {
                       return setting.comes_late ? "" : "nobody comes back late to ask";
                     }},
};

}  // namespace interlock::scenarios
