// SPDX-License-Identifier: MIT
//
// One run: a subject, a scenario's workload with its faults, and a source of choices, from the
// first command to the verdicts of all oracles. A pure function of these: the same inputs give the
// same trace hash in every process and every build.
//
// Two phases: with faults, until the programs have ended or their time is up; then everything heals
// and freezes, fresh clients ask for every permit, and all that still wait must be granted.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "scenarios/cases/goals.h"
#include "scenarios/cases/scenario.h"
#include "scenarios/log/run_result.h"
#include "sim/universe.h"
#include "sim/world.h"

namespace interlock::scenarios {

struct RunCase {
  const harness::Subject* subject = nullptr;
  const Scenario* scenario = nullptr;
  SynchronyClass synchrony = SynchronyClass::kNone;
};

/// Whether the lock must have the property in this case; see WhyNotPromised.
bool IsPromised(Judged property, const RunCase& run_case);

/// Work to do right after a step (see sim::TraceEvent), from inside the run.
struct StepWatch {
  std::uint64_t step = 0;
  std::function<void()> then;
};

class Recorder;

/// Inspects a run of an instant world; see sim::WorldProbe.
class RunProbe : public sim::WorldProbe {
 public:
  /// Called before anything runs.
  virtual void OnBegin(sim::World& world, const Recorder& recorder) = 0;
  /// Phase 1 is over, for this reason; phase 2 is not inspected. GoOn is asked once more before; if
  /// it returns false, there is no phase 2, and what needs one is not judged.
  virtual void OnHeal(sim::StopReason stop) = 0;
};

/// `watch` needs the events to be kept; null: none. `probe` needs an instant world; null: none.
RunResult RunOnce(sim::Universe& universe, const RunCase& run_case, const Workload& workload,
                  sim::Choices& choices, bool keep_events = false, const StepWatch* watch = nullptr,
                  RunProbe* probe = nullptr);

}  // namespace interlock::scenarios
