// SPDX-License-Identifier: MIT
#include "scenarios/run/processes/real_plan.h"

#include <algorithm>
#include <tuple>

#include "scenarios/cases/generators.h"
#include "scenarios/run/processes/real_fault.h"

namespace interlock::scenarios::real {
namespace {

using std::chrono::milliseconds;

constexpr std::size_t kGenerated = 4;
constexpr std::uint64_t kMostDraws = 8000;
/// After this number of draws in vain, a workload no longer needs to be telling.
constexpr std::uint64_t kChoosyDraws = 1500;
/// A client's last command is one of the first kSends of a request.
constexpr std::size_t kSends = 3;
constexpr milliseconds kFixedLease(400);
constexpr milliseconds kShortestLease(150);
constexpr milliseconds kLongestLease(400);
constexpr milliseconds kWantedLength(1000);
constexpr int kMostLeases = 8;  // of busy time: 1.2 s with the shortest lease

bool IsDeath(sim::FaultKind kind) {
  return kind == sim::FaultKind::kCrash || kind == sim::FaultKind::kRestart;
}

/// Whether at least two clients ask, and at least three requests are made: enough for one client to
/// be in another's way.
bool Competes(const Workload& workload) {
  std::size_t asking = 0;
  std::size_t requests = 0;
  for (const ClientPlan& client : workload.clients) {
    asking += client.operations.empty() ? 0 : 1;
    requests += client.operations.size();
  }
  return asking >= 2 && requests >= 3;
}

template <typename Is>
bool AnyOperation(const Workload& workload, const Is& is) {
  return std::ranges::any_of(workload.clients, [&](const ClientPlan& client) {
    return std::ranges::any_of(client.operations,
                               [&](const Operation& one) { return is(&client, one); });
  });
}

/// Whether some client returns to a lease that is over, perhaps to extend it, when another one that
/// has waited for the lock holds it.
bool ComesBackLate(const Workload& workload, bool extends) {
  return AnyOperation(workload, [&](const ClientPlan* late, const Operation& first) {
    const Duration over = first.overstay;
    if (over < workload.lease / 64 || first.ask == Ask::kTry || first.extend != extends) {
      return false;
    }
    return AnyOperation(workload, [&](const ClientPlan* client, const Operation& next) {
      return client != late && next.ask == Ask::kWait && next.think < workload.lease / 2 &&
             next.hold > over + workload.lease / 8;
    });
  });
}

/// Whether some client gives up while another one holds.
bool GivesUp(const Workload& workload) {
  return AnyOperation(workload, [&](const ClientPlan* impatient, const Operation& waits) {
    if (waits.ask != Ask::kWaitFor || waits.wait > workload.lease / 4) return false;
    return AnyOperation(workload, [&](const ClientPlan* client, const Operation& holds) {
      return client != impatient && holds.ask == Ask::kWait && holds.hold > 2 * waits.wait;
    });
  });
}

/// Whether the workload has this fault, if the scenario does.
bool Has(const WorkloadShape& shape, const Workload& workload, sim::FaultKind kind) {
  return std::ranges::count(shape.faults, kind) == 0 ||
         std::ranges::any_of(workload.clients, [kind](const ClientPlan& client) {
           return std::ranges::count(client.faults, kind, &PlannedFault::kind) > 0;
         });
}

/// Whether the workload exercises what its scenario is about, as few do: somebody comes back late,
/// a replica is promoted; and in every other workload somebody dies while holding, or gives up.
bool IsTelling(const WorkloadShape& shape, const Workload& workload, std::size_t place_in_list) {
  const bool deaths = std::ranges::any_of(shape.faults, IsDeath);
  if (!Has(shape, workload, sim::FaultKind::kFailover)) return false;
  if (!Has(shape, workload, sim::FaultKind::kSplitBrain)) return false;
  const bool extends = shape.extend && place_in_list % 2 == 0;
  if (shape.overstay && !ComesBackLate(workload, extends)) return false;
  if (place_in_list % 2 != 0) return true;
  if (deaths && std::ranges::none_of(workload.clients, DiesHolding)) return false;
  return shape.overstay || !shape.faults.empty() || GivesUp(workload);
}

/// Whether the workload meets any real fault or a client's death.
bool MeetsFaults(const Workload& workload) {
  return !RealFaultsOf(workload, 0, false).empty() ||
         std::ranges::any_of(workload.clients,
                             [](const ClientPlan& client) { return DeathOf(client).has_value(); });
}

bool Suits(const WorkloadShape& shape, const Workload& workload) {
  if (!Competes(workload) || BusyTime(workload) > kMostLeases * workload.lease) return false;
  return shape.faults.empty() || MeetsFaults(workload);
}

milliseconds LeaseFor(const Workload& workload) {
  const Duration busy = std::max(BusyTime(workload), workload.lease);
  const Duration wanted = workload.lease / std::chrono::milliseconds(1) * Duration(kWantedLength) /
                          (busy / std::chrono::milliseconds(1));
  return std::clamp(std::chrono::duration_cast<milliseconds>(wanted), kShortestLease,
                    kLongestLease);
}

RealPlan Cooked(const Workload& workload, milliseconds lease) {
  return {Scaled(workload, lease), std::chrono::duration_cast<milliseconds>(workload.lease)};
}

}  // namespace

std::optional<Death> DeathOf(const ClientPlan& client) {
  std::optional<Death> first;
  if (client.operations.empty()) return first;
  for (const PlannedFault& fault : client.faults) {
    if (!IsDeath(fault.kind)) continue;
    const auto step = static_cast<std::size_t>(std::max(fault.step, 0));
    Death death{step / 3 % client.operations.size(), static_cast<DeathPlace>(step % 3)};
    death.sends = 1 + static_cast<int>(step / 9 % kSends);
    death.reborn = fault.kind == sim::FaultKind::kRestart;
    if (!first.has_value() ||
        std::tuple(death.operation, death.place) < std::tuple(first->operation, first->place)) {
      first = death;
    }
  }
  return first;
}

bool DiesHolding(const ClientPlan& client) {
  const std::optional<Death> death = DeathOf(client);
  if (!death.has_value() || death->place != DeathPlace::kInSection) return false;
  const auto from = client.operations.begin() + static_cast<std::ptrdiff_t>(death->operation);
  return std::any_of(from, client.operations.end(),
                     [](const Operation& operation) { return operation.ask == Ask::kWait; });
}

Duration BusyTime(const Workload& workload) {
  Duration inside{};
  Duration longest_thought{};
  for (const ClientPlan& client : workload.clients) {
    Duration thought{};
    for (const Operation& operation : client.operations) {
      inside += std::min(operation.hold, workload.lease) + operation.overstay;
      thought += operation.think;
    }
    longest_thought = std::max(longest_thought, thought);
  }
  return inside + longest_thought;
}

Workload Scaled(const Workload& workload, milliseconds lease) {
  const auto original = std::chrono::duration_cast<milliseconds>(workload.lease).count();
  const auto scale = [&](Duration& length) {
    // Minutes of nanoseconds times hundreds of milliseconds stay far below the limit of 64 bits.
    length = Duration(length.count() * lease.count() / original);
  };
  Workload scaled = workload;
  scaled.lease = lease;
  scale(scaled.latency_max);
  for (ClientPlan& client : scaled.clients) {
    for (Operation& operation : client.operations) {
      scale(operation.think);
      scale(operation.wait);
      scale(operation.hold);
      scale(operation.overstay);
    }
    for (PlannedFault& fault : client.faults) scale(fault.length);
  }
  return scaled;
}

std::string_view WhyNotHere(const Scenario& scenario, bool own) {
  if (scenario.on_real_redis) return "";
  if (!own) return "another one's servers are left in peace";
  if (!scenario.pinned.empty()) return "a named case needs its instants";
  if (scenario.shape.nest) return "a run has one resource";
  if (scenario.shape.share_objects) return "each client is a process of its own";
  if (scenario.shape.guard != GuardKind::kNone) return "nothing is guarded outside of Redis";
  if (!scenario.shape.faults.empty() && RealShape(scenario).faults.empty()) {
    return sim::FindFault(scenario.shape.faults.front())->unreal;
  }
  return "";
}

WorkloadShape RealShape(const Scenario& scenario) {
  WorkloadShape shape = scenario.shape;
  std::erase_if(shape.faults,
                [](sim::FaultKind kind) { return !sim::FindFault(kind)->unreal.empty(); });
  shape.max_resources = 1;
  shape.max_rate_ppm = 0;
  return shape;
}

std::vector<RealPlan> PlansFor(const Scenario& scenario, const SeedOfRun& seed_of, bool readers) {
  if (!scenario.pinned.empty()) return {Cooked(scenario.pinned.front(), kFixedLease)};
  std::vector<RealPlan> plans;
  Scenario here = scenario;
  here.shape = RealShape(scenario);
  const Generator generator(here, Extras{.readers = readers});
  std::uint64_t in_vain = 0;
  for (std::uint64_t index = 0; index < kMostDraws && plans.size() < kGenerated; ++index) {
    const Workload drawn = generator.Draw(seed_of(index));
    if (!Suits(here.shape, drawn)) continue;
    const bool choosy = ++in_vain < kChoosyDraws;
    if (choosy && !IsTelling(here.shape, drawn, plans.size())) continue;
    plans.push_back(Cooked(drawn, LeaseFor(drawn)));
    in_vain = 0;
  }
  return plans;
}

}  // namespace interlock::scenarios::real
