// SPDX-License-Identifier: MIT
//
// The limit that gets its TTL once: every key has to have one, so the limit gets some leases' time
// from whoever puts it in force, and nobody thinks of it again.
//
// What goes wrong: the semaphore is in use without a break, and yet the limit lapses under those
// who are inside. The next one who comes with another number puts that in force; who follows
// whatever is in force is told that nothing is. The fix: each grant keeps the limit in force for
// as long as it is to stand.
#include "scenarios/specimens/kept_limit.h"
#include "scenarios/specimens/pages.h"

namespace interlock::scenarios::specimens {

Specimen LimitForAWhile() {
  return {MakeKeptLimit({.name = "broken/limit-for-a-while",
                         .summary = "gives the limit a TTL when it is put in force, and never more",
                         .keep = "redis.call('set', limit_key, limit, 'NX', 'PX', 2 * lease) "}),
          {{"permits-server", "contention", SynchronyClass::kNone},
           {"spurious-refusal", "contention", SynchronyClass::kNone}},
          {.clients = 2, .expiries = 0}};
}

}  // namespace interlock::scenarios::specimens
