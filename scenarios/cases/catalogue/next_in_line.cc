// SPDX-License-Identifier: MIT
//
// The next in line when the lock is given up has died, or stops waiting, or stands still while an
// operator takes away from it what it has not fetched yet. Leases are long here: nobody may have to
// wait for the end of one.
#include <chrono>
#include <iterator>
#include <utility>
#include <vector>

#include "scenarios/cases/catalogue/rows.h"

namespace interlock::scenarios::catalogue {
namespace {

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
  workload.lease = std::chrono::seconds(20);
  return workload;
}

/// The first one has been a holder, and waits for the second; the third stands behind it.
std::vector<ClientPlan> ThreeInLine(milliseconds third_works) {
  const Operation comes{.hold = milliseconds(1)};
  const Operation holds{.think = milliseconds(50), .hold = milliseconds(500)};
  return {Does({comes, NextInLineWaits(milliseconds(60), milliseconds(100))}), Does({holds}),
          Does({NextInLineWaits(milliseconds(120), third_works)})};
}

/// The third one works until long after the first has come back.
std::vector<ClientPlan> ThreeAndAnOperator() {
  std::vector<ClientPlan> clients = ThreeInLine(milliseconds(3000));
  clients.push_back(Does({{.think = milliseconds(700), .hold = milliseconds(50), .forces = true}}));
  return clients;
}

/// It no longer wants what it is given at about that moment, which nobody but the third one needs.
Workload StopsNearItsTurn(int moment) {
  Workload workload = OfLongLeases(ThreeInLine(milliseconds(100)));
  Operation& waits = workload.clients.front().operations.back();
  waits.stops = true;
  waits.stop_after = milliseconds(480) + moment * std::chrono::microseconds(500);
  return workload;
}

}  // namespace

Scenario NextInLine() {
  Scenario scenario;
  scenario.name = "next-in-line";
  scenario.summary =
      "who is next in line dies at any step, stops, or pauses and is forced out of its turn";
  scenario.classes = {SynchronyClass::kBounded};
  scenario.judges = {Judged::kServerExclusion, Judged::kBeliefExclusion, Judged::kSectionExclusion,
                     Judged::kCrashRecovery,   Judged::kDeadlock,        Judged::kKeys};
  scenario.always_whole = true;
  std::vector<Workload> all = AtAnyStep(OfLongLeases(ThreeInLine(milliseconds(100))),
                                        {.kind = sim::FaultKind::kCrash}, kNextInLineSteps);
  std::vector<Workload> paused =
      AtAnyStep(OfLongLeases(ThreeAndAnOperator()),
                {.kind = sim::FaultKind::kPause, .length = milliseconds(1000)}, kNextInLineSteps);
  all.insert(all.end(), std::make_move_iterator(paused.begin()),
             std::make_move_iterator(paused.end()));
  for (int i = 0; i < kStops; ++i) all.push_back(StopsNearItsTurn(i));
  Pin(scenario, std::move(all));
  scenario.gate_runs = scenario.pinned.size();
  return scenario;
}

}  // namespace interlock::scenarios::catalogue
