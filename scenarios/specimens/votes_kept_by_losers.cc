// SPDX-License-Identifier: MIT
//
// "They expire anyway": node-redlock (2015) had the clean-up after a failed quorum commented out.
//
// What goes wrong: redis.d4. Who gets two of five votes is refused, and keeps them until they
// expire. Others cannot have these servers' votes for a whole lease, and a few losers make a lock
// that nobody can have. The fix is that losers unlock what they got at once.
#include "scenarios/specimens/pages.h"
#include "scenarios/specimens/voting.h"

namespace interlock::scenarios::specimens {

Specimen VotesKeptByLosers() {
  return {MakeVoting({.name = "broken/votes-kept-by-losers",
                      .summary = "a quorum lock whose losers do not give back their votes",
                      .losers_unlock = false,
                      .starts_anywhere = true}),
          {{"keys", "redis.d4", SynchronyClass::kNone}},
          {.clients = 2}};
}

}  // namespace interlock::scenarios::specimens
