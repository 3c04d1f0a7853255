// SPDX-License-Identifier: MIT
#include "scenarios/swarm.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>
#include <vector>

#include "sim/choices.h"

namespace interlock::scenarios {
namespace {

// The run's choices come from the same seed: these draws must not be the same as theirs.
constexpr std::uint64_t kStream = 4 * 0x9e3779b97f4a7c15ULL;
// Whatever else is drawn is the same with and without readers.
constexpr std::uint64_t kReaderStream = 5 * 0x9e3779b97f4a7c15ULL;
constexpr int kWritersOnlyOneIn = 8;
constexpr int kMostWeight = 100;
constexpr int kCalmOneIn = 5;       // runs without any fault
constexpr int kMarathonOneIn = 10;  // runs in which one client does many operations
constexpr int kMarathon = 12;
constexpr int kHugeDelayOneIn = 32;
constexpr auto kFaultsInAll = std::to_array({1, 2, 3, 4, 6, 9, 14});

class Dice {
 public:
  explicit Dice(std::uint64_t seed) : seed_(seed) {}

  /// In [0, bound). The bias of so small bounds is below 2^-32.
  int Below(int bound) {
    const std::uint64_t word = sim::MixSeed(seed_, ++count_) >> 32;
    return static_cast<int>(word * static_cast<std::uint64_t>(bound) >> 32);
  }
  bool OneIn(int count) { return Below(count) == 0; }

 private:
  const std::uint64_t seed_;
  std::uint64_t count_ = 0;
};

/// Things of which one is picked by weight.
class Weighted {
 public:
  /// Each of `kinds` is on with probability 1/2, at least one of them.
  Weighted(Dice& dice, int kinds) : weights_(static_cast<std::size_t>(kinds)) {
    for (int& weight : weights_) {
      if (dice.OneIn(2)) weight = 1 + dice.Below(kMostWeight);
      sum_ += weight;
    }
    if (sum_ > 0) return;
    weights_[static_cast<std::size_t>(dice.Below(kinds))] = sum_ = 1;
  }

  int Pick(Dice& dice) const {
    int left = dice.Below(sum_);
    int kind = 0;
    while (left >= weights_[static_cast<std::size_t>(kind)]) {
      left -= weights_[static_cast<std::size_t>(kind++)];
    }
    return kind;
  }

 private:
  std::vector<int> weights_;
  int sum_ = 0;
};

/// What one run is like.
struct Style {
  Style(Dice& dice, const WorkloadShape& shape)
      : asks(dice, 3),
        extend_percent(Share(dice, shape.extend)),
        overstay_percent(Share(dice, shape.overstay)),
        drift(dice.OneIn(2) && shape.max_rate_ppm > 0) {}

  static int Share(Dice& dice, bool possible) {
    const int percent = 1 + dice.Below(kMostWeight);
    return dice.OneIn(2) && possible ? percent : 0;
  }

