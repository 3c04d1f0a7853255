// SPDX-License-Identifier: MIT
//
// The table of properties: what each of them means for people (the texts of `interlock explain`,
// `interlock list properties` and of a counterexample's headline and hints), which locks are judged
// by it, what judges a run, and when a run has put it to the test. The codes are stable: never
// renumbered, never reused. Each row stands in the file of its judge; property.cc lists the rows.
//
// Guarantee: all data is constant, one line per text, without line ends; each slug occurs once.
// Thread safety: immutable. Errors: none.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "scenarios/cases/goals.h"
#include "scenarios/judge/judged.h"

namespace interlock::harness {
struct Traits;
}

namespace interlock::scenarios {

struct History;
struct JudgedResource;
struct Violation;

using Violations = std::vector<Violation>;

/// Appends what one resource of a run has violated: of this property, and of those without a judge
/// of their own.
using PropertyJudge = void (*)(const JudgedResource& of, Violations& found);

/// What says of a run whether it has put a property to the test.
struct Evidence {
  const History& history;  ///< as it was recorded, server by server
  const harness::Traits& traits;
  const GoalSet& goals;
};
using WasExercised = bool (*)(const Evidence& of);

/// Each of these goals puts the property to the test.
template <Goal... goal>
bool Reached(const Evidence& of) {
  return (of.goals.Has(goal) || ...);
}

/// Whether locks of these traits are judged by the property, if they show in the server who owns
/// them, or if they do not.
using PropertyNeed = bool (*)(const harness::Traits& traits, bool shows_ownership);
bool NeedsWaits(const harness::Traits& traits, bool shows_ownership);
/// Latches have no owners to show.
bool NeedsOwnership(const harness::Traits& traits, bool shows_ownership);

/// What a property means of a latch, at which nobody holds anything.
struct OfLatches {
  std::string_view headline = {};  ///< empty: what it means of a lock, and so with the others
  std::string_view definition = {};
  std::string_view fix = {};
  PropertyJudge judge = nullptr;
  WasExercised exercised = nullptr;  ///< nullptr: latches are not judged by it
};

/// A row of the table, one per slug. LK013 has three, one for each level at which permits can be
/// exceeded.
struct Property {
  std::optional<Judged> judged = {};      ///< nullopt: no lock is judged by it
  std::string_view code;                  ///< "LK005"; stable
  std::string_view slug;                  ///< "foreign-release"; stable, used in run.json
  std::string_view name;                  ///< "foreign release"
  std::string_view headline;              ///< of a violation: "released somebody else's lock"
  std::string_view definition;            ///< "Violated when ...", one sentence
  std::string_view scenario;              ///< the classic one: "redis.d2"; "none" if none is named
  std::string_view story;                 ///< what happens there
  std::array<std::string_view, 3> fixes;  ///< the usual ones, best first
  std::optional<Judged> of_semaphores = {};  ///< what semaphores are judged by in its place
  bool semaphores_only = false;
  PropertyNeed need = nullptr;       ///< nullptr: any lock is judged by it
  PropertyJudge judge = nullptr;     ///< nullptr: another row's, or the recorder, convicts of it
  WasExercised exercised = nullptr;  ///< nullptr: no run of a lock is judged by it
  OfLatches of_latches = {};

  /// Whether it is a property of locks, semaphores or latches, whichever these traits are of.
  bool IsOf(const harness::Traits& traits) const;
};

/// The table, in the order in which the judges judge. Rows of one code are neighbours, in the order
/// server, belief, section.
std::span<const Property* const> AllProperties();

const Property& PropertyOf(Judged judged);

/// The rows with this code ("LK013", "lk013") or this slug; empty if there is none.
std::span<const Property* const> FindProperties(std::string_view code_or_slug);

}  // namespace interlock::scenarios
