// SPDX-License-Identifier: MIT
//
// The conditions on a string's present value that SET and DELEX take: IFEQ and IFNE with a value,
// IFDEQ and IFDNE with a digest as DIGEST answers it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace interlock::sim::redis {

struct Context;
struct Dialect;

/// What DIGEST answers for this value: XXH3 of 64 bits, in 16 lower-case hexadecimal digits.
std::string DigestOf(std::string_view value);

struct Comparison {
  bool equal = true;           ///< what holds: they are equal, or they differ
  bool by_digest = false;      ///< `with` is the digest of a value
  std::string_view with = {};  ///< may point into the arguments

  bool HoldsFor(std::string_view value) const;
  /// A key that is not there differs from everything.
  bool HoldsForNone() const { return !equal; }
};

/// The commands that take conditions; not all of them take the same ones.
enum class Comparing : std::uint8_t { kSet, kDelex };

/// `word`, in any case, as a condition with the argument `with`; nullopt: that server's command
/// has no such condition.
std::optional<Comparison> FindComparison(const Dialect& dialect, Comparing command,
                                         std::string_view word, std::string_view with);

/// False, with a refusal as reply: what the server makes of a digest that is not 16 lower-case
/// hexadecimal digits is not modelled.
bool IsModelled(Context& c, const Comparison& comparison);

}  // namespace interlock::sim::redis
