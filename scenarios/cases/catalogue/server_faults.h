// SPDX-License-Identifier: MIT
//
// Classes of faults, of which the guarantee table consists: which faults on which servers, and what
// no lock can promise under them. Those of servers, their clocks and their operators are scenarios
// of the gate as well.
#pragma once

#include <string_view>
#include <vector>

#include "scenarios/cases/scenario.h"

namespace interlock::scenarios::catalogue {

struct FaultCase {
  std::string_view name;  ///< the name of the scenario, and of the class of faults
  std::string_view summary;
  SynchronyClass synchrony = SynchronyClass::kNone;
  std::vector<sim::FaultKind> faults;
  GivesUp gives_up = {};
  std::vector<sim::Persistence> persistence = {sim::Persistence::kNone};
  /// On a primary with two replicas alone; else on one server, and perhaps elsewhere.
  bool replicated = false;
};

const std::vector<FaultCase>& ServerCases();

/// Servers, faults and what is given up; clients overstay and extend. It judges nothing yet.
Scenario ScenarioOf(const FaultCase& one);

/// A primary with two replicas.
void OnReplicas(WorkloadShape& shape);

/// The same, found through Sentinels.
void OnSentinel(WorkloadShape& shape);

/// Masters, `nodes` of them, that know nothing of each other.
void OnIndependent(WorkloadShape& shape, int nodes);

/// One generated scenario for each case.
std::vector<Scenario> ServerFaults();

}  // namespace interlock::scenarios::catalogue
