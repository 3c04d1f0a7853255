// SPDX-License-Identifier: MIT
//
// "That one failed": redlock-rb (until 2019) and others released only where the lock had been
// granted for all they knew. Redis' page asks to unlock all servers, and antirez says why.
//
// What goes wrong: redis.d7. A server has executed the lock, and its reply is lost. It counts as
// failed, the others make the quorum, and when the holder is done that server keeps the key for the
// rest of the lease: a vote less for everybody. The fix is to unlock everywhere.
#include "scenarios/specimens/pages.h"
#include "scenarios/specimens/voting.h"

namespace interlock::scenarios::specimens {

Specimen VotesNotHeardOf() {
  return {MakeVoting({.name = "broken/votes-not-heard-of",
                      .summary = "a quorum lock that unlocks only where it knows it was granted",
                      .unlocks_unsure = false}),
          {{"keys", "redis.d7", SynchronyClass::kNone}},
          {.clients = 1, .lost_replies = 1}};
}

}  // namespace interlock::scenarios::specimens
