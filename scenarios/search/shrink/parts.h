// SPDX-License-Identifier: MIT
//
// A workload taken apart: the parts that can be left out one by one, and the lengths that can be
// varied, each with the values that are simple to read. Pure functions of plain data.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "scenarios/cases/workload.h"

namespace interlock::scenarios {

/// Where a part stands: `index` among the client's faults, or among its operations.
struct Place {
  std::size_t client = 0;
  std::size_t index = 0;
};

std::vector<Place> FaultPlaces(const Workload& workload);
std::vector<Place> OperationPlaces(const Workload& workload);

/// The workload without the faults at these places of FaultPlaces: `count` of them from `first` on.
Workload WithoutFaults(Workload workload, std::size_t first, std::size_t count);
/// The same, of OperationPlaces.
Workload WithoutOperations(Workload workload, std::size_t first, std::size_t count);
Workload WithoutClient(Workload workload, std::size_t client);

/// The workload without this operation, in whose time the client now thinks: the next one begins
/// about when it did. One for each notion of how long the operation took; none if it is the last.
std::vector<Workload> ThinkingInstead(const Workload& workload, Place operation);
/// The workload in which client `into` does at the end what client `from` did, which is gone.
Workload Joined(Workload workload, std::size_t from, std::size_t into);

/// One length of a workload that may be varied on its own.
struct Knob {
  std::string name;                 ///< for people: "C2's hold"
  std::vector<Duration> canonical;  ///< simple values, the simplest first
  std::function<Duration&(Workload&)> at;
  bool is_rate = false;  ///< its count is in parts per million

  Duration Read(Workload workload) const { return at(workload); }
  Workload Set(Workload workload, Duration value) const {
    at(workload) = value;
    return workload;
  }
};

/// The lengths that the workload has and uses. Faults' lengths come first, then latency, clock
/// offsets, and each operation's.
std::vector<Knob> KnobsOf(const Workload& workload);

/// Workloads that are simpler in one thing which is no length: a kind of asking, an extension, what
/// is guarded, the number of permits, resources or servers, what a server keeps, whose clock runs
/// true.
std::vector<Workload> SimplerKinds(const Workload& workload);

/// Every length in proportion to a lease of `lease`, at least.
Workload ScaledTo(Workload workload, Duration lease);

}  // namespace interlock::scenarios
