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

struct Way {
  FaultKind simulated;
  sim::machine::RealFaultKind real;
};

constexpr auto kWays = std::to_array<Way>({
    {FaultKind::kPause, kPause},
    {FaultKind::kExpiry, kPause},
    {FaultKind::kDelayRequest, kDelayRequest},
    {FaultKind::kDelayReply, kDelayReply},
    {FaultKind::kLostRequest, kLostRequest},
    {FaultKind::kLostReply, kLostReply},
    {FaultKind::kResetBefore, kResetBefore},
    {FaultKind::kResetAfter, kResetAfter},
    {FaultKind::kHalfOpen, kHalfOpen},
    {FaultKind::kPartition, kPartition},
    {FaultKind::kPartitionToServer, kPartitionToServer},
    {FaultKind::kPartitionFromServer, kPartitionFromServer},
    {FaultKind::kServerKill, kServerKill},
    // The kernel lives on, so no more is lost than by a kill.
    {FaultKind::kServerPowerLoss, kServerKill},
    {FaultKind::kServerPause, kServerPause},
    {FaultKind::kServerPause, kServerSleep},
    {FaultKind::kServerPause, kClientPauseAll},
    {FaultKind::kServerPause, kClientPauseWrite},
    {FaultKind::kReadonly, kReadonly},
    {FaultKind::kOom, kOom},
    {FaultKind::kBusy, kBusy},
    {FaultKind::kScriptFlush, kScriptFlush},
    {FaultKind::kClientKill, kClientKill},
    {FaultKind::kFlushAll, kFlushAll},
    {FaultKind::kAdminDel, kAdminDel},
    {FaultKind::kEvict, kAdminDel},
    {FaultKind::kReplicationStop, kReplicationStop},
    {FaultKind::kFailover, kFailover},
    {FaultKind::kFailover, kSentinelFailover},
    {FaultKind::kSplitBrain, kSplitBrain},
});

/// The real ways to inject the fault; none if it cannot be done.
std::vector<sim::machine::RealFaultKind> WaysTo(FaultKind kind, bool sentinels) {
  // The Sentinels decide what becomes of a dead primary.
  if (sentinels && kind == FaultKind::kServerKill) kind = FaultKind::kFailover;
  std::vector<sim::machine::RealFaultKind> ways;
  for (const Way& way : kWays) {
    const bool other_failover =
        kind == FaultKind::kFailover && (way.real == kSentinelFailover) != sentinels;
    if (way.simulated == kind && !other_failover) ways.push_back(way.real);
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
  if (planned.kind == FaultKind::kExpiry) return lease + lease / 64;
  return std::min(planned.length, kLongest * lease);
}

}  // namespace

std::string_view WhyNotReal(FaultKind kind) {
  if (kind == FaultKind::kCrash || kind == FaultKind::kRestart) return "";
  if (!WaysTo(kind, false).empty()) return "";
  switch (kind) {
    case FaultKind::kPauseClockFrozen:
    case FaultKind::kClientClockJump:
    case FaultKind::kClientClockRate:
    case FaultKind::kServerClockJump:
    case FaultKind::kServerClockRate:
      return "all processes of a machine have its clock";
    case FaultKind::kEntropyRepeat:
    case FaultKind::kEntropyAlike:
    case FaultKind::kRestartSameIdentity:
      return "a real machine's random bytes do not repeat";
    case FaultKind::kLostPush:
      return "TCP loses no single message";
    default:
      return "it is an answer that a server has no reason to give here";
  }
}

std::vector<sim::machine::RealFault> RealFaultsOf(const Workload& workload, std::uint64_t seed,
                                                  bool sentinels) {
  sim::SeededSource source(seed);
  const Duration time = BusyTime(workload) + workload.lease;
  std::vector<sim::machine::RealFault> faults;
  for (std::size_t client = 0; client < workload.clients.size(); ++client) {
    for (const PlannedFault& planned : workload.clients[client].faults) {
      const auto ways = WaysTo(planned.kind, sentinels);
      const bool again =
          std::any_of(faults.begin(), faults.end(), [](const sim::machine::RealFault& fault) {
            return fault.kind == kSentinelFailover;  // which takes Sentinels several seconds
          });
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
  std::stable_sort(faults.begin(), faults.end(),
                   [](const sim::machine::RealFault& a, const sim::machine::RealFault& b) {
                     return a.at < b.at;
                   });
  return faults;
}

}  // namespace interlock::scenarios::real
