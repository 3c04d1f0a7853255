// SPDX-License-Identifier: MIT
//
// The table of properties: the texts shown to people (by `interlock explain`, `interlock list
// properties`, and a counterexample's headline and hints), which locks each property applies to,
// what judges a run, when a run has put it to the test, and what it takes for granted. The codes
// are stable: never renumbered, never reused. Each row is in the file of its judge, under the name
// that judged.h derives (`kTerminationProperty` of `Termination`).
//
// Guarantee: all data is constant, one line per text, without line ends; each slug occurs once.
// Thread safety: immutable. Errors: none.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include <interlock/harness/traits.h>

#include "scenarios/cases/goals.h"
#include "scenarios/cases/judged.h"
#include "scenarios/cases/synchrony.h"

namespace interlock::scenarios {

struct History;
struct JudgedResource;
struct OutsideSetting;
struct OutsideVerdict;
struct Scenario;
struct SeenFromOutside;
struct Violation;

using Violations = std::vector<Violation>;

/// Appends one resource's violations of this property, and of those without a judge of their own.
using PropertyJudge = void (*)(const JudgedResource& of, Violations& found);

/// The evidence of whether a run has put a property to the test.
struct Evidence {
  const History& history;  ///< as recorded, server by server
  const harness::Traits& traits;
  const GoalSet& goals;
};
using WasExercised = bool (*)(const Evidence& of);

/// Any of these goals puts the property to the test.
template <Goal... goal>
bool Reached(const Evidence& of) {
  return (of.goals.Has(goal) || ...);
}

/// A scenario that lists a property, and a lock that is run in it.
struct Demand {
  const Scenario& scenario;
  const harness::Traits& traits;
  bool shows_ownership = true;  ///< the server shows who owns it
};
/// Whether the property is judged there.
using PropertyNeed = bool (*)(const Demand& of);
bool NeedsWaits(const Demand& of);
bool NeedsOwnership(const Demand& of);

/// What a property takes for granted. No lease lock can promise it where that fails.
struct Assumes {
  bool short_pauses = false;  ///< a client stands still for less than its lease
  bool connections = false;   ///< no connection fails, if the lock lasts as long as its own
  bool clocks = false;        ///< see GivesUp
  bool writes = false;        ///< see GivesUp
  bool counts = false;        ///< if the lock nests, no count of its holds is forgotten
  /// Anything else, as WhyNotPromised gives it; nullptr: nothing.
  std::string_view (*why_not)(const Demand& of, SynchronyClass synchrony) = nullptr;
};

/// How a property is judged by what clients report alone; see outside.h.
struct FromOutside {
  /// nullptr: judged by another row's judge, if at all.
  void (*judge)(const SeenFromOutside& of, OutsideVerdict& verdict) = nullptr;
  /// Why no run in such a setting can show it, see scenarios::WhyHidden; nullptr: any may.
  std::string_view (*why_hidden)(const OutsideSetting& setting) = nullptr;
  /// Whether a run that exercised it could be judged; nullptr: any could.
  bool (*shown)(const SeenFromOutside& of, const GoalSet& goals) = nullptr;
};
/// Both for FromOutside::why_hidden: of answers that any fault may explain, and of a latch's.
std::string_view WhyFaultsHide(const OutsideSetting& setting);
std::string_view WhyDelaysHide(const OutsideSetting& setting);

/// What a property means for a latch, which nobody holds.
struct OfLatches {
  std::string_view headline = {};  ///< empty: same as for a lock; likewise the others
  std::string_view definition = {};
  std::string_view fix = {};
  PropertyJudge judge = nullptr;
  WasExercised exercised = nullptr;  ///< nullptr: does not apply to latches
  FromOutside from_outside = {};
  bool assumes_writes = true;  ///< if the property does
};

/// What a property means for one kind of primitive.
struct Reading {
  std::string_view headline;
  std::array<std::string_view, 3> fixes;
  PropertyJudge judge = nullptr;
  WasExercised exercised = nullptr;
  FromOutside from_outside = {};
};

/// A row of the table, one per slug. LK013 has three, one for each level at which permits can be
/// exceeded.
struct Property {
  std::optional<Judged> judged = {};  ///< nullopt: no lock is judged by it
  std::string_view code;              ///< "LK005"; stable
  std::string_view slug;              ///< "foreign-release"; stable, used in run.json
  std::string_view name;              ///< "foreign release"
  std::string_view headline;          ///< of a violation: "released somebody else's lock"
  std::string_view definition;        ///< "Violated when ...", one sentence
  std::string_view scenario;          ///< the classic example: "redis.d2"; "none" if none is named
  std::string_view story;             ///< what happens in that scenario
  std::array<std::string_view, 3> fixes;  ///< the usual ones, best first
  PropertyNeed need = nullptr;            ///< nullptr: wherever a scenario lists it
  Assumes assumes = {};
  PropertyJudge judge = nullptr;     ///< nullptr: judged by another row's, or JudgeObserved
  WasExercised exercised = nullptr;  ///< nullptr: no run of a lock exercises it
  FromOutside from_outside = {};
  OfLatches of_latches = {};

  /// Whether it applies to this kind, and what it means there.
  bool IsOf(const harness::Kind& kind) const;
  Reading ReadingOf(const harness::Kind& kind) const;
};

/// The table, in the order of judged.h. Rows with the same code are adjacent, in the order server,
/// belief, section.
std::span<const Property* const> AllProperties();

#define INTERLOCK_ROW(name) extern const Property k##name##Property;
INTERLOCK_PROPERTIES(INTERLOCK_ROW)
#undef INTERLOCK_ROW

const Property& PropertyOf(Judged judged);
/// "server-exclusion"; stable, used in run.json.
std::string_view Slug(Judged judged);
/// "LK001"; stable.
std::string_view Code(Judged judged);
std::optional<Judged> JudgedFromSlug(std::string_view slug);

/// The rows with this code ("LK013", "lk013") or this slug; empty if there is none.
std::span<const Property* const> FindProperties(std::string_view code_or_slug);

}  // namespace interlock::scenarios
