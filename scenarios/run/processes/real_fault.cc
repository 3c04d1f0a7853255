// SPDX-License-Identifier: MIT
#include "scenarios/run/processes/real_fault.h"

#include <algorithm>

#include "scenarios/cases/raw_workload.h"
#include "scenarios/run/processes/real_plan.h"
#include "sim/choices.h"

namespace interlock::scenarios::real {
namespace {

using enum sim::machine::RealFaultKind;
using sim::FaultKind;

/// A client's message is about three of its steps: before and after it is sent, and the answer.
constexpr int kStepsOfMessage = 3;
/// The longest fault, in leases; a longer one only takes longer.
constexpr int kLongest = 3;

/// The real ways to inject the fault; none if it cannot be done.
std::vector<sim::machine::RealFaultKind> WaysTo(FaultKind kind, bool sentinels) {
  // The Sentinels decide what becomes of a dead primary.
  if (sentinels && kind == FaultKind::kServerKill) kind = FaultKind::kFailover;
  std::vector<sim::machine::RealFaultKind> ways;
  for (const sim::machine::RealFaultInfo& real : sim::machine::KnownRealFaults()) {
    const bool other_failover =
        kind == FaultKind::kFailover && (real.kind == kSentinelFailover) != sentinels;
    const bool stands_for_it = real.simulated == kind || real.also_simulated == kind;
    if (stands_for_it && !other_failover) ways.push_back(real.kind);
  }
  return ways;
}

/// A client that asks several masters takes that many times the steps.
int MostStepsOf(const Workload& workload) {
  return workload.topology == sim::Topology::kIndependent ? kMostSteps * workload.nodes
                                                          : kMostSteps;
}

/// A pause until the nearest lease ends takes a lease and a bit, as nobody knows that end on a real
/// machine.
Duration LengthOf(const PlannedFault& planned, Duration lease) {
  if (sim::FindFault(planned.kind)->scale == sim::FaultScale::kAroundExpiry)
    return lease + lease / 64;
  return std::min(planned.length, kLongest * lease);
}

}  // namespace

std::vector<sim::machine::RealFault> RealFaultsOf(const Workload& workload, std::uint64_t seed,
                                                  bool sentinels) {
  sim::SeededSource source(seed);
  const Duration time = BusyTime(workload) + workload.lease;
  std::vector<sim::machine::RealFault> faults;
  for (std::size_t client = 0; client < workload.clients.size(); ++client) {
    for (const PlannedFault& planned : workload.clients[client].faults) {
      const auto ways = WaysTo(planned.kind, sentinels);
      // A failover takes Sentinels several seconds.
      const bool again =
          std::ranges::count(faults, kSentinelFailover, &sim::machine::RealFault::kind) > 0;
      if (ways.empty() || (again && ways.front() == kSentinelFailover)) continue;
      const auto bound = static_cast<std::uint32_t>(ways.size());
      sim::machine::RealFault fault;
      fault.kind = ways[bound > 1 ? source.Draw(sim::Lane::kFault, bound) : 0];
      fault.client = static_cast<int>(client);
      fault.step = planned.step;
      fault.length = LengthOf(planned, workload.lease);
      const sim::machine::RealFaultPlace place = InfoOf(fault.kind).place;
      if (place == sim::machine::RealFaultPlace::kLink) fault.step /= kStepsOfMessage;
      if (place == sim::machine::RealFaultPlace::kServer)
        fault.at = time * planned.step / MostStepsOf(workload);
      fault.node = planned.node;
      faults.push_back(fault);
    }
  }
  std::ranges::stable_sort(faults, {}, &sim::machine::RealFault::at);
  return faults;
}

}  // namespace interlock::scenarios::real
