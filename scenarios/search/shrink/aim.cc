// SPDX-License-Identifier: MIT
#include "scenarios/search/shrink/aim.h"

#include <algorithm>
#include <utility>

namespace interlock::scenarios {
namespace {

template <typename T>
void EraseAt(std::size_t index, std::vector<T>& all) {
  all.erase(all.begin() + static_cast<std::ptrdiff_t>(index));
}

/// Adds all of `from` to the end of `into`.
template <typename T>
void AddTo(std::vector<T>& into, const std::vector<T>& from) {
  into.insert(into.end(), from.begin(), from.end());
}

bool IsPause(sim::FaultKind kind) {
  return kind == sim::FaultKind::kPause || kind == sim::FaultKind::kExpiry;
}

void EraseOperation(Place gone, Aimed& aimed) {
  EraseAt(gone.index, aimed.workload.clients[gone.client].operations);
  for (std::optional<Target>& target : aimed.targets[gone.client]) {
    if (!target || target->operation < gone.index) continue;
    if (target->operation == gone.index) {
      target.reset();
    } else {
      --target->operation;
    }
  }
}

}  // namespace

Aimed ByNumber(Workload workload) {
  Aimed aimed;
  for (const ClientPlan& client : workload.clients)
    aimed.targets.emplace_back(client.faults.size());
  aimed.workload = std::move(workload);
  return aimed;
}

Aimed WithoutFaults(Aimed aimed, std::size_t first, std::size_t count) {
  const std::vector<Place> places = FaultPlaces(aimed.workload);
  for (std::size_t i = std::min(places.size(), first + count); i-- > first;) {
    EraseAt(places[i].index, aimed.workload.clients[places[i].client].faults);
    EraseAt(places[i].index, aimed.targets[places[i].client]);
  }
  return aimed;
}

Aimed WithoutOperations(Aimed aimed, std::size_t first, std::size_t count) {
  const std::vector<Place> places = OperationPlaces(aimed.workload);
  for (std::size_t i = std::min(places.size(), first + count); i-- > first;) {
    EraseOperation(places[i], aimed);
  }
  return aimed;
}

Aimed WithoutClient(Aimed aimed, std::size_t client) {
  EraseAt(client, aimed.workload.clients);
  EraseAt(client, aimed.targets);
  return aimed;
}

std::vector<Aimed> ThinkingInstead(const Aimed& aimed, Place operation) {
  std::vector<Aimed> instead;
  const std::vector<Operation>& all = aimed.workload.clients[operation.client].operations;
  if (operation.index + 1 >= all.size()) return instead;
  const Operation& gone = all[operation.index];
  const Duration wait = gone.ask == Ask::kWaitFor ? gone.wait : Duration{};
  for (const Duration length : {gone.hold, wait, wait + gone.hold, gone.hold + gone.overstay}) {
    Aimed shorter = aimed;
    std::vector<Operation>& operations = shorter.workload.clients[operation.client].operations;
    operations[operation.index + 1].think += gone.think + length;
    EraseOperation(operation, shorter);
    const bool known = std::ranges::any_of(
        instead, [&](const Aimed& other) { return other.workload == shorter.workload; });
    if (!known) instead.push_back(std::move(shorter));
  }
  return instead;
}

std::vector<Aimed> ThinkingInsteadOf(const Aimed& aimed, std::size_t fault) {
  constexpr Duration kMs = std::chrono::milliseconds(1);
  std::vector<Aimed> all;
  const Place place = FaultPlaces(aimed.workload)[fault];
  const std::optional<Target>& target = aimed.targets[place.client][place.index];
  if (!target || (target->part != OperationPart::kThink && target->part != OperationPart::kAsk)) {
    return all;
  }
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

Aimed Joined(Aimed aimed, std::size_t from, std::size_t into) {
  ClientPlan& target = aimed.workload.clients[into];
  for (std::optional<Target>& moved : aimed.targets[from]) {
    if (moved) moved->operation += target.operations.size();
  }
  AddTo(target.operations, aimed.workload.clients[from].operations);
  AddTo(target.faults, aimed.workload.clients[from].faults);
  AddTo(aimed.targets[into], aimed.targets[from]);
  return WithoutClient(std::move(aimed), from);
}

}  // namespace interlock::scenarios
