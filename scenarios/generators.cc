// SPDX-License-Identifier: MIT
//
// Every number is an index into a ladder of durations relative to the lease, lowest first, so that
// RapidCheck's way of making integers smaller makes the case calmer.
#include "scenarios/generators.h"

#include <array>
#include <tuple>
#include <utility>
#include <vector>

#include <rapidcheck.h>

namespace interlock::scenarios {
namespace {

constexpr int kSize = 100;  // at this size every range is used in full
constexpr int kMaxStep = 45;

/// Parts of the lease, in 1/1024.
constexpr std::array<int, 6> kThink = {0, 4, 64, 256, 640, 1100};
constexpr std::array<int, 6> kWait = {16, 128, 512, 1024, 2048, 4096};
constexpr std::array<int, 8> kHold = {4, 32, 128, 512, 960, 1020, 1100, 1600};
constexpr std::array<int, 4> kOverstay = {1, 20, 256, 1024};
constexpr std::array<int, 10> kPause = {16, 32, 64, 128, 256, 512, 1024, 1500, 2048, 8192};
constexpr std::array<int, 6> kAroundExpiry = {0, 1, 8, 64, 512, 1200};
constexpr std::array<int, 5> kLeaseMs = {1000, 100, 250, 2000, 5000};
constexpr std::array<int, 3> kLatency = {1, 3, 10};  // slowest message, in 1/1024 of the lease

template <std::size_t N>
Duration Part(Duration lease, const std::array<int, N>& ladder, int index) {
  return lease * ladder[static_cast<std::size_t>(index)] / 1024;
}

struct RawOperation {
  int ask, think, wait, hold, extend, overstay;
};
struct RawFault {
  int kind, step, length;
};
struct RawClient {
  std::vector<RawOperation> operations;
  std::vector<RawFault> faults;
  int offset;
};
using RawWorkload = std::tuple<int, int, int, std::vector<int>, std::vector<RawClient>>;

rc::Gen<int> Below(int bound) { return rc::gen::resize(kSize, rc::gen::inRange(0, bound)); }

template <typename T>
rc::Gen<std::vector<T>> UpTo(int most, rc::Gen<T> element) {
  return rc::gen::resize(
      most, rc::gen::container<std::vector<T>>(rc::gen::resize(kSize, std::move(element))));
}

rc::Gen<RawOperation> OperationGen(const WorkloadShape& shape) {
  // Extending and overstaying are the rarer cases: indices past the ladder mean "no".
  return rc::gen::map(
      rc::gen::tuple(Below(3), Below(kThink.size()), Below(kWait.size()), Below(kHold.size()),
                     Below(shape.extend ? 4 : 1), Below(shape.overstay ? 10 : 1)),
      [](const std::tuple<int, int, int, int, int, int>& raw) {
        const auto [ask, think, wait, hold, extend, overstay] = raw;
        return RawOperation{ask, think, wait, hold, extend, overstay};
      });
}

rc::Gen<RawFault> FaultGen(const WorkloadShape& shape) {
  // A smaller index would be another kind, perhaps one that the swarm has switched on: not simpler.
  auto any_kind = rc::gen::noShrink(Below(static_cast<int>(shape.faults.size())));
  return rc::gen::map(rc::gen::tuple(std::move(any_kind), Below(kMaxStep), Below(60)),
                      [](const std::tuple<int, int, int>& raw) {
                        const auto [kind, step, length] = raw;
                        return RawFault{kind, step, length};
                      });
}

rc::Gen<RawClient> ClientGen(const WorkloadShape& shape) {
  rc::Gen<std::vector<RawFault>> faults = shape.faults.empty()
                                              ? rc::gen::just(std::vector<RawFault>{})
                                              : UpTo(shape.max_faults, FaultGen(shape));
  return rc::gen::map(
      rc::gen::tuple(UpTo(shape.max_operations, OperationGen(shape)), std::move(faults), Below(4)),
      [](std::tuple<std::vector<RawOperation>, std::vector<RawFault>, int> raw) {
        return RawClient{std::move(std::get<0>(raw)), std::move(std::get<1>(raw)),
                         std::get<2>(raw)};
      });
}

rc::Gen<RawWorkload> WorkloadGen(const WorkloadShape& shape) {
  auto clients =
      rc::gen::suchThat(UpTo(shape.max_clients, ClientGen(shape)),
                        [](const std::vector<RawClient>& some) { return some.size() >= 2; });
  // One switch per kind of fault, so that making the case smaller only ever switches kinds off.
  auto swarm = rc::gen::container<std::vector<int>>(shape.faults.size(), Below(2));
  return rc::gen::tuple(Below(kLeaseMs.size()), Below(kLatency.size()),
                        Below(shape.max_permits - shape.min_permits + 1), std::move(swarm),
                        std::move(clients));
}

Duration FaultLength(sim::FaultKind kind, int index, Duration lease) {
  if (kind == sim::FaultKind::kExpiry) {
    const int places = static_cast<int>(kAroundExpiry.size());
    const Duration part = Part(lease, kAroundExpiry, index % places);
    return (index / places) % 3 == 1 ? -part : part;
  }
  return Part(lease, kPause, index % static_cast<int>(kPause.size()));
}

Operation Cook(const RawOperation& raw, Duration lease) {
  Operation operation;
  operation.ask = static_cast<Ask>(raw.ask);
  operation.think = Part(lease, kThink, raw.think);
  if (operation.ask == Ask::kWaitFor) operation.wait = Part(lease, kWait, raw.wait);
  operation.hold = Part(lease, kHold, raw.hold);
  operation.extend = raw.extend == 3;
  const int none = 6;  // of ten
  if (raw.overstay >= none) operation.overstay = Part(lease, kOverstay, raw.overstay - none);
  return operation;
}

Workload Cook(const WorkloadShape& shape, const RawWorkload& raw) {
  const auto& [lease, latency, permits, swarm, clients] = raw;
  Workload workload;
  workload.lease = std::chrono::milliseconds(kLeaseMs[static_cast<std::size_t>(lease)]);
  workload.latency_max = Part(workload.lease, kLatency, latency);
  workload.permits = shape.min_permits + permits;
  workload.topology = shape.topology;
  workload.nodes = shape.nodes;
  workload.persistence = shape.persistence;
  for (const RawClient& one : clients) {
    ClientPlan client;
    client.clock_offset = std::chrono::seconds(1000) * one.offset;
    for (const RawOperation& operation : one.operations) {
      client.operations.push_back(Cook(operation, workload.lease));
    }
    for (const RawFault& fault : one.faults) {
      // About half of the kinds are switched off in each run; a scenario's only kind never is.
      const bool on = swarm[static_cast<std::size_t>(fault.kind)] == 1;
      if (shape.faults.size() > 1 && !on) continue;
      const sim::FaultKind kind = shape.faults[static_cast<std::size_t>(fault.kind)];
      client.faults.push_back({kind, fault.step, FaultLength(kind, fault.length, workload.lease)});
    }
    workload.clients.push_back(std::move(client));
  }
  return workload;
}

}  // namespace

struct GeneratedWorkload::Node {
  rc::Shrinkable<Workload> tree;
  Workload value;
};

GeneratedWorkload::GeneratedWorkload(std::unique_ptr<Node> node) : node_(std::move(node)) {}
GeneratedWorkload::~GeneratedWorkload() = default;
GeneratedWorkload::GeneratedWorkload(GeneratedWorkload&&) noexcept = default;
GeneratedWorkload& GeneratedWorkload::operator=(GeneratedWorkload&&) noexcept = default;

const Workload& GeneratedWorkload::value() const { return node_->value; }

bool GeneratedWorkload::Descend(const std::function<bool(const Workload&)>& accept) {
  rc::Seq<rc::Shrinkable<Workload>> proposals = node_->tree.shrinks();
  while (auto proposal = proposals.next()) {
    Workload smaller = proposal->value();
    if (smaller == node_->value || !accept(smaller)) continue;
    node_ = std::make_unique<Node>(Node{std::move(*proposal), std::move(smaller)});
    return true;
  }
  return false;
}

struct Generator::Gens {
  std::vector<rc::Gen<Workload>> turns;  // one for generated workloads, one for each pinned one
};

Generator::Generator(const Scenario& scenario) : gens_(std::make_unique<Gens>()) {
  if (!scenario.pinned.empty()) {
    for (const Workload& pinned : scenario.pinned) {
      gens_->turns.push_back(rc::gen::just(pinned));
    }
    return;
  }
  const WorkloadShape shape = scenario.shape;
  gens_->turns.push_back(rc::gen::map(
      WorkloadGen(shape), [shape](const RawWorkload& raw) { return Cook(shape, raw); }));
}

Generator::~Generator() = default;

GeneratedWorkload Generator::Draw(std::uint64_t seed) const {
  rc::Shrinkable<Workload> tree = gens_->turns[seed % gens_->turns.size()](rc::Random(seed), kSize);
  Workload value = tree.value();
  return GeneratedWorkload(std::make_unique<GeneratedWorkload::Node>(
      GeneratedWorkload::Node{std::move(tree), std::move(value)}));
}

}  // namespace interlock::scenarios
