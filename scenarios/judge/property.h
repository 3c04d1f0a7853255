// SPDX-License-Identifier: MIT
//
// What each property means, for people: the texts of `interlock explain`, `interlock list
// properties` and of a counterexample's headline and hints. The codes are stable: never renumbered,
// never reused. Each property's row stands in the file of its judge; property.cc lists the rows.
//
// Guarantee: all data is constant, one line per text, without line ends; each slug occurs once.
// Thread safety: immutable. Errors: none.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <string_view>

#include "scenarios/judge/judged.h"

namespace interlock::scenarios {

/// What a property means of a latch, at which nobody holds anything.
struct OfLatches {
  std::string_view headline = {};  ///< empty: what it means of a lock, and so with the others
  std::string_view definition = {};
  std::string_view fix = {};
};

/// One row per slug. LK013 has three, one for each level at which permits can be exceeded.
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
  OfLatches of_latches = {};
};

/// The table. Rows of one code are neighbours, in the order server, belief, section.
std::span<const Property* const> AllProperties();

const Property& PropertyOf(Judged judged);

/// The rows with this code ("LK013", "lk013") or this slug; empty if there is none.
std::span<const Property* const> FindProperties(std::string_view code_or_slug);

}  // namespace interlock::scenarios
