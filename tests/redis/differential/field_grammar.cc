// SPDX-License-Identifier: MIT
//
// Patterns of the commands on the TTLs of the fields of hashes.
#include <algorithm>
#include <string>

#include "sim/redis/text.h"
#include "tests/redis/differential/grammar.h"
#include "tests/redis/differential/tested_server.h"

namespace interlock::testing {

namespace {

// A TTL of 7 ms is over before the next command: see EndsSoon.
constexpr std::string_view kField[] = {
    // clang-format off
    "!HSETEX %H %e? FIELDS 1 %v %v", "!HSETEX %H FNX %e? FIELDS 1 %v %v",
    "!HSETEX %H FXX %e FIELDS 2 %v %v %v %v", "!HSETEX %H %e FNX FIELDS 2 %v %v %v %v",
    "!HSETEX %H KEEPTTL FIELDS 2 %v %v %v %v", "!HSETEX %H %w? %e? %w? FIELDS %n %v %v",
    "!HSETEX %H FXX KEEPTTL FIELDS 1 %v %v FOO", "!HSETEX %H PX 7 FIELDS 1 %v %v",
    "!HGETEX %H FIELDS %v#", "!HGETEX %H %e FIELDS %v#", "!HGETEX %H PERSIST FIELDS %v#",
    "!HGETEX %H %w? %e? %e? FIELDS %v#", "!HGETEX %H PX 7 FIELDS %v#", "HGETDEL %H FIELDS %v#",
    "HGETDEL %H %v 1 %v", "!HEXPIRE %H %y FIELDS %v#", "!HEXPIRE %H %y %o? %o? FIELDS %v#",
    "!HPEXPIRE %H %m %o? FIELDS %v#", "!HEXPIREAT %H %Y %o? FIELDS %v#",
    "!HPEXPIREAT %H %M %o? FIELDS %v#", "!HPEXPIRE %H 7 FIELDS %v#", "!HPEXPIRE %H 7 FIELDS %v#",
    "!HPEXPIRE %H 7 FIELDS 2 a b", "HTTL %H FIELDS %v#", "HPTTL %H FIELDS %v#",
    "HEXPIRETIME %H FIELDS %v#", "HPEXPIRETIME %H FIELDS %v#", "HTTL %H %v 1 %v",
    "HPERSIST %H FIELDS %v#", "HPERSIST %H %v %n %v",
    // clang-format on
};

}  // namespace

Patterns FieldPatterns() {
  return TestedDialect().IsIn(sim::redis::kFieldTtls) ? Patterns(kField) : Patterns();
}

bool EndsSoon(const sim::redis::Argv& argv) {
  const auto is = [&](std::size_t at, std::string_view word) {
    return sim::redis::EqualsIgnoreCase(argv[at], word);
  };
  for (std::size_t i = 2; i < argv.size(); ++i) {
    if (argv[i] == "7" && (is(i - 1, "px") || is(i - 2, "hpexpire"))) return true;
  }
  return false;
}

}  // namespace interlock::testing
