// SPDX-License-Identifier: MIT
//
// Invariant: `case_` always fails, and its tape is what was really drawn.
#include "scenarios/search/program/program_shrink.h"

#include <algorithm>
#include <cstdint>
#include <set>
#include <utility>

#include "scenarios/search/shrink/parts.h"
#include "scenarios/search/shrink/passes.h"
#include "sim/hash.h"

namespace interlock::scenarios {
namespace {

constexpr std::uint64_t kFreshSchedules = 12;

Workload WithoutFaults(Workload workload, std::size_t first, std::size_t count) {
  const std::vector<Place> places = FaultPlaces(workload);
  for (std::size_t i = first + count; i-- > first;) {
    auto& faults = workload.clients[places[i].client].faults;
    faults.erase(faults.begin() + static_cast<std::ptrdiff_t>(places[i].index));
  }
  return workload;
}

class ProgramShrinker {
 public:
  ProgramShrinker(sim::Universe& universe, const harness::Program& program, ProgramCase found,
                  Breach like, int budget)
      : universe_(universe),
        program_(program),
        like_(std::move(like)),
        budget_(budget),
        case_(std::move(found)) {}

  ShrunkProgram Run() {
    Tapes().Cut();
    for (bool smaller = true; smaller && !ended();) {
      smaller = Pass();
      if (!smaller) smaller = DeleteUnderFreshSchedules();
      if (!smaller) smaller = Tapes().FewerSwitches();
    }
    ShrunkProgram shrunk;
    shrunk.tries = tries_;
    budget_ = tries_ + static_cast<int>(Faults());
    for (std::size_t i = 0; i < Faults(); ++i) {
      sim::Choices choices = sim::Choices::FromTape(case_.tape);
      shrunk.needed.push_back(!Fails(WithoutFaults(case_.workload, i, 1), choices));
    }
    shrunk.smallest = std::move(case_);
    shrunk.shrinks = shrinks_;
    return shrunk;
  }

 private:
  bool ended() const { return tries_ >= budget_; }
  std::size_t Faults() const { return FaultPlaces(case_.workload).size(); }

  bool Pass() {
    bool smaller = DeleteInBatches([this] { return Faults(); },
                                   [this](std::size_t at, std::size_t size) {
                                     return Try(WithoutFaults(case_.workload, at, size));
                                   },
                                   [this] { return ended(); });
    smaller = Tapes().Calm() || smaller;
    smaller = SimplerLengths() || smaller;
    smaller = EarlierFaults() || smaller;
    return smaller;
  }

  /// What makes the present case's tape calmer.
  TapePasses Tapes() {
    return TapePasses(
        case_.tape, [this](const sim::Tape& tape) { return TryWith(case_.workload, tape); },
        [this] { return ended(); });
  }

  bool Fails(const Workload& workload, sim::Choices& choices) {
    if (ended()) return false;
    ++tries_;
    const ProgramResult run = RunProgram(universe_, program_, workload, choices);
    return run.breach && run.breach->IsLike(like_);
  }

  bool Accept(const Workload& workload, sim::Choices choices) {
    if (!Fails(workload, choices)) return false;
    ++shrinks_;
    case_ = {workload, choices.TakeTape()};
    return true;
  }

  bool TryWith(const Workload& workload, const sim::Tape& tape) {
    const std::uint64_t hash = sim::HashBytes(TokenOf({workload, tape}, program_), 0);
    if (ended() || !tried_.insert(hash).second) return false;
    return Accept(workload, sim::Choices::FromTape(tape));
  }

  /// A smaller case calls for other choices, so the calm tape is tried as well as the present one.
  bool Try(const Workload& smaller) { return TryWith(smaller, case_.tape) || TryWith(smaller, {}); }

  /// The choices drawn for the larger case may not fit the smaller one, which then fails only under
  /// others.
  bool DeleteUnderFreshSchedules() {
    for (std::size_t i = Faults(); i-- > 0;) {
      const Workload smaller = WithoutFaults(case_.workload, i, 1);
      for (std::uint64_t seed = 0; seed < kFreshSchedules && !ended(); ++seed) {
        if (Accept(smaller, sim::Choices::FromSeed(seed))) return true;
      }
    }
    return false;
  }

  bool SimplerLengths() {
    bool smaller = false;
    for (const Knob& knob : KnobsOf(case_.workload)) {
      // How long messages travel belongs to the program.
      if (&knob.at(case_.workload) == &case_.workload.latency_max) continue;
      smaller |= SimplerLength(
          knob, case_.workload, [this](const Workload& one) { return Try(one); },
          [this] { return ended(); });
    }
    return smaller;
  }

  /// Moves each fault to the first step at which it does its harm.
  bool EarlierFaults() {
    bool smaller = false;
    for (const Place place : FaultPlaces(case_.workload)) {
      smaller |= EarlierFault(
          place, case_.workload, [this](const Workload& one) { return Try(one); },
          [this] { return ended(); });
    }
    return smaller;
  }

  sim::Universe& universe_;
  const harness::Program& program_;
  const Breach like_;
  int budget_;
  ProgramCase case_;
  int tries_ = 0;
  int shrinks_ = 0;
  std::set<std::uint64_t> tried_;  ///< hashes of cases that were tried with a tape
};

}  // namespace

ShrunkProgram ShrinkProgram(sim::Universe& universe, const harness::Program& program,
                            const ProgramCase& found, const Breach& like, int budget) {
  return ProgramShrinker(universe, program, found, like, budget).Run();
}

}  // namespace interlock::scenarios
