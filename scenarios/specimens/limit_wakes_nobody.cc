// SPDX-License-Identifier: MIT
//
// The limit that is set and not announced: an operator raises it because there is a queue, the
// number in the server changes, and those who wait sleep on.
//
// What goes wrong: only a release wakes a waiter, and the permits that have just been made are
// released by nobody. They stay unused until somebody who is inside leaves, or until a waiter looks
// by itself, which may be a lease later. The fix: whoever sets a limit wakes as many as it lets in.
#include "scenarios/specimens/kept_limit.h"
#include "scenarios/specimens/pages.h"

namespace interlock::scenarios::specimens {

Specimen LimitWakesNobody() {
  return {MakeKeptLimit({.name = "broken/limit-wakes-nobody",
                         .summary = "sets a larger limit and wakes none of those whom it lets in",
                         .set = "redis.call('set', limit_key, limit, 'PX', stands) "}),
          {{"deadlock", "contention", SynchronyClass::kNone}},
          {.clients = 3}};
}

}  // namespace interlock::scenarios::specimens
