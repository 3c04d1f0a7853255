// SPDX-License-Identifier: MIT
//
// Invariant: `case_` with `tape_` always fails, even without its targets, and the tape is what was
// really drawn. No pass makes it larger, by (parts, switches, distance from simple values), so the
// passes terminate.
#include "scenarios/search/shrink/shrink.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "scenarios/search/shrink/aim.h"
#include "scenarios/search/shrink/parts.h"
#include "scenarios/search/shrink/passes.h"

namespace interlock::scenarios {
namespace {

constexpr int kConfirmations = 3;
constexpr std::uint64_t kFreshSchedules = 12;

class Shrinker {
 public:
  Shrinker(Trial& trial, const TrialCase& found, bool on_disk)
      : trial_(trial), case_(ByNumber(found.workload)), tape_(found.tape), on_disk_(on_disk) {}

  ShrinkResult Run() {
    if (trial_.Confirm({case_.workload, tape_}, kConfirmations)) {
      FindTargets();
      Tapes().Cut();
      for (bool smaller = true; smaller && !trial_.ended();) {
        smaller = Pass();
        if (!smaller) smaller = DeleteUnderFreshSchedules();
        if (!smaller) smaller = Tapes().FewerSwitches();
      }
    }
    return {std::move(case_.workload), std::move(tape_), trial_.tries(), trial_.spent(), shrinks_};
  }

 private:
  bool Pass() {
    bool smaller = DeleteFaults();
    smaller = DeleteClients() || smaller;
    smaller = DeleteOperations() || smaller;
    smaller = ThinkInstead() || smaller;
    smaller = FewerPauses() || smaller;
    smaller = JoinClients() || smaller;
    smaller = Tapes().Calm() || smaller;
    smaller = TrySimplerKinds() || smaller;
    smaller = SimplerLengths() || smaller;
    smaller = EarlierFaults() || smaller;
    return smaller;
  }

  std::size_t Faults() const { return FaultPlaces(case_.workload).size(); }

  bool Accept(AimedOutcome outcome) {
    if (!outcome.fails) return false;
    ++shrinks_;
    case_ = std::move(outcome.one);
    tape_ = std::move(outcome.tape);
    return true;
  }

  /// The original case says at which steps its faults strike; from now on, it says what they
  /// strike.
  void FindTargets() {
    if (Faults() == 0) return;
    AimedOutcome as_found = trial_.FailsAimed(case_, tape_);
    if (as_found.fails) case_ = std::move(as_found.one);
  }

  /// Each fault strikes the same target as before, if that still exists. If that moves it to
  /// another step, its old step is tried, too, because whatever the fault strikes there may serve
  /// as well.
  bool TryWith(const Aimed& smaller, const sim::Tape& tape) {
    AimedOutcome aimed = trial_.FailsAimed(smaller, tape);
    const bool as_numbered = aimed.as_numbered;
    if (Accept(std::move(aimed))) return true;
    return !as_numbered && Accept(trial_.FailsAimed(ByNumber(smaller.workload), tape));
  }

  /// A smaller workload calls for other choices, so the calm tape is tried as well as the present
  /// one. Somebody must do something: a case whose only operations are the probes' explains
  /// nothing.
  bool Try(const Aimed& smaller) {
    if (OperationPlaces(smaller.workload).empty()) return false;
    return TryWith(smaller, tape_) || (tape_.size() > 0 && TryWith(smaller, {}));
  }

  /// Tries a workload with the same faults.
  bool Try(const Workload& simpler) { return Try(Aimed{simpler, case_.targets}); }

  /// Tries one after the other, up to the first that still fails.
  template <typename Case>
  bool TryAny(const std::vector<Case>& simpler) {
    return std::ranges::any_of(simpler, [this](const Case& one) { return Try(one); });
  }

  /// Repeats what makes the case smaller, since each success makes room for more.
  template <typename Step>
  bool WhileSmaller(const Step& step) {
    bool smaller = false;
    while (!trial_.ended() && step()) smaller = true;
    return smaller;
  }

  /// What makes the present case's tape calmer.
  TapePasses Tapes() {
    return TapePasses(
        tape_, [this](const sim::Tape& tape) { return Accept(trial_.FailsAimed(case_, tape)); },
        [this] { return trial_.ended(); });
  }

  /// See interlock::scenarios::DeleteInBatches. `count` gives the number that is left.
  template <typename Count, typename Delete>
  bool DeleteInBatches(const Count& count, const Delete& without) {
    return scenarios::DeleteInBatches(
        count, [&](std::size_t at, std::size_t size) { return Try(without(case_, at, size)); },
        [this] { return trial_.ended(); });
  }

  bool DeleteFaults() {
    return DeleteInBatches([this] { return Faults(); }, WithoutFaults);
  }

  bool DeleteOperations() {
    return DeleteInBatches([this] { return OperationPlaces(case_.workload).size(); },
                           WithoutOperations);
  }

