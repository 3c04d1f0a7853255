// SPDX-License-Identifier: MIT
//
// A forced release that leaves the victim its grant. Our own FairMutex did so until a review found
// it: an operator took the lock away from a waiter that it had been handed over to, and that had
// not fetched it yet.
//
// What goes wrong: the operator sees an owner that does nothing, since it stands still between two
// looks at its list, and takes the lock away from it. The next one in line has it then; and the
// victim wakes up, finds in its list that it was its turn, and believes it. The fix is to take the
// grant back in the same script. The rest of this page is correct: whoever is woken counts its
// lease from when it was refused last.
#include <utility>

#include "scenarios/specimens/handed_over.h"
#include "scenarios/specimens/pages.h"

namespace interlock::scenarios::specimens {

Specimen ForceLeavesTheGrant() {
  Recipe recipe = HandedOver("broken/force-leaves-the-grant",
                             "takes the lock away from a waiter, which fetches it all the same",
                             WhenWoken::kCounts, 1);
  recipe.traits.operators = true;
  recipe.force = GivesToTheNext;
  return {MakeLock(std::move(recipe)),
          {{"belief-exclusion", "next-in-line", SynchronyClass::kBounded}},
          {.clients = 4, .pauses = 1}};
}

}  // namespace interlock::scenarios::specimens
