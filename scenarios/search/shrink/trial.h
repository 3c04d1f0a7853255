// SPDX-License-Identifier: MIT
//
// Tries variations of one failing case: does this one still fail, for the same reason? Shrinking
// asks it about smaller cases, explaining about neighbouring ones.
//
// The same reason: the property is violated, and the code that names the run is still the same.
// What names a run is its earliest violation among those that the scenario judges and that a lock
// can promise in this class; the property in question always counts among them. A case that was
// named by another code may come to be named by its own property, and then stays so.
//
// Thread safety: one trial, one thread. Determinism: a function of its inputs.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string_view>

#include "scenarios/run/run.h"
#include "scenarios/search/shrink/aim.h"

namespace interlock::scenarios {

/// What runs, and how it runs: a run is a function of both.
struct TrialCase {
  Workload workload;
  sim::Tape tape;
  bool operator==(const TrialCase&) const = default;
};

/// How much there is to understand in a case.
struct CaseSize {
  std::size_t clients = 0;
  std::size_t faults = 0;
  std::size_t operations = 0;
  std::size_t switches = 0;  ///< choices of the schedule that are not "go on"
  std::size_t total() const { return clients + faults + operations + switches; }
  bool operator==(const CaseSize&) const = default;
};

CaseSize SizeOf(const TrialCase& one);

/// The violation that names a run of this case; see above. Null: none does.
const Violation* NamingViolation(const RunResult& run, const RunCase& run_case, Judged property);
/// The same where no property is in question: the earliest violation, if none could name the run.
const Violation* NamingViolation(const RunResult& run, const RunCase& run_case);

/// What became of a case whose faults were aimed.
struct AimedOutcome {
  bool fails = false;
  /// Each fault struck at its step's number, so without targets it is the same run.
  bool as_numbered = true;
  /// If it fails: with the numbers and targets of the steps that its faults struck, and without
  /// those that struck nothing.
  Aimed one;
  sim::Tape tape;    ///< what was really drawn
  bool drew = true;  ///< false: no choice was made, so it is the run under any others, too
};

class Trial {
 public:
  /// At most `budget` runs, and none after `stop` (if any) is set, or after half a million commands
  /// in all, which only runs of locks that poll without rest come to: whatever Fails and FailsWith
  /// are asked then does not fail. All references outlive the trial.
  Trial(sim::Universe& universe, const RunCase& run_case, Judged property, int budget,
        const std::atomic<bool>* stop = nullptr);

  /// Runs the case `times` times and lets it decide which code is the right one. False: it does not
  /// violate the property each time, or its runs differ. Ended too early counts as confirmed.
  bool Confirm(const TrialCase& one, int times);

  /// The tape of what was really drawn, if the case fails for the same reason: a shorter run needs
  /// no more, and clamped values are now exact. A case that did not fail is not run twice, nor
  /// calmly if all that was drawn of it was calm.
  std::optional<sim::Tape> Fails(const Workload& workload, const sim::Tape& tape);
  /// Whether it fails for the same reason with these choices; never remembered.
  bool FailsWith(const Workload& workload, sim::Choices& choices);

  /// As Fails, of faults that strike their targets. What fails here fails without targets, too.
  AimedOutcome FailsAimed(const Aimed& one, const sim::Tape& tape);
  /// As above, with any choices; never remembered.
  AimedOutcome FailsAimedWith(const Aimed& one, std::unique_ptr<sim::ChoiceSource> choices);

  /// The run of a case, with its events.
  RunResult RunAgain(const TrialCase& one);

  bool ended() const {
    return tries_ >= budget_ || commands_ >= kMostCommands || (stop_ != nullptr && *stop_);
  }
  int tries() const { return tries_; }
  int budget() const { return budget_; }
  const RunCase& run_case() const { return case_; }
  Judged property() const { return property_; }

 private:
  static constexpr std::uint64_t kMostCommands = 500'000;

  RunResult Run(const Workload& workload, sim::Choices& choices, bool keep_events = false);
  bool SameReason(const RunResult& run);
  /// It did not fail under that tape, of which this was drawn.
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
  std::uint64_t commands_ = 0;
  std::set<std::uint64_t> passed_;  ///< hashes of cases that did not fail
};

}  // namespace interlock::scenarios
