// SPDX-License-Identifier: MIT
#include "scenarios/judge/outside.h"

#include <algorithm>

#include "scenarios/cases/kind_model.h"
#include "scenarios/judge/exercised.h"
#include "scenarios/judge/latch.h"
#include "scenarios/judge/property.h"

namespace interlock::scenarios {
namespace {

/// Redis counts in whole ms, and reads its clock once for all that it does in one go.
constexpr Duration kServerUnit = std::chrono::milliseconds(2);

GoalSet GoalsOf(const SeenFromOutside& of) {
  if (!ModelOf(of.rules.traits.kind).held) {
    GoalSet goals;
    AddLatchGoals(of.history, {of.rules.parties, of.rules.wake_up_bound, of.rules.forgetful},
                  goals);
    return goals;
  }
  return OutsideGoals(of.history);
}

}  // namespace

OutsideRules RulesFor(const harness::Subject& subject, const harness::LockOptions& options) {
  OutsideRules rules;
  rules.traits = subject.traits();
  rules.parties = options.parties;
  rules.stays_taken_for = subject.StaysTakenFor(options);
  rules.wake_up_bound = subject.WakeUpBound(options) + rules.stays_taken_for;
  rules.termination = BoundsOf(subject, options);
  rules.commands_per_lease = subject.CommandsPerLease(options);
  rules.key_limits = {options.lease.count(), subject.AuxiliaryKeys(options)};
  return rules;
}

OutsideVerdict JudgeFromOutside(const SeenFromOutside& of) {
  const harness::Traits& traits = of.rules.traits;
  OutsideVerdict verdict;
  verdict.goals = GoalsOf(of);
  verdict.exercised = Exercised(of.history, traits, verdict.goals);
  for (const Property* property : AllProperties()) {
    if (!property->IsOf(traits.kind)) continue;
    const FromOutside row = property->ReadingOf(traits.kind).from_outside;
    if (row.judge != nullptr) row.judge(of, verdict);
    // A property that nobody could look at was not exercised.
    if (row.shown == nullptr) continue;
    bool& exercised = verdict.exercised[*property->judged];
    exercised = exercised && row.shown(of, verdict.goals);
  }
  std::ranges::stable_sort(verdict.violations, {}, &Violation::at);
  return verdict;
}

std::string_view WhyHidden(Judged property, const OutsideSetting& setting) {
  const FromOutside of = PropertyOf(property).ReadingOf(setting.traits.kind).from_outside;
  return of.why_hidden == nullptr ? "" : of.why_hidden(setting);
}

std::string_view WhyFaultsHide(const OutsideSetting& setting) {
  return setting.faults ? "a fault may be the reason" : "";
}

std::string_view WhyDelaysHide(const OutsideSetting& /*setting*/) {
  return "a real machine's delays excuse it";
}

VirtualTime LatestEnd(const History& history, const ServerHold& hold) {
  const bool unknown = std::ranges::any_of(history.renewals, [&](const Renewal& renewal) {
    return renewal.client == hold.client && renewal.called >= hold.granted &&
           IsUnknown(renewal.answer);
  });
  if (unknown) return kOpen;
  return hold.renewed + history.lease + history.lease / kDriftPart + kServerUnit;
}

Interval ProvenHold(const ServerHold& hold) {
  if (hold.end == ServerHoldEnd::kReleased) return {hold.granted, hold.ended};
  return {hold.granted, hold.had_until()};
}

}  // namespace interlock::scenarios
