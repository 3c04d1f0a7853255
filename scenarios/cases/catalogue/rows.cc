// SPDX-License-Identifier: MIT
#include "scenarios/cases/catalogue/rows.h"

#include <algorithm>
#include <utility>

namespace interlock::scenarios::catalogue {

using std::chrono::milliseconds;

Scenario Row(std::string_view name, std::string_view summary) {
  Scenario scenario;
  scenario.name = name;
  scenario.summary = summary;
  scenario.classes = {SynchronyClass::kNone, SynchronyClass::kBounded, SynchronyClass::kArbitrary};
  scenario.always_whole = true;
  return scenario;
}

void Pin(Scenario& scenario, std::vector<Workload> workloads) {
  scenario.pinned = std::move(workloads);
  scenario.max_runs = 2 * scenario.pinned.size();
  scenario.gate_runs = scenario.max_runs;
  auto& kinds = scenario.shape.faults;
  for (const Workload& workload : scenario.pinned) {
    for (const ClientPlan& client : workload.clients) {
      for (const PlannedFault& fault : client.faults) {
        if (std::find(kinds.begin(), kinds.end(), fault.kind) == kinds.end()) {
          kinds.push_back(fault.kind);
        }
      }
    }
  }
}

std::vector<Weakness> InEveryClass(const std::vector<Judged>& properties) {
  std::vector<Weakness> weaknesses;
  for (const Judged property : properties) {
    weaknesses.push_back({SynchronyClass::kNone, property});
    weaknesses.push_back({SynchronyClass::kBounded, property});
    weaknesses.push_back({SynchronyClass::kArbitrary, property});
  }
  return weaknesses;
}

void FreeClocks(Scenario& scenario) {
  scenario.gives_up.clocks = true;
  scenario.shape.max_rate_ppm = 400'000;
}

ClientPlan Does(std::vector<Operation> operations) {
  ClientPlan client;
  client.operations = std::move(operations);
  return client;
}

Workload Clients(std::vector<ClientPlan> clients) {
  Workload workload;
  workload.lease = kLease;
  workload.latency_max = milliseconds(2);
  workload.clients = std::move(clients);
  return workload;
}

Workload WholeLeaseAndSecond() {
  const Operation whole_lease{.hold = kLease};
  const Operation second{.ask = Ask::kWaitFor,
                         .think = milliseconds(2'000),
                         .wait = milliseconds(20'000),
                         .hold = milliseconds(5'000)};
  return Clients({Does({whole_lease}), Does({second})});
}

Workload AsksBeforeAnother() {
  const Operation work{.hold = milliseconds(500)};
  const Operation too_early{.think = milliseconds(100), .hold = milliseconds(1)};
  const Operation in_turn{.ask = Ask::kWaitFor,
                          .think = milliseconds(10'000),
                          .wait = milliseconds(6'000),
                          .hold = milliseconds(8'000)};
  return Clients({Does({work}), Does({too_early, in_turn})});
}

const std::vector<Judged>& Exclusions() {
  static const std::vector<Judged> kExclusions = {
      Judged::kServerExclusion, Judged::kBeliefExclusion, Judged::kSectionExclusion, Judged::kKeys};
  return kExclusions;
}

std::vector<Workload> AtAnyStep(const Workload& workload, const PlannedFault& fault) {
  return AtAnyStep(workload, fault, workload.guard == GuardKind::kNone ? 36 : 44);
}

std::vector<Workload> AtAnyStep(const Workload& workload, const PlannedFault& fault, int steps) {
  std::vector<Workload> sweep(static_cast<std::size_t>(steps), workload);
  for (int step = 0; step < steps; ++step) {
    PlannedFault struck = fault;
    struck.step = step;
    sweep[static_cast<std::size_t>(step)].clients.front().faults.push_back(struck);
  }
  return sweep;
}

}  // namespace interlock::scenarios::catalogue