  bool DeleteClients() {
    bool smaller = false;
    for (std::size_t client = case_.workload.clients.size(); client-- > 0;) {
      if (case_.workload.clients.size() < 2) break;
      smaller = Try(WithoutClient(case_, client)) || smaller;
    }
    return smaller;
  }

  /// Replaces operations by thinking, since one may matter only for the time that it takes.
  bool ThinkInstead() {
    return WhileSmaller([this] {
      const std::vector<Place> places = OperationPlaces(case_.workload);
      return std::ranges::any_of(
          places, [this](Place place) { return TryAny(ThinkingInstead(case_, place)); });
    });
  }

  /// Removes pauses: a client that is paused before it is answered may as well ask later, and one
  /// that is paused twice may as well be paused once, for longer.
  bool FewerPauses() {
    bool smaller = false;
    for (std::size_t i = Faults(); i-- > 0 && !trial_.ended();) {
      if (i >= Faults()) continue;
      std::vector<Aimed> instead = ThinkingInsteadOf(case_, i);
      for (Aimed& longer : OneLongPauseInsteadOf(case_, i)) instead.push_back(std::move(longer));
      smaller = TryAny(instead) || smaller;
    }
    return smaller;
  }

  /// Lets one client do what several clients do one after the other.
  bool JoinClients() {
    for (std::size_t from = case_.workload.clients.size(); from-- > 0 && !trial_.ended();) {
      for (std::size_t into = 0; into < case_.workload.clients.size(); ++into) {
        if (into != from && Try(Joined(case_, from, into))) return true;
      }
    }
    return false;
  }

  /// Tries fresh choices, because those drawn for the larger case may not fit the smaller one,
  /// which then fails only under others.
  bool TryFresh(const Aimed& smaller) {
    if (OperationPlaces(smaller.workload).empty()) return false;
    for (std::uint64_t seed = 0; seed < kFreshSchedules && !trial_.ended(); ++seed) {
      auto fresh = std::make_unique<sim::SeededSource>(seed);
      AimedOutcome outcome = trial_.FailsAimedWith(smaller, std::move(fresh));
      const bool same_for_all = !outcome.drew;
      if (Accept(std::move(outcome))) return true;
      if (same_for_all) return false;
    }
    return false;
  }

  bool DeleteUnderFreshSchedules() {
    const Aimed& now = case_;
    const std::size_t clients = now.workload.clients.size();
    for (std::size_t client = clients; client-- > 0 && clients > 1;) {
      if (TryFresh(WithoutClient(now, client))) return true;
    }
    for (std::size_t i = Faults(); i-- > 0;) {
      if (TryFresh(WithoutFaults(now, i, 1))) return true;
    }
    for (std::size_t from = clients; from-- > 0;) {
      for (std::size_t into = 0; into < clients; ++into) {
        if (into != from && TryFresh(Joined(now, from, into))) return true;
      }
    }
    for (std::size_t i = OperationPlaces(now.workload).size(); i-- > 0;) {
      if (TryFresh(WithoutOperations(now, i, 1))) return true;
    }
    return false;
  }

  bool TrySimplerKinds() {
    return WhileSmaller([this] { return TryAny(SimplerKinds(case_.workload, on_disk_)); });
  }

  bool SimplerLengths() {
    constexpr Duration kLease = std::chrono::seconds(1);
    bool smaller = case_.workload.lease != kLease && Try(ScaledTo(case_.workload, kLease));
    const std::size_t faults = Faults();
    for (const Knob& knob : KnobsOf(case_.workload)) {
      if (Faults() != faults) break;  // a fault strikes nothing any more
      smaller |= SimplerLength(
          knob, case_.workload, [this](const Workload& one) { return Try(one); },
          [this] { return trial_.ended(); });
    }
    return smaller;
  }

  /// Moves each fault to the first step at which it does its harm.
  bool EarlierFaults() {
    bool smaller = false;
    const std::vector<Place> places = FaultPlaces(case_.workload);
    for (const Place place : places) {
      if (Faults() != places.size()) break;  // a fault strikes nothing any more
      smaller |= EarlierFault(
          place, case_.workload, [this](const Workload& one) { return Try(ByNumber(one)); },
          [this] { return trial_.ended(); });
    }
    return smaller;
  }

  Trial& trial_;
  Aimed case_;
  sim::Tape tape_;
  const bool on_disk_;  ///< see Traits
  int shrinks_ = 0;
};

}  // namespace

ShrinkResult Shrink(sim::Universe& universe, const RunCase& run_case, const Workload& found,
                    const sim::Tape& tape, Judged property, int budget,
                    const std::atomic<bool>* stop) {
  Trial trial(universe, run_case, property, budget, stop);
  return Shrinker(trial, {found, tape}, run_case.subject->traits().on_disk).Run();
}

}  // namespace interlock::scenarios
