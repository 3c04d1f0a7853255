// SPDX-License-Identifier: MIT
//
// "Half of them": a quorum of n / 2 where the division rounds down (redlock-rb had the opposite,
// 2017: a library made 1 / 2 + 1 the fraction 3 / 2, and one server never reached it).
//
// What goes wrong: two of five servers vote for the one, two for the other, and both believe. Two
// sets of that size need not share a server, and only a shared server can refuse the second. The
// fix is n / 2 + 1.
#include "scenarios/specimens/pages.h"
#include "scenarios/specimens/voting.h"

namespace interlock::scenarios::specimens {

Specimen VotesHalf() {
  return {MakeVoting({.name = "broken/votes-half",
                      .summary = "a quorum lock that is content with half of the votes",
                      .quorum = [](std::size_t nodes) { return nodes / 2; },
                      .starts_anywhere = true}),
          {{"belief-exclusion", "quorum-contention", SynchronyClass::kNone}},
          {.clients = 2}};
}

}  // namespace interlock::scenarios::specimens
