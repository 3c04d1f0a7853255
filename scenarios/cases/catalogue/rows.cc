// SPDX-License-Identifier: MIT
#include "scenarios/cases/catalogue/rows.h"

#include <algorithm>
#include <deque>
#include <utility>

namespace interlock::scenarios::catalogue {

using namespace std::chrono_literals;

std::string_view Kept(std::string name) {
  static auto& names = *new std::deque<std::string>;  // never destroyed
  return names.emplace_back(std::move(name));
}

Scenario Named(std::string_view name, std::string_view summary,
               std::vector<SynchronyClass> classes) {
  Scenario scenario;
  scenario.name = name;
  scenario.summary = summary;
  scenario.classes = std::move(classes);
  return scenario;
}

Scenario Row(std::string_view name, std::string_view summary) {
  using enum SynchronyClass;
  Scenario scenario = Named(name, summary, {kNone, kBounded, kArbitrary});
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

void GivePermits(Scenario& scenario) {
  scenario.semaphores_only = true;
  scenario.shape.min_permits = 2;
  scenario.shape.max_permits = 3;
}

ClientPlan Does(std::vector<Operation> operations) {
  ClientPlan client;
  client.operations = std::move(operations);
  return client;
}

Workload Clients(std::vector<ClientPlan> clients) {
  Workload workload;
  workload.lease = kLease;
  workload.latency_max = 2ms;
  workload.clients = std::move(clients);
  return workload;
}

Workload WholeLeaseAndSecond() {
  const Operation whole_lease{.hold = kLease};
  const Operation second{.ask = Ask::kWaitFor, .think = 2'000ms, .wait = 20'000ms, .hold = 5'000ms};
  return Clients({Does({whole_lease}), Does({second})});
}

Workload HolderAndSuccessor(const Operation& work, GuardKind guard) {
  const Operation too_early{.think = 100ms, .hold = 1ms};
  const Operation in_turn{
      .ask = Ask::kWaitFor, .think = 10'000ms, .wait = 6'000ms, .hold = 8'000ms};
  Workload workload = Clients({Does({work}), Does({too_early, in_turn})});
  workload.guard = guard;
  return workload;
}

std::vector<Judged> ExclusionsAnd(std::initializer_list<Judged> others) {
  std::vector<Judged> all = {Judged::kServerExclusion, Judged::kBeliefExclusion,
                             Judged::kSectionExclusion};
  all.insert(all.end(), others);
  return all;
}

void JudgeWritesToo(Scenario& scenario) {
  scenario.judges = ExclusionsAnd({Judged::kFencedWrites, Judged::kKeys});
  scenario.weaknesses = {{SynchronyClass::kArbitrary, Judged::kSectionExclusion}};
}

std::vector<Workload> AtAnyStep(const Workload& workload, const PlannedFault& fault) {
  return AtAnyStep(workload, std::vector{fault}, workload.guard == GuardKind::kNone ? 36 : 44);
}

std::vector<Workload> AtAnyStep(const Workload& workload, const std::vector<PlannedFault>& faults,
                                int steps) {
  std::vector<Workload> sweep(static_cast<std::size_t>(steps), workload);
  for (int step = 0; step < steps; ++step) {
    for (PlannedFault fault : faults) {
      fault.step = step;
      sweep[static_cast<std::size_t>(step)].clients.front().faults.push_back(fault);
    }
  }
  return sweep;
}

}  // namespace interlock::scenarios::catalogue
