// SPDX-License-Identifier: MIT
#include "scenarios/raw_workload.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>
#include <utility>

namespace interlock::scenarios {
namespace {

using sim::FaultKind;

// Parts of the lease, in 1/1024: powers of two, so that an even draw is log-uniform; around the
// lease itself, where locks break, some more.
constexpr auto kThink = std::to_array({0, 1, 4, 16, 64, 256, 640, 1100});
constexpr auto kWait = std::to_array({16, 32, 64, 128, 256, 512, 1024, 2048, 4096});
constexpr auto kHold =
    std::to_array({4, 1, 2, 8, 16, 32, 64, 128, 256, 512, 960, 1020, 1100, 1600});
constexpr auto kOverstay = std::to_array({0, 1, 20, 256, 1024});
constexpr auto kPause =
    std::to_array({16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384, 32768, 65536});
// The last one is longer than any phase of a run: it arrives when all is healed.
constexpr auto kDelay = std::to_array({16, 32, 64, 128, 256, 512, 1024, 1500, 2048, 4096, 1 << 22});
constexpr auto kPartition = std::to_array({64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384});
constexpr auto kDown = std::to_array({16, 64, 256, 512, 1024, 1500, 4096});
constexpr auto kJump = std::to_array({16, 128, 512, 1024, 4096, 65536});
constexpr auto kAroundExpiry =
    std::to_array({0, 1, -1, 8, -8, 64, -64, 512, -512, 1200, -1024, 4096});
// Of the shape's most, in 1/8.
constexpr auto kRate = std::to_array({1, -1, 2, -2, 4, -4, 8, -8});
// Odd ones show who counts in seconds or tens, tiny ones who cannot be so quick.
constexpr auto kLeaseMs = std::to_array({1000, 100, 250, 2000, 5000, 333, 1001, 777, 1700, 50, 17});
constexpr auto kLatency = std::to_array({16, 1, 2, 4, 8, 32, 64, 128, 160});  // in 1/16384

std::span<const int> LengthLadder(FaultKind kind) {
  const sim::FaultInfo* info = sim::FindFault(kind);
  if (info == nullptr || info->length == sim::FaultLength::kUnused) return {};
  if (info->length == sim::FaultLength::kPpm) return kRate;
  switch (kind) {
    case FaultKind::kExpiry:
      return kAroundExpiry;
    case FaultKind::kDelayRequest:
    case FaultKind::kDelayReply:
      return kDelay;
    case FaultKind::kPartition:
    case FaultKind::kPartitionToServer:
    case FaultKind::kPartitionFromServer:
      return kPartition;
    case FaultKind::kRestart:
    case FaultKind::kRestartSameIdentity:
    case FaultKind::kServerKill:
    case FaultKind::kServerPowerLoss:
    case FaultKind::kFailover:
      return kDown;
    case FaultKind::kSplitBrain:
    case FaultKind::kReplicationStop:
    case FaultKind::kLoading:
    case FaultKind::kReadonly:
    case FaultKind::kOom:
    case FaultKind::kBusy:
    case FaultKind::kMoved:
      return kPartition;
    case FaultKind::kClientClockJump:
      return kJump;
    default:
      // Back as well as forward, if it may be.
      if (info->length == sim::FaultLength::kSigned) return kAroundExpiry;
      return kPause;
  }
}

int Rung(std::span<const int> ladder, int index) {
  const auto last = static_cast<int>(ladder.size()) - 1;
  return ladder[static_cast<std::size_t>(std::clamp(index, 0, last))];
}

Duration Part(Duration lease, std::span<const int> ladder, int index) {
  return lease * Rung(ladder, index) / 1024;
}

Duration FaultLength(const WorkloadShape& shape, const RawFault& fault, Duration lease) {
  const std::span<const int> ladder = LengthLadder(fault.kind);
  if (ladder.empty()) return {};
  if (sim::FindFault(fault.kind)->length == sim::FaultLength::kPpm) {
    return Duration(shape.max_rate_ppm * Rung(ladder, fault.length) / 8);
  }
  return Part(lease, ladder, fault.length);
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
  return operation;
}

class Smaller {
 public:
  explicit Smaller(const RawWorkload& raw) : raw_(raw) {}

