// SPDX-License-Identifier: MIT
#include "sim/redis/commands/comparison.h"

#include <array>
#include <cstdio>

// Whoever links this library then needs no other one for it.
#define XXH_INLINE_ALL
#include <xxhash.h>

#include "sim/redis/context.h"
#include "sim/redis/dialect.h"
#include "sim/redis/text.h"

namespace interlock::sim::redis {

namespace {

constexpr DialectSet kDigests = Of(DialectId::kRedis84);
constexpr DialectSet kNative = kDigests | Of(DialectId::kValkey92);

struct ComparisonWord {
  std::string_view name;
  bool equal;
  bool by_digest;
  DialectSet of_set;
  DialectSet of_delex;
};

constexpr ComparisonWord kComparisonWords[] = {
    {"ifeq", true, false, kAnyValkey | kDigests, kNative},
    {"ifne", false, false, kDigests, kNative},
    {"ifdeq", true, true, kDigests, kDigests},
    {"ifdne", false, true, kDigests, kDigests},
};

constexpr std::size_t kDigestDigits = 16;

}  // namespace

std::string DigestOf(std::string_view value) {
  std::array<char, kDigestDigits + 1> digits{};
  std::snprintf(digits.data(), digits.size(), "%016llx",
                static_cast<unsigned long long>(XXH3_64bits(value.data(), value.size())));
  return digits.data();
}

bool Comparison::HoldsFor(std::string_view value) const {
  return (by_digest ? DigestOf(value) == with : value == with) == equal;
}

std::optional<Comparison> FindComparison(const Dialect& dialect, Comparing command,
                                         std::string_view word, std::string_view with) {
  for (const ComparisonWord& known : kComparisonWords) {
    const bool has = dialect.IsIn(command == Comparing::kSet ? known.of_set : known.of_delex);
    if (has && EqualsIgnoreCase(word, known.name)) {
      return Comparison{known.equal, known.by_digest, with};
    }
  }
  return std::nullopt;
}

bool IsModelled(Context& c, const Comparison& comparison) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  const bool digest = comparison.with.size() == kDigestDigits &&
                      comparison.with.find_first_not_of(kDigits) == std::string_view::npos;
  if (!comparison.by_digest || digest) return true;
  c.Unmodelled("a digest that is not 16 lower-case hexadecimal digits");
  return false;
}

}  // namespace interlock::sim::redis
