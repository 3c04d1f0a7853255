// SPDX-License-Identifier: MIT
//
// What each property means, for people: the texts of `interlock explain`, `interlock list
// properties` and of a counterexample's headline and hints. The codes are stable: never renumbered,
// never reused.
//
// Guarantee: all data is constant, one line per text, without line ends; each slug occurs once.
// Non-guarantee: nothing here judges; the oracles do, and not every property has one.
// Thread safety: immutable. Errors: none.
#pragma once

#include <array>
#include <span>
#include <string_view>

namespace interlock::scenarios {

/// One row per slug. LK013 has three, one for each level at which permits can be exceeded.
struct Property {
  std::string_view code;                  ///< "LK005"
  std::string_view slug;                  ///< "foreign-release"; used in run.json
  std::string_view name;                  ///< "foreign release"
  std::string_view headline;              ///< of a violation: "released somebody else's lock"
  std::string_view definition;            ///< "Violated when ...", one sentence
  std::string_view scenario;              ///< the classic one: "redis.d2"; "none" if none is named
  std::string_view story;                 ///< what happens there
  std::array<std::string_view, 3> fixes;  ///< the usual ones, best first
};

/// By code, then in the order server, belief, section.
std::span<const Property> AllProperties();

/// The rows with this code ("LK013", "lk013") or this slug; empty if there is none.
std::span<const Property> FindProperties(std::string_view code_or_slug);

/// What it means of a latch, at which nobody holds anything.
struct PropertyOfLatches {
  std::string_view slug;
  std::string_view headline;
  std::string_view definition;
  std::string_view fix;
};

/// nullptr: latches have no such property, or it means the same.
const PropertyOfLatches* FindPropertyOfLatches(std::string_view slug);

}  // namespace interlock::scenarios
