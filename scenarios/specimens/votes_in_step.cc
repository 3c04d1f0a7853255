// SPDX-License-Identifier: MIT
//
// "Try again in a second": ports of Redlock that retry at a fixed rhythm, without the random delay
// that Redis' page asks for.
//
// What goes wrong: redis.d3. Three clients ask at the same instant, each beginning with another of
// five servers, and get 2, 2 and 1 votes. All give them back, all come again a second later, in
// step as before, and split the votes again: everybody is busy, and nobody is ever granted. The fix
// is to draw the delay at random.
#include "scenarios/specimens/pages.h"
#include "scenarios/specimens/voting.h"

namespace interlock::scenarios::specimens {

Specimen VotesInStep() {
  return {MakeVoting({.name = "broken/votes-in-step",
                      .summary = "a quorum lock that tries again at a fixed rhythm",
                      .starts_anywhere = true,
                      .pace = std::chrono::milliseconds(20),
                      .fixed_rhythm = std::chrono::seconds(1)}),
          {{"termination", "redis.d3", SynchronyClass::kNone}},
          {.clients = 3}};
}

}  // namespace interlock::scenarios::specimens
