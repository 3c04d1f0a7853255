// SPDX-License-Identifier: MIT
#include "scenarios/search/shrink/aim.h"

#include <algorithm>
#include <utility>

namespace interlock::scenarios {
namespace {

/// The range of the targets of a client's faults.
struct Stretch {
  std::ptrdiff_t first = 0;
  std::ptrdiff_t last = 0;
};

Stretch StretchOf(const Workload& workload, std::size_t client) {
  Stretch stretch;
  for (std::size_t i = 0; i < client; ++i) {
    stretch.first += static_cast<std::ptrdiff_t>(workload.clients[i].faults.size());
  }
  stretch.last =
      stretch.first + static_cast<std::ptrdiff_t>(workload.clients[client].faults.size());
  return stretch;
}

bool IsPause(sim::FaultKind kind) {
  return kind == sim::FaultKind::kPause || kind == sim::FaultKind::kExpiry;
}

/// Adjusts the targets to the removal of one operation from the workload.
void Forget(const Workload& workload, Place gone, Targets& targets) {
  const std::vector<Place> faults = FaultPlaces(workload);
  for (std::size_t i = 0; i < faults.size(); ++i) {
    if (faults[i].client != gone.client || !targets[i]) continue;
    if (targets[i]->operation == gone.index) {
      targets[i].reset();
    } else if (targets[i]->operation > gone.index) {
      --targets[i]->operation;
    }
  }
}

}  // namespace

Aimed ByNumber(Workload workload) {
  Aimed aimed;
  aimed.targets.resize(FaultPlaces(workload).size());
  aimed.workload = std::move(workload);
  return aimed;
}

Aimed WithoutFaults(const Aimed& aimed, std::size_t first, std::size_t count) {
  Aimed fewer{WithoutFaults(aimed.workload, first, count), aimed.targets};
  const std::size_t last = std::min(fewer.targets.size(), first + count);
  const auto begin = fewer.targets.begin();
  fewer.targets.erase(begin + static_cast<std::ptrdiff_t>(first),
                      begin + static_cast<std::ptrdiff_t>(last));
  return fewer;
}

Aimed WithoutOperations(const Aimed& aimed, std::size_t first, std::size_t count) {
  Aimed fewer{WithoutOperations(aimed.workload, first, count), aimed.targets};
  const std::vector<Place> places = OperationPlaces(aimed.workload);
  for (std::size_t i = std::min(places.size(), first + count); i-- > first;) {
    Forget(aimed.workload, places[i], fewer.targets);
  }
  return fewer;
}

Aimed WithoutClient(const Aimed& aimed, std::size_t client) {
  Aimed fewer{WithoutClient(aimed.workload, client), aimed.targets};
  const Stretch its_own = StretchOf(aimed.workload, client);
  const auto begin = fewer.targets.begin();
  fewer.targets.erase(begin + its_own.first, begin + its_own.last);
  return fewer;
}

std::vector<Aimed> ThinkingInstead(const Aimed& aimed, Place operation) {
  std::vector<Aimed> all;
  for (Workload& workload : ThinkingInstead(aimed.workload, operation)) {
    Aimed& one = all.emplace_back(Aimed{std::move(workload), aimed.targets});
    Forget(aimed.workload, operation, one.targets);
  }
  return all;
}

std::vector<Aimed> ThinkingInsteadOf(const Aimed& aimed, std::size_t fault) {
  constexpr Duration kMs = std::chrono::milliseconds(1);
  std::vector<Aimed> all;
  const std::optional<Target>& target = aimed.targets[fault];
  if (!target || (target->part != OperationPart::kThink && target->part != OperationPart::kAsk)) {
    return all;
  }
  const Place place = FaultPlaces(aimed.workload)[fault];
  const PlannedFault& pause = aimed.workload.clients[place.client].faults[place.index];
  std::vector<Duration> lengths;
  if (pause.kind == sim::FaultKind::kPause) lengths = {pause.length};
  // Counted as an expiry counts, the lease of a grant made just before is over a millisecond later.
  const Duration lease = aimed.workload.lease;
  if (pause.kind == sim::FaultKind::kExpiry) lengths = {lease, lease + kMs, lease + pause.length};
  for (const Duration length : lengths) {
    Aimed& one = all.emplace_back(WithoutFaults(aimed, fault, 1));
    one.workload.clients[place.client].operations[target->operation].think += length;
  }
  return all;
}

std::vector<Aimed> OneLongPauseInsteadOf(const Aimed& aimed, std::size_t fault) {
  std::vector<Aimed> all;
  const std::vector<Place> places = FaultPlaces(aimed.workload);
  const std::size_t client = places[fault].client;
  const auto& faults = aimed.workload.clients[client].faults;
  if (!IsPause(faults[places[fault].index].kind)) return all;
  for (std::size_t other = 0; other < places.size(); ++other) {
    const Place place = places[other];
    if (place.client != client || other == fault || !IsPause(faults[place.index].kind)) continue;
    Aimed longer = aimed;
    PlannedFault& kept = longer.workload.clients[client].faults[place.index];
    kept.kind = sim::FaultKind::kPause;
    kept.length = 2 * aimed.workload.lease;
    all.push_back(WithoutFaults(longer, fault, 1));
  }
  return all;
}

Aimed Joined(const Aimed& aimed, std::size_t from, std::size_t into) {
  const Stretch theirs = StretchOf(aimed.workload, from);
  Targets moved(aimed.targets.begin() + theirs.first, aimed.targets.begin() + theirs.last);
  const std::size_t before = aimed.workload.clients[into].operations.size();
  for (std::optional<Target>& target : moved) {
    if (target) target->operation += before;
  }
  Aimed joined{Joined(aimed.workload, from, into), aimed.targets};
  // The moved targets go after those of the faults that `into` has, and then their former place is
  // removed.
  const Stretch behind = StretchOf(aimed.workload, into);
  joined.targets.insert(joined.targets.begin() + behind.last, moved.begin(), moved.end());
  const auto count = theirs.last - theirs.first;
  const auto first =
      joined.targets.begin() + theirs.first + (behind.last <= theirs.first ? count : 0);
  joined.targets.erase(first, first + count);
  return joined;
}

}  // namespace interlock::scenarios
