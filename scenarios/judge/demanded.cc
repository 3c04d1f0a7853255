// SPDX-License-Identifier: MIT
#include "scenarios/judge/demanded.h"

#include <algorithm>
#include <initializer_list>
#include <optional>
#include <string>
#include <utility>

#include "scenarios/cases/kind_model.h"
#include "scenarios/judge/property.h"

namespace interlock::scenarios {
namespace {

/// Links or servers fail.
bool MayEndConnections(const Scenario& scenario) {
  const auto& faults = scenario.shape.faults;
  return std::any_of(faults.begin(), faults.end(), [](sim::FaultKind kind) {
    const sim::FaultFamily family = sim::FindFault(kind)->family;
    return family != sim::FaultFamily::kClient && family != sim::FaultFamily::kClock;
  });
}

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
    if (!row.IsOf(traits.kind)) continue;
    if (row.need != nullptr && !row.need(traits, shows_ownership)) continue;
    // There is no telling whose release ends another one's renewal.
    if (property == Judged::kFalseValidity && scenario.shape.nest && !traits.renews) continue;
    // A lock that renews outlasts the moment at which a named case has its lease end.
    const bool of_lost = property == Judged::kForeignRelease || property == Judged::kForeignExtend;
    if (of_lost && traits.renews && !scenario.pinned.empty()) continue;
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
  using enum Judged;
  const auto one_of = [property](std::initializer_list<Judged> some) {
    return std::find(some.begin(), some.end(), property) != some.end();
  };
  if (one_of({kSectionExclusion, kPermitsSection}) && synchrony == SynchronyClass::kArbitrary) {
    return "no lease lock excludes sections under unbounded pauses";
  }
  if (property == kFencedWrites && synchrony == SynchronyClass::kArbitrary && !traits.fencing) {
    return "without fencing tokens nothing tells a stale write";
  }
  if (traits.lasts_as_connection && MayEndConnections(scenario) &&
      one_of({kBeliefExclusion, kSectionExclusion, kPermitsBelief, kPermitsSection})) {
    return "whose connection ends hears of it late";
  }
  if (traits.lasts_as_connection && !traits.fencing && property == kFencedWrites &&
      (MayEndConnections(scenario) || HasAny(scenario, {sim::FaultKind::kCrash}))) {
    return "what a dead client has sent may arrive when its connection is over";
  }
  // Each server's own promise is by its own clock.
  if (scenario.gives_up.clocks && !one_of({kServerExclusion, kPermitsServer, kForeignRelease,
                                           kForeignExtend, kTokens, kKeys})) {
    return "no lease lock can rely on leases when clocks jump or run at any rate";
  }
  // What is forgotten makes a latch open late.
  if (!ModelOf(traits.kind).held && property == kServerExclusion) return {};
  if (scenario.gives_up.writes &&
      !one_of({kForeignRelease, kForeignExtend, kDeadlock, kKeys, kFalseValidity, kTermination})) {
    return "no lock on one server can hold what that server forgets";
  }
  if (scenario.gives_up.writes && traits.nests && one_of({kForeignRelease, kKeys})) {
    return "the server may forget that one of several holds was given back";
  }
  return {};
}

bool IsWeakness(const Scenario& scenario, Judged property, SynchronyClass synchrony,
                const harness::Traits& traits) {
  return std::any_of(scenario.weaknesses.begin(), scenario.weaknesses.end(),
                     [&](const Weakness& weakness) {
                       if (weakness.cured_by_lock_delay && traits.lock_delay) return false;
                       return weakness.synchrony == synchrony &&
                              CounterpartOf(traits.kind, weakness.property) == property;
                     });
}

}  // namespace interlock::scenarios
