// SPDX-License-Identifier: MIT
//
// One run of a user's program: its clients, a workload that says what goes wrong for them, and a
// source of choices, from the setup to the last look at the invariants. A pure function of these if
// the program keeps to harness/program.h.
//
// The workload has a client for each of the program's, without operations, and the servers' form.
// Thread safety: that of the universe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <interlock/harness/program.h>

#include "scenarios/cases/workload.h"
#include "sim/trace.h"
#include "sim/universe.h"
#include "sim/world.h"

namespace interlock::scenarios {

enum class BreachKind : std::uint8_t {
  kInvariant,         ///< it said so
  kInvariantThrew,    ///< in place of saying anything
  kInvariantEscaped,  ///< it aborted, crashed or left the simulation
  kClientThrew,
  kClientCrashed,  ///< or ended in another way that would have ended the program
  kNeverEnds,      ///< a client was alive, and had not ended in time
};

/// What was wrong in a run.
struct Breach {
  BreachKind kind = BreachKind::kInvariant;
  std::size_t invariant = 0;  ///< its index, if it is about one
  int client = -1;            ///< whose command, note or end it was; -1: nobody's
  sim::VirtualTime at{};
  std::string what;

  /// Whether both are about the same thing, which a shrinker must not change.
  bool IsLike(const Breach& other) const {
    return kind == other.kind && invariant == other.invariant;
  }
};

/// The violated invariant's name, or the one that stands for what all programs are held to.
std::string NameOf(const Breach& breach, const harness::Program& program);

struct ProgramResult {
  std::optional<Breach> breach;             ///< the first one
  std::optional<std::string> inconclusive;  ///< why there is no verdict, if nothing was wrong
  std::uint64_t trace_hash = 0;             ///< 0 if a probe was used and no events were asked for
  std::uint64_t commands = 0;
  std::size_t notes = 0;
  std::vector<int> steps;               ///< of each client; see sim/faults.h
  std::vector<sim::TraceEvent> events;  ///< if asked for
};

/// What a probe may look at while the program runs.
struct ProgramState {
  std::vector<harness::ProgramNote> notes;
  std::optional<Breach> breach;
};

/// Inspects a run in an instant world; see sim::WorldProbe.
class ProgramProbe : public sim::WorldProbe {
 public:
  /// Called before anything runs.
  virtual void OnBegin(const sim::World& world, const ProgramState& state) = 0;
  /// The setup is over: the clients begin.
  virtual void OnClients() = 0;
  /// The first phase is over; the second is not inspected.
  virtual void OnHeal() = 0;
};

/// `probe` needs an instant world; null: none.
ProgramResult RunProgram(sim::Universe& universe, const harness::Program& program,
                         const Workload& workload, sim::Choices& choices, bool keep_events = false,
                         ProgramProbe* probe = nullptr);

}  // namespace interlock::scenarios
