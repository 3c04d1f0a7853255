// SPDX-License-Identifier: MIT
//
// "Granted by all five": several ports of Redlock (redlock-cpp by its seconds, redsync's Extend in
// 2021) count the validity from when the replies have been read, and do not look how long they
// took.
//
// What goes wrong: kleppmann.k6. The client stands still after it has asked; the servers grant, and
// forget when the lease is over; another client holds. The first one wakes, finds the replies in
// its socket's buffer, and believes for a whole lease. The fix is the first step of the page's
// algorithm: take the time before asking, and subtract what has passed.
#include "scenarios/specimens/pages.h"
#include "scenarios/specimens/voting.h"

namespace interlock::scenarios::specimens {

Specimen VotesBelievedFromReply() {
  return {MakeVoting({.name = "broken/votes-believed-from-reply",
                      .summary = "a quorum lock that counts its validity from the last reply",
                      .believes_from_last_reply = true,
                      .socket_timeout = std::chrono::minutes(1)}),
          {{"false-validity", "kleppmann.k6u", SynchronyClass::kArbitrary},
           {"belief-exclusion", "kleppmann.k6", SynchronyClass::kArbitrary}},
          {.clients = 2, .pauses = 1}};
}

}  // namespace interlock::scenarios::specimens
