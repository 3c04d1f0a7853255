// SPDX-License-Identifier: MIT
//
// The next in line when the lock is given up has died, or stops waiting, or stands still while an
// operator takes away from it what it has not fetched yet. Leases are long here: nobody may have to
// wait for the end of one.
#include <chrono>
#include <utility>
#include <vector>

#include "scenarios/cases/catalogue/rows.h"

namespace interlock::scenarios::catalogue {
namespace {

using namespace std::chrono_literals;
using std::chrono::milliseconds;

/// Until the first client has got in line, and some more.
constexpr int kNextInLineSteps = 48;
/// Half a millisecond apart.
constexpr int kStops = 48;

Operation NextInLineWaits(milliseconds think, milliseconds hold) {
  return {.ask = Ask::kWait, .think = think, .hold = hold};
}

Workload OfLongLeases(std::vector<ClientPlan> clients) {
  Workload workload = Clients(std::move(clients));
  workload.lease = 20s;
  return workload;
}

/// The first one has been a holder, and waits for the second; the third stands behind it.
std::vector<ClientPlan> ThreeInLine(milliseconds third_works) {
  const Operation comes{.hold = 1ms};
  const Operation holds{.think = 50ms, .hold = 500ms};
  return {Does({comes, NextInLineWaits(60ms, 100ms)}), Does({holds}),
          Does({NextInLineWaits(120ms, third_works)})};
}

/// The third one works until long after the first has come back.
std::vector<ClientPlan> ThreeAndAnOperator() {
  std::vector<ClientPlan> clients = ThreeInLine(3000ms);
  clients.push_back(Does({{.think = 700ms, .hold = 50ms, .forces = true}}));
  return clients;
}

/// It no longer wants what it is given at about that moment, which nobody but the third one needs.
Workload StopsNearItsTurn(int moment) {
  Workload workload = OfLongLeases(ThreeInLine(100ms));
  Operation& waits = workload.clients.front().operations.back();
  waits.stops = true;
  waits.stop_after = 480ms + moment * 500us;
  return workload;
}

}  // namespace

Scenario NextInLine() {
  Scenario scenario =
      Named("next-in-line",
            "who is next in line dies at any step, stops, or pauses and is forced out of its turn",
            {SynchronyClass::kBounded});
  scenario.judges = ExclusionsAnd({Judged::kCrashRecovery, Judged::kDeadlock, Judged::kKeys});
  scenario.always_whole = true;
  std::vector<Workload> all = AtAnyStep(OfLongLeases(ThreeInLine(100ms)),
                                        {{.kind = sim::FaultKind::kCrash}}, kNextInLineSteps);
  Append(AtAnyStep(OfLongLeases(ThreeAndAnOperator()),
                   {{.kind = sim::FaultKind::kPause, .length = 1000ms}}, kNextInLineSteps),
         all);
  for (int i = 0; i < kStops; ++i) all.push_back(StopsNearItsTurn(i));
  Pin(scenario, std::move(all));
  scenario.gate_runs = scenario.pinned.size();
  return scenario;
}

}  // namespace interlock::scenarios::catalogue
