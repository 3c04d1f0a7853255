// SPDX-License-Identifier: MIT
//
// What comes later: the same lock objects when all faults are over, and a lock that nobody has
// asked for in a long time.
#include <utility>
#include <vector>

#include "scenarios/cases/catalogue/rows.h"

namespace interlock::scenarios::catalogue {
namespace {

using sim::FaultKind;
using namespace std::chrono_literals;

Scenario Recovery() {
  Scenario scenario = Named(
      "recovery", "links and server fail and come back; then the same lock objects are used on",
      {SynchronyClass::kBounded});
  scenario.asks_again = true;
  WorkloadShape& shape = scenario.shape;
  shape.max_clients = 3;
  shape.max_operations = 2;
  shape.max_faults = 2;
  shape.faults = {FaultKind::kLostReply,   FaultKind::kResetBefore, FaultKind::kHalfOpen,
                  FaultKind::kPartition,   FaultKind::kClientKill,  FaultKind::kServerKill,
                  FaultKind::kServerPause, FaultKind::kLoading,     FaultKind::kReadonly,
                  FaultKind::kOom,         FaultKind::kBusy,        FaultKind::kScriptFlush};
  shape.persistence = {sim::Persistence::kAofAlways};
  scenario.judges = ExclusionsAnd({Judged::kDeadlock, Judged::kSpuriousRefusal});
  return scenario;
}

/// Two clients take turns, with such a break before each.
Workload TakesTurns(Duration gap) {
  const Operation first{.ask = Ask::kWaitFor, .wait = kLease, .hold = kLease / 4};
  Operation later = first;
  later.think = 2 * gap;
  Operation between = first;
  between.think = gap;
  return Clients({Does({first, later}), Does({between, later})});
}

/// The second of them only reads.
Workload ReadsAfter(Duration gap) {
  Workload workload = TakesTurns(gap);
  for (Operation& operation : workload.clients.back().operations) operation.shared = true;
  return workload;
}

Scenario Idle() {
  Scenario scenario =
      Named("idle", "between two grants nothing happens for a minute, an hour, or up to 400 days",
            {SynchronyClass::kNone});
  scenario.judges = {Judged::kTokens, Judged::kKeys};
  scenario.always_whole = true;
  Pin(scenario, {TakesTurns(1min), TakesTurns(1h), TakesTurns(25h), TakesTurns(8 * 24h),
                 TakesTurns(40 * 24h), TakesTurns(400 * 24h), ReadsAfter(8 * 24h)});
  return scenario;
}

constexpr std::chrono::seconds kShortLease(1);

/// Another one asks meanwhile, or when that is over.
Workload Forgets(std::vector<Operation> forgotten, bool in_time) {
  const Operation waits{.ask = Ask::kWaitFor,
                        .think = in_time ? kShortLease / 2 : 62 * kShortLease,
                        .wait = 4 * kShortLease,
                        .hold = kShortLease / 4};
  Workload workload = Clients({Does(std::move(forgotten)), Does({waits, waits})});
  workload.lease = kShortLease;
  return workload;
}

/// One client works, and forgets to give back, though it keeps the hold.
Workload ForgetsToGiveBack(bool in_time) {
  return Forgets({{.hold = kShortLease / 4, .overstay = 64 * kShortLease}}, in_time);
}

/// The hold is gone as well, and its process goes on to something else.
Workload DropsItsHold(bool in_time) {
  return Forgets({{.hold = kShortLease / 4, .drops = true}, {.think = 64 * kShortLease}}, in_time);
}

/// What is dropped is a second one; the first is held for some time still.
Workload DropsOneOfTwo() {
  const Operation kept{.hold = kShortLease / 4, .overstay = kShortLease};
  const Operation dropped{.hold = kShortLease / 4, .resource = 1, .inside = true, .drops = true};
  Workload workload = Forgets({kept, dropped}, true);
  workload.resources = 2;
  return workload;
}

/// A handle that nobody kept, an exception on the way to the release: the process lives, and so
/// does the watchdog beside the hold. A lock that promises a longest time must end it then.
Scenario Forgotten() {
  Scenario scenario =
      Named("forgotten", "a holder that lives forgets to give back, and its lease renews itself",
            {SynchronyClass::kNone});
  scenario.judges = {Judged::kServerExclusion, Judged::kBeliefExclusion, Judged::kFalseValidity};
  scenario.renewing_only = true;
  scenario.always_whole = true;
  Pin(scenario, {ForgetsToGiveBack(true), ForgetsToGiveBack(false), DropsItsHold(true),
                 DropsItsHold(false), DropsOneOfTwo()});
  return scenario;
}

}  // namespace

std::vector<Scenario> Aftermath() { return Together(Recovery(), Idle(), Forgotten()); }

}  // namespace interlock::scenarios::catalogue