  Weighted asks;
  int extend_percent;
  int overstay_percent;
  bool drift;
};

RawOperation DrawOperation(Dice& dice, const Style& style, int resources) {
  RawOperation operation;
  operation.ask = style.asks.Pick(dice);
  operation.think = dice.Below(kLadders.thinks);
  operation.wait = dice.Below(kLadders.waits);
  operation.hold = dice.Below(kLadders.holds);
  operation.extend = dice.Below(100) < style.extend_percent ? 1 : 0;
  const bool overstays = dice.Below(100) < style.overstay_percent;
  if (overstays) operation.overstay = 1 + dice.Below(kLadders.overstays - 1);
  if (resources > 1) operation.resource = dice.Below(resources);
  return operation;
}

/// Whoever asks for a second resource while it holds one asks for one that stands behind it, as
/// careful users do: they take several in one order.
void Nest(Dice& dice, int resources, std::vector<RawOperation>& operations) {
  for (std::size_t i = 1; i < operations.size(); ++i) {
    const int behind = operations[i - 1].resource + 1;
    if (behind >= resources || !dice.OneIn(2)) continue;
    operations[i].inside = 1;
    operations[i].resource = behind + dice.Below(resources - behind);
  }
}

/// Who asks several servers takes as many times the steps.
int MostSteps(const WorkloadShape& shape) {
  const bool asks_all = shape.topology == sim::Topology::kIndependent;
  return asks_all ? kMostSteps * shape.nodes : kMostSteps;
}

RawFault DrawFault(Dice& dice, sim::FaultKind kind, int nodes, int most_steps) {
  RawFault fault;
  fault.kind = kind;
  // Early steps are where two clients meet, whatever they do later.
  fault.step = dice.Below(dice.OneIn(2) ? most_steps : most_steps / 3);
  const int rungs = LengthRungs(kind);
  const bool delays = kind == sim::FaultKind::kDelayRequest || kind == sim::FaultKind::kDelayReply;
  if (delays) {  // The last rung is the huge one.
    fault.length = dice.OneIn(kHugeDelayOneIn) ? rungs - 1 : dice.Below(rungs - 1);
  } else {
    fault.length = dice.Below(rungs);
  }
  if (sim::FindFault(kind)->uses_node && nodes > 1) fault.node = dice.Below(nodes);
  return fault;
}

void AddFaults(Dice& dice, const WorkloadShape& shape, int nodes, RawWorkload& raw) {
  const int kinds = static_cast<int>(shape.faults.size());
  if (kinds == 0 || shape.max_faults == 0 || dice.OneIn(kCalmOneIn)) return;
  const Weighted on(dice, kinds);
  const int wanted =
      kFaultsInAll[static_cast<std::size_t>(dice.Below(static_cast<int>(kFaultsInAll.size())))];
  for (int i = 0; i < wanted; ++i) {
    RawClient& client =
        raw.clients[static_cast<std::size_t>(dice.Below(static_cast<int>(raw.clients.size())))];
    const auto kind = static_cast<std::size_t>(on.Pick(dice));
    const RawFault fault = DrawFault(dice, shape.faults[kind], nodes, MostSteps(shape));
    if (static_cast<int>(client.faults.size()) < shape.max_faults) client.faults.push_back(fault);
  }
}

void MakeReaders(Dice& dice, RawWorkload& raw) {
  if (dice.OneIn(kWritersOnlyOneIn)) return;
  const int percent = 1 + dice.Below(kMostWeight);
  for (RawClient& client : raw.clients) {
    for (RawOperation& operation : client.operations) {
      operation.shared = dice.Below(100) < percent ? 1 : 0;
    }
  }
}

}  // namespace

Swarm::Swarm(WorkloadShape shape) : shape_(std::move(shape)) {}

RawWorkload Swarm::Draw(std::uint64_t seed) const {
  Dice dice(seed ^ kStream);
  const Style style(dice, shape_);
  RawWorkload raw;
  raw.lease = dice.Below(kLadders.leases);
  raw.latency = dice.Below(kLadders.latencies);
  raw.permits = dice.Below(shape_.max_permits - shape_.min_permits + 1);
  raw.resources = dice.Below(shape_.max_resources);
  if (shape_.persistence.size() > 1) {
    raw.persistence = dice.Below(static_cast<int>(shape_.persistence.size()));
  }
  raw.clients.resize(static_cast<std::size_t>(2 + dice.Below(shape_.max_clients - 1)));
  for (RawClient& client : raw.clients) {
    client.offset = dice.Below(kLadders.offsets);
    if (style.drift) client.rate = dice.Below(kLadders.rates);
    client.operations.resize(static_cast<std::size_t>(dice.Below(shape_.max_operations + 1)));
  }
  if (dice.OneIn(kMarathonOneIn)) raw.clients.front().operations.resize(kMarathon);
  for (RawClient& client : raw.clients) {
    for (RawOperation& operation : client.operations) {
      operation = DrawOperation(dice, style, 1 + raw.resources);
    }
    if (shape_.nest) Nest(dice, 1 + raw.resources, client.operations);
  }
  AddFaults(dice, shape_, shape_.nodes, raw);
  if (shape_.readers) {
    Dice of_readers(seed ^ kReaderStream);
    MakeReaders(of_readers, raw);
  }
  return raw;
}

}  // namespace interlock::scenarios
