// SPDX-License-Identifier: MIT
#include "scenarios/cases/kind_model.h"

#include <algorithm>
#include <type_traits>
#include <variant>

#include "scenarios/cases/scenario.h"

namespace interlock::scenarios {
namespace {

void AddGoalsOfPermits(const Scenario& scenario, const harness::Traits& traits, bool rare,
                       GoalSet& goals) {
  if (LimitStands(traits.kind).has_value() && !scenario.gives_up.writes) {
    goals.Add(Goal::kOtherLimitRefused);
    if (MaySetLimits(traits.kind)) {
      goals.Add(Goal::kLimitSetInUse);
      goals.Add(Goal::kLimitBelowOut);
      if (traits.waits) goals.Add(Goal::kLetInByLimit);
    }
  }
  if (rare && scenario.shape.min_permits > 1 && HasAny(scenario, {sim::FaultKind::kCrash})) {
    goals.Add(Goal::kFullThenCrash);
  }
}

void AddGoalsOfReaders(const Scenario& /*scenario*/, const harness::Traits& traits, bool /*rare*/,
                       GoalSet& goals) {
  goals.Add(Goal::kReadersTogether);
  if (!traits.waits) return;
  goals.Add(Goal::kWriterWaited);
  goals.Add(Goal::kReaderWaited);
}

void AddGoalsOfLatches(const Scenario& scenario, const harness::Traits& /*traits*/, bool /*rare*/,
                       GoalSet& goals) {
  for (const Goal goal : {Goal::kAwaitedClosed, Goal::kAwaitedOpen, Goal::kWaiterGranted,
                          Goal::kWaiterTimedOut, Goal::kCountedAgain}) {
    goals.Add(goal);
  }
  if (scenario.asks_again) goals.Add(Goal::kWentOn);
  if (scenario.gives_up.writes) return;
  goals.Add(Goal::kLatchForgotten);
  goals.Add(Goal::kLatchProlonged);
}

constexpr std::array<KindModel, std::variant_size_v<harness::Kind>> kModels = {{
    {},  // Exclusive
    {.exclusion = {Judged::kPermitsServer, Judged::kPermitsBelief, Judged::kPermitsSection},
     .permits = true,
     .add_goals = AddGoalsOfPermits},
    {.shares = true, .add_goals = AddGoalsOfReaders},
    {.held = false, .shares = true, .stagger = 10, .add_goals = AddGoalsOfLatches},
}};
static_assert(std::is_same_v<harness::Kind, std::variant<harness::Exclusive, harness::Permits,
                                                         harness::Readers, harness::Latch>>,
              "the rows are in this order");

constexpr Judged FindCounterpart(const KindModel& kind, Judged property) {
  for (const KindModel& model : kModels) {
    const auto level = std::ranges::find(model.exclusion, property);
    if (level == model.exclusion.end()) continue;
    return kind.exclusion[static_cast<std::size_t>(level - model.exclusion.begin())];
  }
  return property;
}

/// By kind and property: every run asks for all of them.
constexpr auto kCounterparts = [] {
  std::array<std::array<Judged, kJudgedCount>, kModels.size()> all{};
  for (std::size_t kind = 0; kind < all.size(); ++kind) {
    for (const Judged property : kAllJudged) {
      all[kind][static_cast<std::size_t>(property)] = FindCounterpart(kModels[kind], property);
    }
  }
  return all;
}();

}  // namespace

const KindModel& ModelOf(const harness::Kind& kind) { return kModels[kind.index()]; }

Judged CounterpartOf(const harness::Kind& kind, Judged property) {
  return kCounterparts[kind.index()][static_cast<std::size_t>(property)];
}

std::optional<std::chrono::milliseconds> LimitStands(const harness::Kind& kind) {
  const auto* permits = std::get_if<harness::Permits>(&kind);
  return permits == nullptr ? std::nullopt : permits->limit_stands;
}

bool MaySetLimits(const harness::Kind& kind) {
  return LimitStands(kind).value_or(std::chrono::milliseconds(0)).count() > 0;
}

bool PrefersWriters(const harness::Kind& kind) {
  const auto* readers = std::get_if<harness::Readers>(&kind);
  return readers != nullptr && readers->prefers_writers;
}

}  // namespace interlock::scenarios
