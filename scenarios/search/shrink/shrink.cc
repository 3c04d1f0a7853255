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

namespace interlock::scenarios {
namespace {

constexpr int kConfirmations = 3;
constexpr std::uint64_t kFreshSchedules = 12;
constexpr std::uint32_t kScheduleProbe = 96;  // first choices at which a single switch is tried

class Shrinker {
 public:
  Shrinker(Trial& trial, const TrialCase& found)
      : trial_(trial), case_(ByNumber(found.workload)), tape_(found.tape) {}

  ShrinkResult Run() {
    if (trial_.Confirm({case_.workload, tape_}, kConfirmations)) {
      FindTargets();
      CutTape();
      for (bool smaller = true; smaller && !trial_.ended();) {
        smaller = Pass();
        if (!smaller) smaller = DeleteUnderFreshSchedules();
        if (!smaller) smaller = FewerSwitches();
      }
    }
    return {std::move(case_.workload), std::move(tape_), trial_.tries(), shrinks_};
  }

 private:
  bool Pass() {
    bool smaller = DeleteFaults();
    smaller = DeleteClients() || smaller;
    smaller = DeleteOperations() || smaller;
    smaller = ThinkInstead() || smaller;
    smaller = FewerPauses() || smaller;
    smaller = JoinClients() || smaller;
    smaller = CalmTape() || smaller;
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

  bool TryTape(const sim::Tape& calmer) {
    return calmer != tape_ && Accept(trial_.FailsAimed(case_, calmer));
  }

  /// Deletes in batches that grow while they succeed and halve when they fail. `count` gives the
  /// number that is left.
  template <typename Count, typename Delete>
  bool DeleteInBatches(const Count& count, const Delete& without) {
    bool smaller = false;
    std::size_t batch = std::max<std::size_t>(count() / 4, 1);
    for (std::size_t at = 0; at < count() && !trial_.ended();) {
      const std::size_t size = std::min(batch, count() - at);
      if (Try(without(case_, at, size))) {
        smaller = true;
        ++batch;
      } else if (size == 1) {
        ++at;
      } else {
        batch = size / 2;
      }
    }
    return smaller;
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

  /// Cuts the tape where no later choice matters, at the latest after the failing step.
  void CutTape() {
    if (TryTape({})) return;
    for (std::size_t lane = 0; lane < sim::kLanes; ++lane) {
      std::size_t needed = 0;
      while (needed < tape_.lanes[lane].size() && !trial_.ended()) {
        const std::size_t middle = needed + (tape_.lanes[lane].size() - needed) / 2;
        sim::Tape shorter = tape_;
        shorter.lanes[lane].resize(middle);
        if (!TryTape(shorter)) needed = middle + 1;
      }
    }
  }

  /// Zeroes each lane in halving pieces, then lowers each choice that is left.
  bool CalmTape() {
    if (tape_.size() == 0) return false;
    if (TryTape({})) return true;
    bool smaller = false;
    for (std::size_t lane = 0; lane < sim::kLanes; ++lane) {
      for (std::size_t piece = std::max<std::size_t>(tape_.lanes[lane].size(), 1); piece > 0;
           piece /= 2) {
        for (std::size_t from = 0; from < tape_.lanes[lane].size(); from += piece) {
          smaller = Calm(lane, from, piece) || smaller;
        }
      }
      for (std::size_t i = 0; i < tape_.lanes[lane].size() && !trial_.ended(); ++i) {
        if (tape_.lanes[lane][i] < 2) continue;
        sim::Tape lower = tape_;
        lower.lanes[lane][i] = 1;
        smaller = TryTape(lower) || smaller;
      }
    }
    return smaller;
  }

  bool Calm(std::size_t lane, std::size_t from, std::size_t piece) {
    if (trial_.ended()) return false;
    sim::Tape calmer = tape_;
    auto& values = calmer.lanes[lane];
    const auto first = values.begin() + static_cast<std::ptrdiff_t>(from);
    const auto last =
        values.begin() + static_cast<std::ptrdiff_t>(std::min(values.size(), from + piece));
    if (std::all_of(first, last, [](std::uint32_t value) { return value == 0; })) return false;
    std::fill(first, last, 0U);
    return TryTape(calmer);
  }

  /// Replaces a schedule of several switches by a single switch elsewhere, if that does as well.
  bool FewerSwitches() {
    if (SizeOf({case_.workload, tape_}).switches < 2) return false;
    constexpr auto kLane = static_cast<std::size_t>(sim::Lane::kSchedule);
    for (std::uint32_t at = 0; at < kScheduleProbe && !trial_.ended(); ++at) {
      for (const std::uint32_t pick : {1U, 2U}) {
        sim::Tape tape;
        tape.lanes[kLane].assign(at + 1, 0);
        tape.lanes[kLane].back() = pick;
        if (TryTape(tape)) return true;
      }
    }
    return false;
  }

  bool TrySimplerKinds() {
    return WhileSmaller([this] { return TryAny(SimplerKinds(case_.workload)); });
  }

  bool SimplerLengths() {
    constexpr Duration kLease = std::chrono::seconds(1);
    bool smaller = case_.workload.lease != kLease && Try(ScaledTo(case_.workload, kLease));
    const std::size_t faults = Faults();
    for (const Knob& knob : KnobsOf(case_.workload)) {
      if (Faults() != faults) break;  // a fault strikes nothing any more
      for (const Duration value : knob.canonical) {
        if (value == knob.Read(case_.workload) || trial_.ended()) break;
        if (!Try(knob.Set(case_.workload, value))) continue;
        smaller = true;
        break;
      }
    }
    return smaller;
  }

  /// Moves each fault to the first step at which it does its harm.
  bool EarlierFaults() {
    bool smaller = false;
    const std::vector<Place> places = FaultPlaces(case_.workload);
    for (const Place place : places) {
      if (Faults() != places.size()) break;  // a fault strikes nothing any more
      const int now = case_.workload.clients[place.client].faults[place.index].step;
      for (int step = 0; step < now && !trial_.ended(); ++step) {
        Workload earlier = case_.workload;
        earlier.clients[place.client].faults[place.index].step = step;
        if (!Try(ByNumber(std::move(earlier)))) continue;
        smaller = true;
        break;
      }
    }
    return smaller;
  }

  Trial& trial_;
  Aimed case_;
  sim::Tape tape_;
  int shrinks_ = 0;
};

}  // namespace

ShrinkResult Shrink(sim::Universe& universe, const RunCase& run_case, const Workload& found,
                    const sim::Tape& tape, Judged property, int budget,
                    const std::atomic<bool>* stop) {
  Trial trial(universe, run_case, property, budget, stop);
  return Shrinker(trial, {found, tape}).Run();
}

}  // namespace interlock::scenarios
