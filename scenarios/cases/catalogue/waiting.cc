// SPDX-License-Identifier: MIT
//
// Queues: what happens to waiters when there are many of them, or when they hold something
// meanwhile. Nothing goes wrong here, so each waiter has kept its connection and its place.
#include "scenarios/cases/catalogue/rows.h"

#include <cstddef>
#include <utility>

namespace interlock::scenarios::catalogue {
namespace {

using namespace std::chrono_literals;

Scenario Crowd() {
  Scenario scenario = Named("crowd", "up to ten clients stand in line; nothing goes wrong",
                            {SynchronyClass::kNone});
  scenario.shape.max_clients = 10;
  scenario.shape.max_operations = 4;
  scenario.judges =
      ExclusionsAnd({Judged::kDeadlock, Judged::kOrder, Judged::kTermination, Judged::kKeys});
  return scenario;
}

/// Where all permits are given back, one after the other, as many waiters have to be woken.
Scenario CrowdPermits() {
  Scenario scenario = Crowd();
  scenario.name = "crowd-permits";
  scenario.summary = "as crowd, before a semaphore with several permits";
  GivePermits(scenario);
  return scenario;
}

/// Several resources at a time. Whoever takes more than one takes them in one order, so that a
/// circle of clients which wait for each other is the lock's doing.
Scenario Nested() {
  Scenario scenario =
      Named("nested", "clients hold several resources, given back in any order; nothing goes wrong",
            {SynchronyClass::kNone});
  scenario.shape.max_operations = 4;
  scenario.shape.max_resources = kMostResources;
  scenario.shape.nest = true;
  scenario.judges = ExclusionsAnd({Judged::kTokens, Judged::kDeadlock, Judged::kSpuriousRefusal,
                                   Judged::kTermination, Judged::kKeys, Judged::kFalseValidity});
  return scenario;
}

/// Two clients wait while a third comes and goes, each time after a break of `gap`.
Workload ComesAndGoes(Duration lease, Duration gap) {
  const Operation waits{.ask = Ask::kWait, .think = 50ms, .hold = 100ms};
  const Operation impatient{.ask = Ask::kWaitFor, .think = 20ms, .wait = 100ms, .hold = 100ms};
  const Operation at_once{.ask = Ask::kWait, .hold = 100ms};
  const Operation comes{.think = gap, .hold = lease / 4};
  std::vector<Operation> visits(12, comes);
  visits.front().think = Duration{};
  Workload workload = Clients({Does(visits), Does({waits}), Does({impatient, at_once})});
  workload.lease = lease;
  return workload;
}

/// A lock that promises no order may serve newcomers first, but not again and again while it stands
/// free in between.
Scenario Newcomers() {
  Scenario scenario =
      Named("newcomers", "two clients wait while another comes and goes, with breaks",
            {SynchronyClass::kNone});
  scenario.judges = {Judged::kDeadlock, Judged::kOrder, Judged::kTermination};
  scenario.always_whole = true;
  Pin(scenario, {ComesAndGoes(1s, 20ms), ComesAndGoes(1s, 800ms), ComesAndGoes(1s, 1600ms),
                 ComesAndGoes(1s, 2400ms)});
  return scenario;
}

/// All permits are given back at about the same time, `after` somebody has begun to wait for each.
Workload AllLeave(int permits, Duration after) {
  constexpr Duration kHeld = 500ms;
  const Operation leaves{.hold = kHeld};
  const Operation waits{.ask = Ask::kWait, .think = kHeld - after, .hold = 3000ms};
  std::vector<ClientPlan> clients(static_cast<std::size_t>(permits), Does({leaves}));
  clients.resize(2 * clients.size(), Does({waits}));
  Workload workload = Clients(std::move(clients));
  workload.permits = permits;
  return workload;
}

/// Nobody else leaves for three seconds: a waiter that is not woken sleeps on.
Scenario LeaveTogether() {
  Scenario scenario = Named("leave-together",
                            "all holders of a semaphore leave at once, while others begin to wait",
                            {SynchronyClass::kNone});
  GivePermits(scenario);
  scenario.judges = {Judged::kDeadlock, Judged::kOrder};
  scenario.always_whole = true;
  std::vector<Workload> all;
  for (const int permits : {2, 3}) {
    all.push_back(AllLeave(permits, 200ms));
    for (Duration after = 2ms; after >= -6ms; after -= 500us) {
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
