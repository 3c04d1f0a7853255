// SPDX-License-Identifier: MIT
#include "scenarios/cases/raw_workload.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>

#include "sim/setting.h"

namespace interlock::scenarios {
namespace {

using sim::FaultKind;

// Parts of the lease, in 1/1024: powers of two, so that an even draw is log-uniform; around the
// lease itself, where locks break, some more.
constexpr auto kThink = std::to_array({0, 1, 4, 16, 64, 256, 640, 1100});
constexpr auto kWait = std::to_array({16, 32, 64, 128, 256, 512, 1024, 2048, 4096});
constexpr auto kHold =
    std::to_array({4, 1, 2, 8, 16, 32, 64, 128, 256, 512, 960, 1020, 1100, 1600});
constexpr auto kStopAfter = std::to_array({256, 1, 4, 16, 64, 128, 512, 640, 1024, 1100, 2048, 0});
constexpr auto kOverstay = std::to_array({0, 1, 20, 256, 1024});
constexpr auto kPause =
    std::to_array({16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384, 32768, 65536});
// The last one is longer than any phase of a run: it arrives when all is healed.
constexpr auto kDelay = std::to_array({16, 32, 64, 128, 256, 512, 1024, 1500, 2048, 4096, 1 << 22});
constexpr auto kOutage = std::to_array({64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384});
constexpr auto kDown = std::to_array({16, 64, 256, 512, 1024, 1500, 4096});
constexpr auto kJump = std::to_array({16, 128, 512, 1024, 4096, 65536});
constexpr auto kAroundExpiry =
    std::to_array({0, 1, -1, 8, -8, 64, -64, 512, -512, 1200, -1024, 4096});
// Eighths of the shape's highest rate.
constexpr auto kRate = std::to_array({1, -1, 2, -2, 4, -4, 8, -8});
// Odd ones show which lock counts in seconds or tens. Below 100 ms a sound lock that looks at
// intervals could not keep its place in a line.
constexpr auto kLeaseMs = std::to_array({1000, 100, 250, 2000, 5000, 333, 1001, 777, 1700});
constexpr auto kLatency = std::to_array({16, 1, 2, 4, 8, 32, 64, 128, 160});  // in 1/16384
/// Through Sentinels, 18 messages go ahead of a first command (to connect to, to greet and to ask
/// two of them and the master); the time limits of clients are meant for all of these together.
constexpr int kQuickerForSentinels = 4;

constexpr auto kLife = std::to_array({0, 4096, 2048, 1024, 512, 256});
constexpr auto kClientLease = std::to_array({0, 512, 256});
// Shares of the time that a limit is in force without any grant: two of these are longer.
constexpr auto kAge = std::to_array({0, 600, 960});

std::span<const int> LengthLadder(FaultKind kind) {
  const sim::FaultInfo* info = sim::FindFault(kind);
  if (info == nullptr) return {};
  switch (info->scale) {
    case sim::FaultScale::kNoLength:
      return {};
    case sim::FaultScale::kStandstill:
      return kPause;
    case sim::FaultScale::kDelay:
      return kDelay;
    case sim::FaultScale::kOutage:
      return kOutage;
    case sim::FaultScale::kDowntime:
      return kDown;
    case sim::FaultScale::kJump:
      return kJump;
    case sim::FaultScale::kStep:
    case sim::FaultScale::kAroundExpiry:
      return kAroundExpiry;
    case sim::FaultScale::kRate:
      return kRate;
  }
  return {};
}

int Rung(std::span<const int> ladder, int index) {
  const auto last = static_cast<int>(ladder.size()) - 1;
  return ladder[static_cast<std::size_t>(std::clamp(index, 0, last))];
}

Duration Part(Duration lease, std::span<const int> ladder, int index) {
  return lease * Rung(ladder, index) / 1024;
}

Duration InMilliseconds(Duration length) {
  return std::chrono::floor<std::chrono::milliseconds>(length);
}

Operation Cooked(const RawOperation& raw, Duration lease) {
  Operation operation;
  operation.ask = static_cast<Ask>(raw.ask);
  operation.think = Part(lease, kThink, raw.think);
  if (operation.ask == Ask::kWaitFor) operation.wait = Part(lease, kWait, raw.wait);
  operation.hold = Part(lease, kHold, raw.hold);
  operation.extend = raw.extend != 0;
  operation.overstay = Part(lease, kOverstay, raw.overstay);
  operation.resource = raw.resource;
  operation.inside = raw.inside != 0;
  operation.outlives = raw.outlives != 0;
  operation.shared = raw.shared != 0;
  operation.sets_limit = raw.sets_limit;
  operation.stops = raw.stop > 0;
  if (operation.stops && raw.stop < kStopsInStep) {
    operation.stop_after = Part(lease, kStopAfter, raw.stop - 1);
  }
  operation.forces = raw.force != 0;
  return operation;
}

/// A waiter that is woken by somebody's release just then has two things to do.
void StopInStepWithOthers(const RawWorkload& raw, Workload& workload) {
  for (std::size_t i = 0; i < raw.clients.size(); ++i) {
    for (std::size_t j = 0; j < raw.clients[i].operations.size(); ++j) {
      const int in_step = raw.clients[i].operations[j].stop - kStopsInStep;
      if (in_step < 0) continue;
      const auto client = static_cast<std::size_t>(in_step / kMostLate) % workload.clients.size();
      const std::vector<Operation>& others = workload.clients[client].operations;
      Operation& stopped = workload.clients[i].operations[j];
      const Duration over = others.empty() ? Duration{} : others[0].think + others[0].hold;
      stopped.stop_after =
          std::max(over - stopped.think, Duration{}) + in_step % kMostLate * workload.latency_max;
    }
  }
}

template <std::size_t N>
constexpr int Rungs(const std::array<int, N>& /*ladder*/) {
  return static_cast<int>(N);
}

}  // namespace

const Ladders kLadders = {Rungs(kLeaseMs),
                          Rungs(kLatency),
                          Rungs(kThink),
                          Rungs(kWait),
                          Rungs(kHold),
                          Rungs(kOverstay),
                          4,
                          Rungs(kRate) + 1,
                          Rungs(kLife),
                          Rungs(kAge),
                          Rungs(kClientLease),
                          Rungs(kStopAfter)};

int LengthRungs(FaultKind kind) { return std::max(1, static_cast<int>(LengthLadder(kind).size())); }

Duration FaultLength(FaultKind kind, int rung, Duration lease, std::int64_t max_rate_ppm) {
  const std::span<const int> ladder = LengthLadder(kind);
  if (ladder.empty()) return {};
  if (sim::FindFault(kind)->scale == sim::FaultScale::kRate) {
    return Duration(max_rate_ppm * Rung(ladder, rung) / 8);
  }
  return Part(lease, ladder, rung);
}

Workload Cooked(const WorkloadShape& shape, const RawWorkload& raw) {
  Workload workload;
  workload.lease = std::chrono::milliseconds(Rung(kLeaseMs, raw.lease));
  workload.life = InMilliseconds(Part(workload.lease, kLife, raw.life));
  workload.latency_max = workload.lease * Rung(kLatency, raw.latency) / 16384;
  if (sim::SentinelsOf(shape.topology) > 0) workload.latency_max /= kQuickerForSentinels;
  workload.permits = shape.min_permits + raw.permits;
  workload.resources = 1 + raw.resources;
  workload.topology = shape.topology;
  workload.nodes = shape.nodes;
  workload.persistence = shape.persistence[static_cast<std::size_t>(raw.persistence)];
  workload.guard = shape.guard;
  workload.clients.reserve(raw.clients.size());
  for (const RawClient& one : raw.clients) {
    ClientPlan& client = workload.clients.emplace_back();
    client.clock_offset = std::chrono::seconds(1000) * one.offset;
    if (one.rate > 0) client.clock_rate_ppm = shape.max_rate_ppm * Rung(kRate, one.rate - 1) / 8;
    if (one.limit > 0) client.limit = one.limit - 1;
    client.lease = InMilliseconds(Part(workload.lease, kClientLease, one.lease));
    if (one.shares_objects != 0 && workload.clients.size() > 1) {
      client = workload.clients[workload.clients.size() - 2];
      client.shares_objects = true;
      client.operations.clear();
      client.faults.clear();
    }
    client.operations.reserve(one.operations.size());
    for (const RawOperation& operation : one.operations) {
      client.operations.push_back(Cooked(operation, workload.lease));
      const Duration stands = shape.extras.limit_stands.value_or(std::chrono::milliseconds(0));
      client.operations.back().think += stands / 1024 * Rung(kAge, operation.age);
    }
    client.faults.reserve(one.faults.size());
    for (const RawFault& fault : one.faults) {
      const int node = std::min(fault.node, workload.nodes - 1);
      const Duration length =
          FaultLength(fault.kind, fault.length, workload.lease, shape.max_rate_ppm);
      client.faults.push_back({fault.kind, fault.step, length, node});
    }
  }
  StopInStepWithOthers(raw, workload);
  return workload;
}

}  // namespace interlock::scenarios
