// SPDX-License-Identifier: MIT
#include "scenarios/judge/outside.h"

#include <algorithm>
#include <array>

#include "scenarios/cases/kind_model.h"
#include "scenarios/judge/lease_model.h"
#include "scenarios/judge/violated.h"
#include "scenarios/log/words.h"

namespace interlock::scenarios {
namespace {

/// Another client's proven hold that conflicts with this one at one instant, beyond the permits.
const ServerHold* Intruder(const History& history, const ServerHold& entering) {
  const Interval own = ProvenHold(entering);
  if (own.from >= own.to) return nullptr;
  int inside = 0;
  const ServerHold* met = nullptr;
  for (const ServerHold& other : history.server_holds) {
    const Interval held = ProvenHold(other);
    if (other.client == entering.client || held.from > own.from || own.from >= held.to) continue;
    if (!Conflict(entering, other)) continue;
    ++inside;
    met = &other;
  }
  return inside >= history.limits.Least() ? met : nullptr;
}

/// Counts the holds that conflict with the request. Proven holds are open intervals: at its very
/// ends no hold counts.
int HoldsOfOthersAt(const History& history, const Attempt& attempt, VirtualTime at) {
  return static_cast<int>(std::ranges::count_if(history.server_holds, [&](const ServerHold& other) {
    const Interval held = ProvenHold(other);
    return other.client != attempt.client && Conflict(attempt, other) && held.from < at &&
           at < held.to;
  }));
}

/// Whether others held everything at every instant from the call to the return.
bool GrantedWhileTaken(const History& history, const Attempt& attempt) {
  const auto full = [&](VirtualTime at) {
    return HoldsOfOthersAt(history, attempt, at) >= history.limits.Least();
  };
  if (!full(attempt.asked) || !full(attempt.answered)) return false;
  const auto covers = [&](VirtualTime at) {
    return at < attempt.asked || at > attempt.answered || full(at);
  };
  return std::ranges::all_of(history.server_holds, [&](const ServerHold& other) {
    const Interval held = ProvenHold(other);
    return covers(held.from) && covers(held.to);
  });
}

void JudgeServer(const History& history, const harness::Kind& kind,
                 std::vector<Violation>& violations) {
  const Judged property = CounterpartOf(kind, Judged::kServerExclusion);
  std::optional<Violation> first;
  for (const ServerHold& hold : history.server_holds) {
    const ServerHold* other = Intruder(history, hold);
    if (other == nullptr) continue;
    KeepEarlier(Violated(property, hold.granted, hold.client,
                         "{} was granted at {}, while {} is proven to have held from {} until {}",
                         ClientName(hold.client), hold.granted, ClientName(other->client),
                         other->granted, ProvenHold(*other).to),
                first);
  }
  for (const Attempt& attempt : history.attempts) {
    const bool granted = attempt.answered != kOpen && attempt.answer == StatusCode::kOk;
    if (!granted || !GrantedWhileTaken(history, attempt)) continue;
    KeepEarlier(
        Violated(
            property, attempt.answered, attempt.client,
            "{} asked at {} and was granted at {}; all that time others are proven to have held",
            ClientName(attempt.client), attempt.asked, attempt.answered),
        first);
  }
  if (first.has_value()) violations.push_back(std::move(*first));
}

struct Unexplained {
  ModelDepth depth;
  Judged property;
  const char* what;
};

constexpr auto kUnexplained = std::to_array<Unexplained>({
    {ModelDepth::kGrants, Judged::kServerExclusion, "all grants"},
    {ModelDepth::kReleases, Judged::kForeignRelease, "all grants and releases"},
    {ModelDepth::kExtends, Judged::kForeignExtend, "all grants, releases and extensions"},
    {ModelDepth::kRefusals, Judged::kSpuriousRefusal, "all that clients were told"},
});

/// Judges all answers together, for violations that no single rule sees.
void JudgeTogether(const History& history, const OutsideRules& rules,
                   std::vector<Violation>& violations) {
  ModelDepth deepest = rules.calm ? ModelDepth::kRefusals : ModelDepth::kExtends;
  // The model frees what is released at once.
  if (rules.stays_taken_for > Duration{}) deepest = ModelDepth::kGrants;
  const ModelAnswer answer = SearchModel(history, rules.traits, deepest);
  if (!answer.fails.has_value()) return;
  for (const Unexplained& one : kUnexplained) {
    if (one.depth != *answer.fails) continue;
    violations.push_back(Violated(CounterpartOf(rules.traits.kind, one.property), history.end, -1,
                                  "no order of {} is one that a server can have given", one.what));
  }
}

}  // namespace

void JudgeProvenHolds(const SeenFromOutside& of, OutsideVerdict& verdict) {
  const OutsideRules& rules = of.rules;
  JudgeServer(of.history, rules.traits.kind, verdict.violations);
  const bool searches = !rules.partial && !rules.traits.quorum;
  if (searches && rules.servers_answered && rules.disturbed.empty()) {
    JudgeTogether(of.history, rules, verdict.violations);
  }
}

}  // namespace interlock::scenarios
