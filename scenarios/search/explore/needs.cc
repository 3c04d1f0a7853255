// SPDX-License-Identifier: MIT
#include "scenarios/search/explore/needs.h"

#include <algorithm>
#include <cctype>
#include <optional>
#include <set>
#include <string_view>
#include <variant>

#include <fmt/format.h>

#include "scenarios/cases/kind_model.h"

namespace interlock::scenarios {
namespace {

/// A bound, as the option that sets it.
struct Budget {
  std::string_view option;
  int least = 1;
  int (*given)(const Bounds&) = nullptr;
  std::optional<sim::FaultKind> fault = std::nullopt;  ///< a kind that the scenario must have
};

constexpr Budget Expiries(int least) {
  return {"--expiries", least, [](const Bounds& bounds) { return bounds.expiries; }};
}
constexpr Budget Pauses(int least) {
  return {"--pauses", least, [](const Bounds& bounds) { return bounds.pauses; },
          sim::FaultKind::kPause};
}
constexpr Budget Attempts(int least) {
  return {"--attempts", least, [](const Bounds& bounds) { return bounds.attempts; }};
}
constexpr Budget LostReplies(int least) {
  return {"--lost-replies", least, [](const Bounds& bounds) { return bounds.lost_replies; },
          sim::FaultKind::kResetAfter};
}
constexpr Budget Waits() {
  return {"--wait", 0, [](const Bounds& bounds) { return bounds.waits ? 0 : -1; }};
}
constexpr Budget Extend() {
  return {"--extend", 0, [](const Bounds& bounds) { return bounds.extend ? 0 : -1; }};
}
constexpr Budget Count(std::string_view option, int (*given)(const Bounds&)) {
  return {option, 1, given};
}

struct KindRow {
  std::vector<std::string_view> commands;   ///< any of these, sent outside of a script
  bool (*is_kind)(const harness::Traits&);  ///< null: the commands tell
  std::vector<Budget> budgets;
  std::string_view why;
};

using harness::Traits;

std::vector<KindRow> KindRows() {
  return {
      {{"WATCH"},
       nullptr,
       {Attempts(2), Expiries(2), Pauses(2)},
       "EXEC refuses what has changed since WATCH, so a client that releases by it must be late "
       "twice to do harm, the second time on what the first has left behind"},
      {{"DEL", "UNLINK", "GETDEL"},
       nullptr,
       {Expiries(1), Pauses(1)},
       "a lease passes between a look at who holds and a DEL of its own only if the client is held "
       "up there"},
      {{"BLPOP", "BRPOP", "BLMOVE", "BRPOPLPUSH", "BZPOPMIN"},
       nullptr,
       {LostReplies(1)},
       "what a blocking pop has taken is gone with a reply that is lost"},
      {{},
       [](const Traits& traits) { return traits.waits; },
       {Waits()},
       "nobody waits for the lock"},
      {{},
       [](const Traits& traits) { return traits.can_extend; },
       {Extend()},
       "nobody extends a lease"},
      {{},
       [](const Traits& traits) { return std::holds_alternative<harness::Readers>(traits.kind); },
       {Count("--readers", [](const Bounds& bounds) { return bounds.readers; })},
       "nobody asks as a reader"},
      {{},
       [](const Traits& traits) { return traits.stops && traits.waits; },
       {Waits(), Count("--stops", [](const Bounds& bounds) { return bounds.stops; })},
       "no wait is stopped"},
      {{},
       [](const Traits& traits) { return traits.operators; },
       {Count("--operators", [](const Bounds& bounds) { return bounds.operators; })},
       "no operator takes the lock away"},
      {{},
       [](const Traits& traits) { return LimitStands(traits.kind).has_value(); },
       {Count("--other-limits", [](const Bounds& bounds) { return bounds.other_limits; })},
       "all clients give the same limit"},
      {{},
       [](const Traits& traits) { return MaySetLimits(traits.kind); },
       {Count("--setters", [](const Bounds& bounds) { return bounds.setters; })},
       "nobody sets another limit"},
  };
}

/// The names of the commands that clients send, in capitals.
std::set<std::string> CommandsSent(sim::Universe& universe, const ExploreOptions& options) {
  sim::Choices calm = sim::Choices::FromTape({});
  const Workload workload = ExploredWorkload(*options.run_case.scenario, options.bounds);
  const RunResult run = RunOnce(universe, options.run_case, workload, calm, true);
  std::set<std::string> sent;
  for (const sim::TraceEvent& event : run.events) {
    if (event.kind != sim::TraceKind::kSend) continue;
    std::string name = event.text.substr(0, event.text.find(' '));
    std::ranges::transform(name, name.begin(), [](unsigned char c) { return std::toupper(c); });
    sent.insert(std::move(name));
  }
  return sent;
}

bool IsOfKind(const KindRow& row, const std::set<std::string>& sent, const Traits& traits) {
  if (row.is_kind != nullptr) return row.is_kind(traits);
  return std::ranges::any_of(
      row.commands, [&](std::string_view command) { return sent.contains(std::string(command)); });
}

std::string OptionsToMeet(const KindRow& row, const Scenario& scenario) {
  std::string text;
  bool within = true;
  for (const Budget& budget : row.budgets) {
    text += fmt::format("{}{}", text.empty() ? "" : " ", budget.option);
    if (budget.least > 0) text += fmt::format(" {}", budget.least);
    within = within && (!budget.fault || HasAny(scenario, {*budget.fault}));
  }
  return within ? text : text + ", in a scenario with such faults, as chaos";
}

}  // namespace

std::vector<Need> UnmetNeeds(sim::Universe& universe, const ExploreOptions& options) {
  const Traits traits = options.run_case.subject->traits();
  const std::set<std::string> sent = CommandsSent(universe, options);
  std::vector<Need> needs;
  for (const KindRow& row : KindRows()) {
    if (!IsOfKind(row, sent, traits)) continue;
    const bool met = std::ranges::all_of(row.budgets, [&](const Budget& budget) {
      return budget.given(options.bounds) >= budget.least;
    });
    if (!met)
      needs.push_back({std::string(row.why), OptionsToMeet(row, *options.run_case.scenario)});
  }
  return needs;
}

std::string ToText(const Need& need) {
  return fmt::format("beyond these bounds: {}: {}", need.why, need.options);
}

}  // namespace interlock::scenarios
