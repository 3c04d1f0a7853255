// SPDX-License-Identifier: MIT
#include "scenarios/cases/scenario.h"

#include <algorithm>
#include <functional>
#include <initializer_list>
#include <map>
#include <mutex>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "scenarios/cases/catalogue/rows.h"
#include "scenarios/cases/kind_model.h"
#include "scenarios/cases/parties.h"

namespace interlock::scenarios {

const std::vector<Scenario>& GuaranteeScenarios() {
  static const std::vector<Scenario> kScenarios = catalogue::FaultClasses();
  return kScenarios;
}

const Scenario* FindScenario(std::string_view name) {
  const std::size_t at = name.find(Scenario::kOnServer);
  if (at != std::string_view::npos) {
    const Scenario* scenario = FindScenario(name.substr(0, at));
    const sim::redis::Dialect* server = sim::redis::FindDialect(name.substr(at + 1));
    return scenario == nullptr || server == nullptr ? nullptr : &OnServer(*scenario, *server);
  }
  for (const Scenario& scenario : Catalogue()) {
    if (scenario.name == name) return &scenario;
  }
  for (const Scenario& scenario : GuaranteeScenarios()) {
    if (scenario.name == name) return &scenario;
  }
  return nullptr;
}

const Scenario& OnServer(const Scenario& scenario, const sim::redis::Dialect& server) {
  if (scenario.server == &server) return scenario;
  if (&server == &sim::redis::DefaultDialect()) return *FindScenario(scenario.base_name());
  struct Made {
    std::string name;
    Scenario scenario;
  };
  static std::mutex mutex;
  static std::map<std::string, Made, std::less<>> made;
  std::string name = fmt::format("{}{}{}", scenario.base_name(), Scenario::kOnServer, server.name);
  const std::lock_guard lock(mutex);
  const auto [at, is_new] = made.try_emplace(name);
  if (is_new) {
    at->second = {std::move(name), scenario};
    at->second.scenario.name = at->second.name;
    at->second.scenario.server = &server;
  }
  return at->second.scenario;
}

bool HasAny(const Scenario& scenario, std::initializer_list<sim::FaultKind> kinds) {
  const auto& faults = scenario.shape.faults;
  return std::ranges::any_of(kinds, [&](sim::FaultKind kind) {
    return std::find(faults.begin(), faults.end(), kind) != faults.end();
  });
}

bool MayEndConnections(const Scenario& scenario) {
  const auto& faults = scenario.shape.faults;
  return std::ranges::any_of(faults, [](sim::FaultKind kind) {
    const sim::FaultFamily family = sim::FindFault(kind)->family;
    return family != sim::FaultFamily::kClient && family != sim::FaultFamily::kClock;
  });
}

namespace {

bool HasWaitAof(const Scenario& scenario) {
  const auto appends = [](sim::Persistence kept) {
    return kept == sim::Persistence::kAofAlways || kept == sim::Persistence::kAofEverysec;
  };
  const bool all = scenario.pinned.empty()
                       ? std::ranges::all_of(scenario.shape.persistence, appends)
                       : std::ranges::all_of(scenario.pinned, appends, &Workload::persistence);
  return all && scenario.server->since_72;
}

}  // namespace

bool Applies(const Scenario& scenario, const harness::Traits& traits) {
  const sim::Topology topology =
      scenario.pinned.empty() ? scenario.shape.topology : scenario.pinned.front().topology;
  if (traits.quorum != (topology == sim::Topology::kIndependent)) return false;
  if (IsCluster(topology) && !traits.cluster) return false;
  if (!scenario.server->IsIn(scenario.servers)) return false;
  if (traits.on_disk && !HasWaitAof(scenario)) return false;
  // The named cases are stories of leases, and so are those of what a holder writes to.
  const bool of_leases = !scenario.pinned.empty() ||
                         (scenario.shape.guard != GuardKind::kNone && scenario.fault_class.empty());
  const KindModel& model = ModelOf(traits.kind);
  if (!model.held && of_leases) return false;
  if (scenario.renewing_only && !traits.renews) return false;
  if (scenario.shape.share_objects && !traits.concurrent) return false;
  return model.permits || !scenario.semaphores_only;
}

Extras ExtrasOf(const harness::Traits& traits) {
  const KindModel& model = ModelOf(traits.kind);
  return {.readers = model.shares,
          .stops = traits.stops,
          .operators = traits.operators && model.held,
          .lives = !model.held,
          .own_leases = traits.own_leases,
          .permits = traits.quorum && model.permits,
          .limit_stands = LimitStands(traits.kind)};
}

namespace {

/// What any lock that is held must reach.
void AddGoalsOfHolders(const Scenario& scenario, const harness::Traits& traits, bool rare,
                       GoalSet& goals) {
  const auto has = [&](std::initializer_list<sim::FaultKind> kinds) {
    return HasAny(scenario, kinds);
  };
  const auto add = [&](std::initializer_list<Goal> some) {
    for (const Goal goal : some) goals.Add(goal);
  };
  add({Goal::kContended, Goal::kRefused});
  if (traits.waits) add({Goal::kWaiterGranted, Goal::kWaiterTimedOut});
  if (scenario.shape.overstay) add({Goal::kLeaseExpiredWhileHeld, Goal::kReleaseOfLostLease});
  if (scenario.shape.extend && traits.can_extend) add({Goal::kExtended, Goal::kExtendAfterLoss});
  if (traits.renews) add({Goal::kRenewedByItself});
  if (traits.stops && traits.waits) add({Goal::kWaiterStopped});
  if (traits.operators && !scenario.gives_up.writes) add({Goal::kForcedOut});
  using sim::FaultKind;
  if (has({FaultKind::kCrash})) {
    add({Goal::kCrashWhileHolding, Goal::kCrashInSection, Goal::kRecoveredAfterCrash});
  }
  if (has({FaultKind::kLostReply, FaultKind::kResetAfter})) add({Goal::kReplyLostAfterGrant});
  if (has({FaultKind::kPause})) {
    add({Goal::kPausedInSection});
    const auto& classes = scenario.classes;
    if (std::find(classes.begin(), classes.end(), SynchronyClass::kArbitrary) != classes.end()) {
      if (!traits.lasts_as_connection) add({Goal::kPausedPastLease});
      if (scenario.shape.guard == GuardKind::kFenced && traits.fencing) {
        add({Goal::kStaleWriteRefused});
      }
      if (scenario.shape.guard != GuardKind::kNone && has({FaultKind::kDelayRequest})) {
        add({Goal::kWriteHeldUp});
      }
    }
  }
  if (scenario.asks_again) add({Goal::kWentOn});
  if (!rare) return;
  if (scenario.gives_up.writes) add({Goal::kGrantLost});
  if (traits.waits) add({Goal::kWokenAsTimedOut});
  if (traits.quorum) add({Goal::kSplitVote, Goal::kMinorityGivenBack});
  if (traits.quorum && scenario.shape.extend && traits.can_extend) add({Goal::kBareExtension});
  // Whoever promises nothing about the order may have no line.
  if (traits.waits && traits.bypass_bound.value_or(0) > 0) add({Goal::kOvertaken});
  // Without a pause the late extension of an overstaying client comes after the race.
  if (scenario.shape.extend && traits.can_extend && has({FaultKind::kPause})) {
    add({Goal::kRenewalRacedExpiry});
  }
  if (traits.renews && has({FaultKind::kPause})) add({Goal::kLossTold});
  if (has({FaultKind::kLostReply, FaultKind::kResetAfter})) add({Goal::kReleaseReplyLost});
}

}  // namespace

GoalSet ReachableGoals(const Scenario& scenario, const harness::Traits& traits,
                       std::uint64_t runs) {
  GoalSet goals;
  if (!scenario.pinned.empty() || !scenario.fault_class.empty()) return goals;
  const KindModel& model = ModelOf(traits.kind);
  const bool rare = runs >= kRunsForRareGoals;
  if (model.held) AddGoalsOfHolders(scenario, traits, rare, goals);
  if (model.add_goals != nullptr) model.add_goals(scenario, traits, rare, goals);
  return goals;
}

std::vector<harness::LockOptions> LockOptionsFor(const Scenario& scenario, const Workload& workload,
                                                 const harness::Traits& traits) {
  std::vector<harness::LockOptions> all;
  const int beside = ResourcesAtOnce(traits) - 1;
  for (int i = 0; i < workload.resources + beside; ++i) {
    harness::LockOptions& options = all.emplace_back();
    options.key_prefix = scenario.key_prefix;
    options.resource = scenario.resource;
    if (i > 0) options.resource += "/" + std::to_string(i + 1);
    options.lease = std::chrono::duration_cast<std::chrono::milliseconds>(workload.lease);
    options.permits = workload.permits;
    if (workload.topology == sim::Topology::kIndependent) options.masters = workload.nodes;
    options.life = std::chrono::duration_cast<std::chrono::milliseconds>(workload.life);
    if (!ModelOf(traits.kind).held)
      options.parties = static_cast<int>(PartiesOf(workload, i).size());
  }
  for (std::size_t i = 0; beside > 0 && i + 1 < all.size(); ++i) {
    all[i].several = {all[i].resource, all[i + 1].resource};
  }
  return all;
}

harness::LockOptions OptionsOf(int client, harness::LockOptions options) {
  if (client % 2 == 1) std::reverse(options.several.begin(), options.several.end());
  return options;
}

harness::LockOptions WithPlan(const ClientPlan& plan, harness::LockOptions options) {
  options.permits = PermitsWith(plan, options);
  options.lease = LeaseWith(plan, options);
  return options;
}

int PermitsWith(const ClientPlan& plan, const harness::LockOptions& options) {
  return plan.limit.value_or(options.permits);
}

std::chrono::milliseconds LeaseWith(const ClientPlan& plan, const harness::LockOptions& options) {
  if (plan.lease.count() <= 0) return options.lease;
  return std::chrono::duration_cast<std::chrono::milliseconds>(plan.lease);
}

}  // namespace interlock::scenarios
