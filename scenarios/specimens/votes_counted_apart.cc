// SPDX-License-Identifier: MIT
//
// "The highest of their counters": fencing tokens for Redlock as they are often proposed: each
// server counts its grants, and the client takes the highest number that it was given.
//
// What goes wrong: kleppmann.k9b. Counters drift apart, since every server also counts votes that
// came to nothing. One quorum gives 6, for one of its servers is far ahead; the next quorum shares
// only a server that has counted to 1, and gives 2. The fix is a second round: a quorum takes over
// the highest number before anybody is told of it.
#include "scenarios/specimens/pages.h"
#include "scenarios/specimens/voting.h"

namespace interlock::scenarios::specimens {

Specimen VotesCountedApart() {
  return {MakeVoting({.name = "broken/votes-counted-apart",
                      .summary = "a quorum lock with fencing tokens that each server counts alone",
                      .counts = true}),
          {{"tokens", "kleppmann.k9b", SynchronyClass::kBounded}},
          {.clients = 3}};
}

}  // namespace interlock::scenarios::specimens
