// SPDX-License-Identifier: MIT
//
// Tries variations of one failing case: does it still fail, for the same reason? Shrinking tries
// smaller cases, explaining tries neighbouring ones.
//
// The same reason means that the property is violated and the run is named by the same code. A run
// is named by its earliest violation among those that the scenario judges and a lock can promise in
// this class, plus the property in question. A case named by another code may come to be named by
// its own property, and then stays so.
//
// Thread safety: one trial, one thread. Determinism: a function of its inputs.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string_view>

#include "reports/run_report.h"
#include "scenarios/run/run.h"
#include "scenarios/search/shrink/aim.h"

namespace interlock::scenarios {

/// Everything that determines a run.
struct TrialCase {
  Workload workload;
  sim::Tape tape;
  bool operator==(const TrialCase&) const = default;
};

/// How much there is to understand in a case.
reports::Size SizeOf(const TrialCase& one);

/// The violation that names a run of this case, see above; null: none.
const Violation* NamingViolation(const RunResult& run, const RunCase& run_case, Judged property);
/// The same without a property in question: the earliest violation, if none could name the run.
const Violation* NamingViolation(const RunResult& run, const RunCase& run_case);

/// The result of running a case with aimed faults.
struct AimedOutcome {
  bool fails = false;
  /// Each fault struck at its step's number, so the run is the same without targets.
  bool as_numbered = true;
  /// If it fails: with the step numbers and targets that its faults struck, without faults that
  /// struck nothing.
  Aimed one;
  sim::Tape tape;    ///< what was really drawn
  bool drew = true;  ///< false: no choice was made, so any other choices give the same run
};

class Trial {
 public:
  /// At most `budget` runs, of which one counts as several if it has many commands, as those of
  /// locks that poll without pause have; none after `stop` (if any) is set. From then on nothing
  /// fails in Fails and FailsWith. All references outlive the trial.
  Trial(sim::Universe& universe, const RunCase& run_case, Judged property, int budget,
        const std::atomic<bool>* stop = nullptr);

  /// Runs the case `times` times to determine the naming code. Returns false if it does not violate
  /// the property each time, or its runs differ. Ending early counts as confirmed.
  bool Confirm(const TrialCase& one, int times);

  /// The tape that was really drawn, if the case fails for the same reason: a shorter run needs no
  /// more, and clamped values become exact. A case that passed is not run twice, nor repeated
  /// calmly if all that it drew was calm.
  std::optional<sim::Tape> Fails(const Workload& workload, const sim::Tape& tape);
  /// Whether it fails for the same reason with these choices; not cached.
  bool FailsWith(const Workload& workload, sim::Choices& choices);

  /// Like Fails, with faults aimed at targets. A case that fails here fails without targets, too.
  AimedOutcome FailsAimed(const Aimed& one, const sim::Tape& tape);
  /// The same with any choices; not cached.
  AimedOutcome FailsAimedWith(const Aimed& one, std::unique_ptr<sim::ChoiceSource> choices);

  /// The run of a case, with its events.
  RunResult RunAgain(const TrialCase& one);

  bool ended() const { return spent_ >= budget_ || (stop_ != nullptr && *stop_); }
  int tries() const { return tries_; }
  /// Of the budget.
  int spent() const { return spent_; }
  Judged property() const { return property_; }

 private:
  static constexpr int kCommandsOfOne = 125;  // a run of twice as many counts as two

  RunResult Run(const Workload& workload, sim::Choices& choices, bool keep_events = false);
  bool SameReason(const RunResult& run);
  /// Records that the case did not fail under `tape`, from which `drawn` was drawn.
  template <typename Case>
  void NotePassed(const Case& one, std::uint64_t hash, const sim::Tape& tape,
                  const sim::Tape& drawn);

  sim::Universe& universe_;
  const RunCase& case_;
  const Judged property_;
  const std::vector<Judged> promised_;
  std::string_view named_;  ///< the code that names the case
  int budget_;
  const std::atomic<bool>* const stop_;
  int tries_ = 0;
  int spent_ = 0;
  std::set<std::uint64_t> passed_;  ///< hashes of cases that did not fail
};

}  // namespace interlock::scenarios
