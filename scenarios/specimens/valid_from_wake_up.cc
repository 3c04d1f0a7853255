// SPDX-License-Identifier: MIT
//
// A direct hand-over whose new owner counts its lease from the moment at which it wakes up. Our own
// first FairMutex did a milder thing: it counted from the moment at which it had gone to sleep,
// and the grant may have lain there before that (found by this harness in `pause`).
//
// What goes wrong: whoever releases makes the first in line the owner, and the lease runs from then
// on. The waiter hears of it late (its process was paused, its link slow), and believes in a whole
// lease of which little or nothing is left; the server lets the next one in meanwhile. The fix is
// to count from the last moment at which the waiter knew that it was not the owner, and to ask the
// server for a fresh lease if that leaves too little.
#include "scenarios/specimens/handed_over.h"
#include "scenarios/specimens/pages.h"

namespace interlock::scenarios::specimens {

Specimen ValidFromWakeUp() {
  return {MakeLock(HandedOver("broken/valid-from-wake-up",
                              "is handed the lock, and counts its lease from when it wakes up",
                              WhenWoken::kBelieves, 1)),
          {{"belief-exclusion", "pause", SynchronyClass::kArbitrary}},
          {.clients = 3, .expiries = 1, .pauses = 1}};
}

}  // namespace interlock::scenarios::specimens
