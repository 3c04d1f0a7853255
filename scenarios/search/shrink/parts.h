// SPDX-License-Identifier: MIT
//
// A workload taken apart: the parts that can be removed one by one, and the lengths that can be
// varied, each with values that are simple to read. Pure functions of plain data.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "scenarios/cases/workload.h"

namespace interlock::scenarios {

/// The position of a part: `index` among the client's faults or operations.
struct Place {
  std::size_t client = 0;
  std::size_t index = 0;
};

std::vector<Place> FaultPlaces(const Workload& workload);
std::vector<Place> OperationPlaces(const Workload& workload);

/// A length in a workload that can be varied on its own.
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

/// The lengths that the workload has and uses: faults' lengths first, then latency, clock offsets,
/// and each operation's.
std::vector<Knob> KnobsOf(const Workload& workload);

/// Workloads simplified in one way other than a length: the kind of request, an extension, the
/// guarded resource, the number of permits, resources or servers, a server's persistence (unless
/// the lock asks for it: `on_disk`), whose clock runs true.
std::vector<Workload> SimplerKinds(const Workload& workload, bool on_disk = false);

/// Scales every length in proportion to a lease of at least `lease`.
Workload ScaledTo(Workload workload, Duration lease);

}  // namespace interlock::scenarios
