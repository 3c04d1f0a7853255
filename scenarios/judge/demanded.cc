// SPDX-License-Identifier: MIT
#include "scenarios/judge/demanded.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "scenarios/cases/kind_model.h"
#include "scenarios/judge/property.h"

namespace interlock::scenarios {
namespace {

/// A server without any data: enough to learn whether a subject shows who owns it.
class NoData : public harness::ServerView {
 public:
  std::optional<std::string> String(std::string_view) const override { return std::nullopt; }
  std::vector<std::string> List(std::string_view) const override { return {}; }
  std::vector<std::pair<std::string, std::string>> Hash(std::string_view) const override {
    return {};
  }
  std::vector<std::pair<std::string, double>> SortedSet(std::string_view) const override {
    return {};
  }
  std::optional<std::int64_t> ExpiresAtMs(std::string_view) const override { return std::nullopt; }
  std::int64_t NowMs() const override { return 0; }
};

}  // namespace

std::vector<Judged> JudgedFor(const Scenario& scenario, const harness::Traits& traits,
                              bool shows_ownership) {
  std::vector<Judged> judged;
  for (const Judged listed : scenario.judges) {
    const Judged property = CounterpartOf(traits.kind, listed);
    const Property& row = PropertyOf(property);
    const Demand demand{scenario, traits, shows_ownership};
    if (!row.IsOf(traits.kind) || (row.need != nullptr && !row.need(demand))) continue;
    judged.push_back(property);
  }
  return judged;
}

std::vector<Judged> JudgedFor(const Scenario& scenario, const harness::Subject& subject) {
  harness::LockOptions options;
  options.key_prefix = scenario.key_prefix;
  options.resource = scenario.resource;
  options.lease = std::chrono::seconds(1);
  const bool shows_ownership = subject.Owners(NoData(), options).has_value();
  return JudgedFor(scenario, subject.traits(), shows_ownership);
}

std::string_view WhyNotPromised(Judged property, const Scenario& scenario, SynchronyClass synchrony,
                                const harness::Traits& traits) {
  const Property& row = PropertyOf(property);
  const Assumes& assumes = row.assumes;
  if (assumes.short_pauses && synchrony == SynchronyClass::kArbitrary) {
    return "no lease lock excludes sections under unbounded pauses";
  }
  if (assumes.connections && traits.lasts_as_connection && MayEndConnections(scenario)) {
    return "whose connection ends hears of it late";
  }
  if (assumes.why_not != nullptr) {
    const std::string_view why = assumes.why_not({scenario, traits}, synchrony);
    if (!why.empty()) return why;
  }
  if (assumes.clocks && scenario.gives_up.clocks) {
    return "no lease lock can rely on leases when clocks jump or run at any rate";
  }
  const bool assumes_writes =
      assumes.writes && (ModelOf(traits.kind).held || row.of_latches.assumes_writes);
  if (assumes_writes && scenario.gives_up.writes) {
    return "no lock on one server can hold what that server forgets";
  }
  if (assumes.counts && scenario.gives_up.writes && traits.nests) {
    return "the server may forget that one of several holds was given back";
  }
  return {};
}

const Weakness* FindWeakness(const Scenario& scenario, Judged property, SynchronyClass synchrony,
                             const harness::Traits& traits) {
  const auto found = std::ranges::find_if(scenario.weaknesses, [&](const Weakness& weakness) {
    if (weakness.cured_by_lock_delay && traits.lock_delay) return false;
    return weakness.synchrony == synchrony &&
           CounterpartOf(traits.kind, weakness.property) == property;
  });
  return found == scenario.weaknesses.end() ? nullptr : &*found;
}

}  // namespace interlock::scenarios
