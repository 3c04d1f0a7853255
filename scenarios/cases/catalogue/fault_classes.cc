// SPDX-License-Identifier: MIT
#include "scenarios/cases/catalogue/fault_classes.h"

#include <string_view>
#include <utility>

#include "scenarios/cases/catalogue/rows.h"
#include "scenarios/cases/catalogue/server_faults.h"
#include "scenarios/cases/kind_model.h"

namespace interlock::scenarios::catalogue {
namespace {

using sim::FaultKind;

struct Class {
  std::string_view name;
  std::string_view standalone;  // the names of the scenarios
  std::string_view replicated;
  std::string_view independent;
  std::string_view summary;
  SynchronyClass synchrony;
  std::vector<FaultKind> faults;
  bool wild_clocks = false;  // of clients, beyond all allowances
};

std::vector<Judged> EveryLockProperty() {
  std::vector<Judged> all;
  for (const Judged property : kAllJudged) {
    // For a semaphore the exclusions become these.
    if (CounterpartOf(harness::Exclusive{}, property) == property) all.push_back(property);
  }
  return all;
}

/// What each cell of the table has in common: every property is judged, and holders write to a
/// storage that refuses old tokens.
Scenario& AddCell(std::string_view name, std::string_view fault_class, std::string_view summary,
                  std::vector<Scenario>& all) {
  Scenario& scenario = all.emplace_back();
  scenario.name = name;
  scenario.fault_class = fault_class;
  scenario.summary = summary;
  scenario.judges = EveryLockProperty();
  scenario.shape.guard = GuardKind::kFenced;
  return scenario;
}

Scenario& AddCell(const Class& one, std::string_view name, std::vector<Scenario>& all) {
  Scenario& scenario = AddCell(name, one.name, one.summary, all);
  scenario.classes = {one.synchrony};
  scenario.shape.faults = one.faults;
  scenario.shape.overstay = true;
  scenario.shape.extend = true;
  if (one.wild_clocks) FreeClocks(scenario);
  return scenario;
}

/// Faults of clients and links, which every topology meets.
std::vector<Class> OfClientsAndLinks() {
  return {
      {"none",
       "guarantee.none.standalone",
       "guarantee.none.replicated",
       "guarantee.none.independent",
       "nothing goes wrong",
       SynchronyClass::kNone,
       {}},
      {"client-crash",
       "guarantee.client-crash.standalone",
       "guarantee.client-crash.replicated",
       "guarantee.client-crash.independent",
       "clients die at any step",
       SynchronyClass::kNone,
       {FaultKind::kCrash}},
      {"client-pause-bounded",
       "guarantee.client-pause-bounded.standalone",
       "guarantee.client-pause-bounded.replicated",
       "guarantee.client-pause-bounded.independent",
       "clients stand still, but wake before a validity ends that they rely on",
       SynchronyClass::kBounded,
       {FaultKind::kPause, FaultKind::kExpiry}},
      {"client-pause",
       "guarantee.client-pause.standalone",
       "guarantee.client-pause.replicated",
       "guarantee.client-pause.independent",
       "clients stand still for any time, anywhere",
       SynchronyClass::kArbitrary,
       {FaultKind::kPause, FaultKind::kExpiry}},
      {"link",
       "guarantee.link.standalone",
       "guarantee.link.replicated",
       "guarantee.link.independent",
       "messages are lost or late, connections break or go silent",
       SynchronyClass::kArbitrary,
       {FaultKind::kLostRequest, FaultKind::kLostReply, FaultKind::kResetBefore,
        FaultKind::kResetAfter, FaultKind::kDelayRequest, FaultKind::kDelayReply,
        FaultKind::kHalfOpen}},
      {"client-restart",
       "guarantee.client-restart.standalone",
       "guarantee.client-restart.replicated",
       "guarantee.client-restart.independent",
       "clients die at any step, and come back with a new identity",
       SynchronyClass::kNone,
       {FaultKind::kRestart}},
      {"partition",
       "guarantee.partition.standalone",
       "guarantee.partition.replicated",
       "guarantee.partition.independent",
       "for a while nothing arrives at the server, at a client, or at both",
       SynchronyClass::kBounded,
       {FaultKind::kPartition, FaultKind::kPartitionToServer, FaultKind::kPartitionFromServer}},
      {"lost-push",
       "guarantee.lost-push.standalone",
       "guarantee.lost-push.replicated",
       "guarantee.lost-push.independent",
       "pub/sub messages are lost",
       SynchronyClass::kNone,
       {FaultKind::kLostPush}},
      {"client-clock",
       "guarantee.client-clock.standalone",
       "guarantee.client-clock.replicated",
       "guarantee.client-clock.independent",
       "clients' clocks jump, stand still, or run at up to half or double speed",
       SynchronyClass::kArbitrary,
       {FaultKind::kClientClockRate, FaultKind::kClientClockJump, FaultKind::kPauseClockFrozen},
       true},
  };
}

}  // namespace

std::vector<Scenario> FaultClasses() {
  std::vector<Scenario> all;
  for (const Class& one : OfClientsAndLinks()) {
    AddCell(one, one.standalone, all);
    OnReplicas(AddCell(one, one.replicated, all).shape);
    OnIndependent(AddCell(one, one.independent, all).shape, 3);
  }
  for (const ServerCase& one : ServerCases()) {
    ShapeFor(one, AddCell(one.guarantee, one.name, one.summary, all));
    if (one.independent.empty()) continue;
    Scenario& cell = AddCell(one.independent, one.name, one.summary, all);
    ShapeFor(one, cell);
    OnIndependent(cell.shape, 3);
  }
  return all;
}

}  // namespace interlock::scenarios::catalogue
