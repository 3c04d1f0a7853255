// SPDX-License-Identifier: MIT
#include "scenarios/real/real_plan.h"

#include <algorithm>
#include <tuple>

#include "scenarios/campaign.h"
#include "scenarios/generators.h"

namespace interlock::scenarios::real {
namespace {

using std::chrono::milliseconds;

constexpr std::size_t kGenerated = 4;
constexpr std::uint64_t kMostDraws = 5000;
constexpr milliseconds kFixedLease(400);
constexpr milliseconds kShortestLease(150);
constexpr milliseconds kLongestLease(400);
constexpr milliseconds kWantedLength(1000);
constexpr int kMostLeases = 8;  // of busy time: 1.2 s with the shortest lease

bool Crashes(const Scenario& scenario) {
  const auto& faults = scenario.shape.faults;
  return std::find(faults.begin(), faults.end(), sim::FaultKind::kCrash) != faults.end();
}

/// At least two clients that ask, and three requests: enough for somebody to be in somebody's way.
bool Competes(const Workload& workload) {
  std::size_t asking = 0;
  std::size_t requests = 0;
  for (const ClientPlan& client : workload.clients) {
    asking += client.operations.empty() ? 0 : 1;
    requests += client.operations.size();
  }
  return asking >= 2 && requests >= 3;
}

/// Every other workload has a client that dies while it holds; the rest may die at any place.
bool Suits(const Scenario& scenario, const Workload& workload, std::size_t place_in_list) {
  if (!Competes(workload) || BusyTime(workload) > kMostLeases * workload.lease) return false;
  if (!Crashes(scenario)) return true;
  return std::any_of(
      workload.clients.begin(), workload.clients.end(), [&](const ClientPlan& client) {
        return place_in_list % 2 == 0 ? DiesHolding(client) : DeathOf(client).has_value();
      });
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
    if (fault.kind != sim::FaultKind::kCrash) continue;
    const auto step = static_cast<std::size_t>(std::max(fault.step, 0));
    const Death death{step / 3 % client.operations.size(), static_cast<DeathPlace>(step % 3)};
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

std::vector<RealPlan> PlansFor(const Scenario& scenario, std::uint64_t seed, bool readers) {
  if (!scenario.pinned.empty()) return {Cooked(scenario.pinned.front(), kFixedLease)};
  std::vector<RealPlan> plans;
  const Generator generator(scenario, readers);
  for (std::uint64_t index = 0; index < kMostDraws && plans.size() < kGenerated; ++index) {
    const Workload drawn = generator.Draw(RunSeed(seed, scenario, SynchronyClass::kNone, index));
    if (!Suits(scenario, drawn, plans.size())) continue;
    plans.push_back(Cooked(drawn, LeaseFor(drawn)));
  }
  return plans;
}

}  // namespace interlock::scenarios::real
