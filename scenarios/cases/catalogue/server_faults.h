// SPDX-License-Identifier: MIT
//
// The faults of servers, their clocks and their operators, as cases that the gate and the guarantee
// table share: which faults on which servers, and what no lock can promise under them.
#pragma once

#include <string_view>
#include <vector>

#include "scenarios/cases/scenario.h"

namespace interlock::scenarios::catalogue {

struct ServerCase {
  std::string_view name;  ///< the name of the scenario, and of the class of faults
  std::string_view summary;
  SynchronyClass synchrony = SynchronyClass::kNone;
  std::vector<sim::FaultKind> faults;
  GivesUp gives_up;
  std::vector<sim::Persistence> persistence;
  /// A primary with two replicas; else one server, or in the guarantee table also independent
  /// masters.
  bool replicated = false;
};

const std::vector<ServerCase>& ServerCases();

/// Servers, faults and what is given up; clients overstay and extend. It judges nothing yet.
Scenario ScenarioOf(const ServerCase& one);

/// A primary with two replicas.
void OnReplicas(WorkloadShape& shape);

/// Masters, `nodes` of them, that know nothing of each other.
void OnIndependent(WorkloadShape& shape, int nodes);

/// One generated scenario for each case.
std::vector<Scenario> ServerFaults();

}  // namespace interlock::scenarios::catalogue
