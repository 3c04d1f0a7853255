// SPDX-License-Identifier: MIT
#include "scenarios/cases/swarm.h"

#include <array>
#include <cstddef>
#include <vector>

#include "scenarios/cases/dice.h"

namespace interlock::scenarios {
namespace {

// The run's choices come from the same seed: these draws must not be the same as theirs.
constexpr std::uint64_t kStream = 4 * 0x9e3779b97f4a7c15ULL;
// Whatever else is drawn is the same with and without readers, other limits, and lives.
constexpr std::uint64_t kReaderStream = 5 * 0x9e3779b97f4a7c15ULL;
constexpr std::uint64_t kLimitStream = 6 * 0x9e3779b97f4a7c15ULL;
constexpr std::uint64_t kLifeStream = 7 * 0x9e3779b97f4a7c15ULL;
constexpr int kWritersOnlyOneIn = 8;
constexpr int kOneMindOneIn = 3;  // runs in which nobody differs about the limit
constexpr int kAgesOneIn = 6;     // ... in which a limit may go out of use for as long as it stands
constexpr int kMostLimit = 4;
// And with and without leases of their own, stops, and operators.
constexpr std::uint64_t kLeaseStream = 10 * 0x9e3779b97f4a7c15ULL;
constexpr std::uint64_t kStopStream = 8 * 0x9e3779b97f4a7c15ULL;
constexpr std::uint64_t kOperatorStream = 9 * 0x9e3779b97f4a7c15ULL;
constexpr std::uint64_t kPermitStream = 11 * 0x9e3779b97f4a7c15ULL;
constexpr std::uint64_t kOutlivesStream = 12 * 0x9e3779b97f4a7c15ULL;
constexpr std::uint64_t kObjectStream = 13 * 0x9e3779b97f4a7c15ULL;
constexpr int kPermitsOfAQuorum = 3;
constexpr int kOwnLeasesOneIn = 4;  // runs in which clients differ in their leases
constexpr int kStopsOneIn = 3;      // runs in which waits are stopped
constexpr int kOperatorsOneIn = 4;  // runs in which there are operators
constexpr int kMostOperators = 2;   // operations of theirs in one run
constexpr int kMostWeight = 100;
constexpr int kCalmOneIn = 5;       // runs without any fault
constexpr int kMarathonOneIn = 10;  // runs in which one client does many operations
constexpr int kMarathon = 12;
constexpr int kHugeDelayOneIn = 32;
constexpr auto kFaultsInAll = std::to_array({1, 2, 3, 4, 6, 9, 14});

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

/// A client that asks for a second resource while it holds one asks for a later one, as careful
/// users do: they take several in one order.
void Nest(Dice& dice, int resources, std::vector<RawOperation>& operations) {
  for (std::size_t i = 1; i < operations.size(); ++i) {
    const int behind = operations[i - 1].resource + 1;
    if (behind >= resources || !dice.OneIn(2)) continue;
    operations[i].inside = 1;
    operations[i].resource = behind + dice.Below(resources - behind);
  }
}

/// Some give back in another order than the reverse, and are late then.
void GiveBackInAnyOrder(Dice& dice, RawWorkload& raw) {
  for (RawClient& client : raw.clients) {
    for (RawOperation& operation : client.operations) {
      if (operation.inside == 0 || !dice.OneIn(2)) continue;
      operation.outlives = 1;
      operation.overstay = dice.Below(kLadders.overstays);
    }
  }
}

/// Each but the first shares as often as not, and one of them at least.
void ShareObjects(Dice& dice, RawWorkload& raw) {
  const auto others = static_cast<int>(raw.clients.size()) - 1;
  raw.clients[static_cast<std::size_t>(1 + dice.Below(others))].shares_objects = 1;
  for (std::size_t i = 1; i < raw.clients.size(); ++i) {
    if (dice.OneIn(2)) raw.clients[i].shares_objects = 1;
  }
}

/// A client that asks several servers takes as many times the steps, and one that asks Sentinels
/// first, which most of them have to answer, twice as many.
int MostSteps(const WorkloadShape& shape) {
  if (shape.topology == sim::Topology::kSentinel) return kMostSteps * 2;
  const bool asks_all = shape.topology == sim::Topology::kIndependent;
  return asks_all ? kMostSteps * shape.nodes : kMostSteps;
}

RawFault DrawFault(Dice& dice, sim::FaultKind kind, int nodes, int most_steps) {
  RawFault fault;
  fault.kind = kind;
  // Early steps are where two clients meet, whatever they do later.
  fault.step = dice.Below(dice.OneIn(2) ? most_steps : most_steps / 3);
  const int rungs = LengthRungs(kind);
  const sim::FaultInfo& info = *sim::FindFault(kind);
  if (info.scale == sim::FaultScale::kDelay) {  // The last rung is the huge one.
    fault.length = dice.OneIn(kHugeDelayOneIn) ? rungs - 1 : dice.Below(rungs - 1);
  } else {
    fault.length = dice.Below(rungs);
  }
  if (info.uses_node && nodes > 1) fault.node = dice.Below(nodes);
  return fault;
}

void AddFaults(Dice& dice, const WorkloadShape& shape, int nodes, RawWorkload& raw) {
  const int kinds = static_cast<int>(shape.faults.size());
  if (kinds == 0 || shape.max_faults == 0 || dice.OneIn(kCalmOneIn)) return;
  const Weighted on(dice, kinds);
  const int wanted = AnyOf(dice, kFaultsInAll);
  for (int i = 0; i < wanted; ++i) {
    RawClient& client = AnyOf(dice, raw.clients);
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

int OwnLease(Dice& dice) { return 1 + dice.Below(kLadders.client_leases - 1); }

void VaryLeases(Dice& dice, RawWorkload& raw) {
  if (!dice.OneIn(kOwnLeasesOneIn)) return;
  const int percent = 1 + dice.Below(kMostWeight);
  for (RawClient& client : raw.clients) {
    if (dice.Below(100) < percent) client.lease = OwnLease(dice);
  }
}

/// A client that differs from all others does so in everything that it does.
void VaryClients(Dice& dice, bool settable, RawWorkload& raw) {
  const int follow_percent = settable ? dice.Below(kMostWeight) : 0;
  const int other_percent = dice.Below(kMostWeight / 2);
  const int lease_percent = dice.OneIn(2) ? dice.Below(kMostWeight) : 0;
  for (RawClient& client : raw.clients) {
    if (dice.Below(100) < other_percent) client.limit = 2 + dice.Below(kMostLimit);
    if (dice.Below(100) < follow_percent) client.limit = 1;
    if (dice.Below(100) < lease_percent) client.lease = OwnLease(dice);
  }
}

void SetLimits(Dice& dice, bool ages, RawWorkload& raw) {
  const int set_percent = dice.Below(kMostWeight / 2);
  const int age_percent = dice.OneIn(kAgesOneIn) && ages ? 1 + dice.Below(kMostWeight) : 0;
  for (RawClient& client : raw.clients) {
    for (RawOperation& operation : client.operations) {
      if (dice.Below(100) < set_percent) {
        operation.sets_limit = 1 + dice.Below(kMostLimit);
        if (&operation != &client.operations.front()) operation.inside = dice.Below(2);
      }
      if (dice.Below(100) < age_percent) operation.age = 1 + dice.Below(kLadders.ages - 1);
    }
  }
}

void StopWaits(Dice& dice, RawWorkload& raw) {
  if (!dice.OneIn(kStopsOneIn)) return;
  const int percent = 1 + dice.Below(kMostWeight);
  const int clients = static_cast<int>(raw.clients.size());
  for (RawClient& client : raw.clients) {
    for (RawOperation& operation : client.operations) {
      const bool waits = operation.ask != static_cast<int>(Ask::kTry);
      if (!waits || dice.Below(100) >= percent) continue;
      if (dice.OneIn(2)) {
        operation.stop = 1 + dice.Below(kLadders.stops);
        continue;
      }
      const int other = dice.Below(clients);
      operation.stop = StopInStep(other, dice.Below(kMostLate));
    }
  }
}

void VaryLimits(Dice& dice, const WorkloadShape& shape, RawWorkload& raw) {
  if (dice.OneIn(kOneMindOneIn)) return;
  const bool settable = shape.extras.limit_stands->count() > 0;
  VaryClients(dice, settable, raw);
  if (settable) SetLimits(dice, shape.ages, raw);
}

/// An operator is one of the clients, in the place of an operation. What was to be inside of that
/// has nothing to be inside of.
void SendOperators(Dice& dice, RawWorkload& raw) {
  if (!dice.OneIn(kOperatorsOneIn)) return;
  for (int left = 1 + dice.Below(kMostOperators); left > 0; --left) {
    std::vector<RawOperation>& operations = AnyOf(dice, raw.clients).operations;
    if (operations.empty()) operations.emplace_back();
    const auto place = static_cast<std::size_t>(dice.Below(static_cast<int>(operations.size())));
    RawOperation& chosen = operations[place];
    chosen.force = 1;
    chosen.inside = 0;
    chosen.sets_limit = 0;
    chosen.age = 0;
    chosen.think = dice.Below(kLadders.thinks);
    chosen.hold = dice.Below(kLadders.holds);
    chosen.extend = dice.Below(2);
    if (place + 1 < operations.size()) operations[place + 1].inside = 0;
  }
}

}  // namespace

RawWorkload Drawn(const WorkloadShape& shape, std::uint64_t seed) {
  Dice dice(seed ^ kStream);
  const Style style(dice, shape);
  RawWorkload raw;
  raw.lease = dice.Below(kLadders.leases);
  raw.latency = dice.Below(kLadders.latencies);
  raw.permits = dice.Below(shape.max_permits - shape.min_permits + 1);
  raw.resources = dice.Below(shape.max_resources);
  if (shape.persistence.size() > 1) {
    raw.persistence = dice.Below(static_cast<int>(shape.persistence.size()));
  }
  raw.clients.resize(static_cast<std::size_t>(2 + dice.Below(shape.max_clients - 1)));
  for (RawClient& client : raw.clients) {
    client.offset = dice.Below(kLadders.offsets);
    if (style.drift) client.rate = dice.Below(kLadders.rates);
    client.operations.resize(static_cast<std::size_t>(dice.Below(shape.max_operations + 1)));
  }
  if (dice.OneIn(kMarathonOneIn)) raw.clients.front().operations.resize(kMarathon);
  for (RawClient& client : raw.clients) {
    for (RawOperation& operation : client.operations) {
      operation = DrawOperation(dice, style, 1 + raw.resources);
    }
    if (shape.nest) Nest(dice, 1 + raw.resources, client.operations);
  }
  if (shape.nest) {
    Dice of_order(seed ^ kOutlivesStream);
    GiveBackInAnyOrder(of_order, raw);
  }
  if (shape.share_objects) {
    Dice of_objects(seed ^ kObjectStream);
    ShareObjects(of_objects, raw);
  }
  AddFaults(dice, shape, shape.nodes, raw);
  if (shape.extras.readers) {
    Dice of_readers(seed ^ kReaderStream);
    MakeReaders(of_readers, raw);
  }
  if (shape.extras.limit_stands.has_value()) {
    Dice of_limits(seed ^ kLimitStream);
    VaryLimits(of_limits, shape, raw);
  }
  if (shape.extras.own_leases && !shape.extras.limit_stands.has_value()) {
    Dice of_leases(seed ^ kLeaseStream);
    VaryLeases(of_leases, raw);
  }
  if (shape.extras.permits) {
    Dice of_permits(seed ^ kPermitStream);
    raw.permits = of_permits.Below(kPermitsOfAQuorum);
  }
  if (shape.extras.lives) {
    Dice of_lives(seed ^ kLifeStream);
    if (of_lives.OneIn(2)) raw.life = 1 + of_lives.Below(kLadders.lives - 1);
  }
  if (shape.extras.stops) {
    Dice of_stops(seed ^ kStopStream);
    StopWaits(of_stops, raw);
  }
  if (shape.extras.operators) {
    Dice of_operators(seed ^ kOperatorStream);
    SendOperators(of_operators, raw);
  }
  return raw;
}

}  // namespace interlock::scenarios
