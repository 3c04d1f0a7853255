// SPDX-License-Identifier: MIT
//
// What the tests of faults of servers, of their clocks and of their operator share: the servers
// that a fault strikes, and the fault, in few words.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>

#include "sim/faults.h"
#include "tests/sim/fault_fixture.h"

namespace interlock::sim {

/// As in Bench::Exact, with replicas 5 ms behind.
inline WorldOptions Servers(Topology topology, int nodes,
                            Persistence persistence = Persistence::kNone) {
  WorldOptions options = Bench::Exact();
  options.topology = topology;
  options.nodes = nodes;
  options.persistence = persistence;
  options.replication_lag = milliseconds(5);
  return options;
}

inline WorldOptions Alone(Persistence persistence = Persistence::kNone) {
  return Servers(Topology::kStandalone, 1, persistence);
}

inline WorldOptions WithReplica() { return Servers(Topology::kReplicated, 2); }

/// The fault meets client 0 at that step.
inline Fault Strikes(FaultKind kind, Duration length, int step = kStep, int node = 0) {
  return {kind, 0, step, length, node};
}

/// What one command is answered on a new connection to the primary; "refused" without one.
inline std::string AskAnew(Bench& bench, std::initializer_list<std::string_view> argv) {
  const auto connection = bench.Connect(0);
  return connection == nullptr ? "refused" : Ask(*connection, argv);
}

}  // namespace interlock::sim