  std::vector<RawWorkload> All() {
    Parts([](RawWorkload& raw) { return &raw.clients; }, 2);
    for (std::size_t i = 0; i < raw_.clients.size(); ++i) {
      Parts([i](RawWorkload& raw) { return &raw.clients[i].faults; }, 0);
    }
    for (std::size_t i = 0; i < raw_.clients.size(); ++i) {
      Parts([i](RawWorkload& raw) { return &raw.clients[i].operations; }, 0);
    }
    Numbers();
    return std::move(smaller_);
  }

 private:
  /// Halving pieces left out, as long as `least` remain.
  template <typename Place>
  void Parts(const Place& place, std::size_t least) {
    const std::size_t size = place(raw_)->size();
    if (size <= least) return;
    for (std::size_t piece = size - least; piece > 0; piece /= 2) {
      for (std::size_t from = 0; from + piece <= size; from += piece) {
        RawWorkload& one = smaller_.emplace_back(raw_);
        auto* parts = place(one);
        const auto begin = parts->begin() + static_cast<std::ptrdiff_t>(from);
        parts->erase(begin, begin + static_cast<std::ptrdiff_t>(piece));
      }
    }
  }

  template <typename Place>
  void Number(const Place& place) {
    const int value = *place(raw_);
    if (value == 0) return;
    *place(smaller_.emplace_back(raw_)) = 0;
    if (value / 2 > 0) *place(smaller_.emplace_back(raw_)) = value / 2;
    if (value - 1 > value / 2) *place(smaller_.emplace_back(raw_)) = value - 1;
  }

  void Numbers() {
    Number([](RawWorkload& raw) { return &raw.lease; });
    Number([](RawWorkload& raw) { return &raw.latency; });
    Number([](RawWorkload& raw) { return &raw.permits; });
    Number([](RawWorkload& raw) { return &raw.persistence; });
    Resources();
    for (std::size_t i = 0; i < raw_.clients.size(); ++i) {
      Number([i](RawWorkload& raw) { return &raw.clients[i].offset; });
      Number([i](RawWorkload& raw) { return &raw.clients[i].rate; });
      for (std::size_t j = 0; j < raw_.clients[i].operations.size(); ++j) {
        for (int RawOperation::*const field :
             {&RawOperation::ask, &RawOperation::think, &RawOperation::wait, &RawOperation::hold,
              &RawOperation::extend, &RawOperation::overstay, &RawOperation::resource,
              &RawOperation::inside}) {
          Number([=](RawWorkload& raw) { return &(raw.clients[i].operations[j].*field); });
        }
      }
      for (std::size_t j = 0; j < raw_.clients[i].faults.size(); ++j) {
        for (int RawFault::*const field : {&RawFault::step, &RawFault::length, &RawFault::node}) {
          Number([=](RawWorkload& raw) { return &(raw.clients[i].faults[j].*field); });
        }
      }
    }
  }

  /// Everybody asks for the one resource that is left.
  void Resources() {
    if (raw_.resources == 0) return;
    RawWorkload& one = smaller_.emplace_back(raw_);
    one.resources = 0;
    for (RawClient& client : one.clients) {
      for (RawOperation& operation : client.operations) operation.resource = operation.inside = 0;
    }
  }

  RawWorkload raw_;
  std::vector<RawWorkload> smaller_;
};

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
                          Rungs(kRate) + 1};

int LengthRungs(FaultKind kind) { return std::max(1, static_cast<int>(LengthLadder(kind).size())); }

Workload Cooked(const WorkloadShape& shape, const RawWorkload& raw) {
  Workload workload;
  workload.lease = std::chrono::milliseconds(Rung(kLeaseMs, raw.lease));
  workload.latency_max = workload.lease * Rung(kLatency, raw.latency) / 16384;
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
    client.operations.reserve(one.operations.size());
    for (const RawOperation& operation : one.operations) {
      client.operations.push_back(Cooked(operation, workload.lease));
    }
    client.faults.reserve(one.faults.size());
    for (const RawFault& fault : one.faults) {
      const int node = std::min(fault.node, workload.nodes - 1);
      client.faults.push_back(
          {fault.kind, fault.step, FaultLength(shape, fault, workload.lease), node});
    }
  }
  return workload;
}

std::vector<RawWorkload> SmallerThan(const RawWorkload& raw) { return Smaller(raw).All(); }

}  // namespace interlock::scenarios
