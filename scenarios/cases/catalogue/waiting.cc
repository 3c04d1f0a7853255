// SPDX-License-Identifier: MIT
//
// Queues: what happens to waiters when there are many of them, or when they hold something
// meanwhile. Nothing goes wrong here, so each waiter has kept its connection and its place.
#include "scenarios/cases/catalogue/rows.h"

#include <cstddef>
#include <cstdint>
#include <utility>

namespace interlock::scenarios::catalogue {
namespace {

Scenario Crowd() {
  Scenario scenario;
  scenario.name = "crowd";
  scenario.summary = "up to ten clients stand in line; nothing goes wrong";
  scenario.classes = {SynchronyClass::kNone};
  scenario.shape.max_clients = 10;
  scenario.shape.max_operations = 4;
  scenario.judges = {Judged::kServerExclusion,
                     Judged::kBeliefExclusion,
                     Judged::kSectionExclusion,
                     Judged::kDeadlock,
                     Judged::kOrder,
                     Judged::kTermination,
                     Judged::kKeys};
  return scenario;
}

/// Where all permits are given back, one after the other, as many waiters have to be woken.
Scenario CrowdPermits() {
  Scenario scenario = Crowd();
  scenario.name = "crowd-permits";
  scenario.summary = "as crowd, before a semaphore with several permits";
  scenario.semaphores_only = true;
  scenario.shape.min_permits = 2;
  scenario.shape.max_permits = 3;
  return scenario;
}

/// Several resources at a time. Whoever takes more than one takes them in one order, so that a
/// circle of clients which wait for each other is the lock's doing.
Scenario Nested() {
  Scenario scenario;
  scenario.name = "nested";
  scenario.summary = "clients hold several resources, given back in any order; nothing goes wrong";
  scenario.classes = {SynchronyClass::kNone};
  scenario.shape.max_operations = 4;
  scenario.shape.max_resources = kMostResources;
  scenario.shape.nest = true;
  scenario.judges = {Judged::kServerExclusion,  Judged::kBeliefExclusion,
                     Judged::kSectionExclusion, Judged::kTokens,
                     Judged::kDeadlock,         Judged::kSpuriousRefusal,
                     Judged::kTermination,      Judged::kKeys,
                     Judged::kFalseValidity};
  return scenario;
}

/// Two clients wait while a third comes and goes, each time after a break of `gap`.
Workload ComesAndGoes(Duration lease, Duration gap) {
  const auto waits = [](std::int64_t think_ms) {
    return Operation{.ask = Ask::kWait,
                     .think = std::chrono::milliseconds(think_ms),
                     .hold = std::chrono::milliseconds(100)};
  };
  Operation impatient = waits(20);
  impatient.ask = Ask::kWaitFor;
  impatient.wait = std::chrono::milliseconds(100);
  const Operation comes{.think = gap, .hold = lease / 4};
  std::vector<Operation> visits(12, comes);
  visits.front().think = Duration{};
  Workload workload = Clients({Does(visits), Does({waits(50)}), Does({impatient, waits(0)})});
  workload.lease = lease;
  return workload;
}

/// A lock that promises no order may serve newcomers first, but not again and again while it stands
/// free in between.
Scenario Newcomers() {
  using std::chrono::milliseconds;
  Scenario scenario;
  scenario.name = "newcomers";
  scenario.summary = "two clients wait while another comes and goes, with breaks";
  scenario.classes = {SynchronyClass::kNone};
  scenario.judges = {Judged::kDeadlock, Judged::kOrder, Judged::kTermination};
  scenario.always_whole = true;
  constexpr milliseconds kSecond{1000};
  Pin(scenario,
      {ComesAndGoes(kSecond, milliseconds(20)), ComesAndGoes(kSecond, milliseconds(800)),
       ComesAndGoes(kSecond, milliseconds(1600)), ComesAndGoes(kSecond, milliseconds(2400))});
  return scenario;
}

/// All permits are given back at about the same time, `after` somebody has begun to wait for each.
Workload AllLeave(int permits, Duration after) {
  using std::chrono::milliseconds;
  constexpr milliseconds kHeld{500};
  const Operation leaves{.hold = kHeld};
  const Operation waits{.ask = Ask::kWait, .think = kHeld - after, .hold = milliseconds(3000)};
  std::vector<ClientPlan> clients(static_cast<std::size_t>(permits), Does({leaves}));
  clients.resize(2 * clients.size(), Does({waits}));
  Workload workload = Clients(std::move(clients));
  workload.permits = permits;
  return workload;
}

/// Nobody else leaves for three seconds: a waiter that is not woken sleeps on.
Scenario LeaveTogether() {
  using std::chrono::microseconds;
  using std::chrono::milliseconds;
  Scenario scenario;
  scenario.name = "leave-together";
  scenario.summary = "all holders of a semaphore leave at once, while others begin to wait";
  scenario.classes = {SynchronyClass::kNone};
  scenario.semaphores_only = true;
  scenario.shape.min_permits = 2;
  scenario.shape.max_permits = 3;
  scenario.judges = {Judged::kDeadlock, Judged::kOrder};
  scenario.always_whole = true;
  std::vector<Workload> all;
  for (const int permits : {2, 3}) {
    all.push_back(AllLeave(permits, milliseconds(200)));
    for (microseconds after(2000); after >= milliseconds(-6); after -= microseconds(500)) {
      all.push_back(AllLeave(permits, after));
    }
  }
  Pin(scenario, std::move(all));
  // What is missed here is missed within a fraction of a millisecond.
  scenario.max_runs = kGateRuns;
  scenario.gate_runs = scenario.max_runs;
  return scenario;
}

}  // namespace

std::vector<Scenario> Waiting() {
  return Together(Crowd(), CrowdPermits(), Nested(), Newcomers(), LeaveTogether(), NextInLine());
}

}  // namespace interlock::scenarios::catalogue
