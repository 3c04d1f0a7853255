// SPDX-License-Identifier: MIT
//
// A direct hand-over that promises to pass over waiters which have died, and does not. A mistake of
// our own invention; that a crashed waiter stops the line is what queue-based locks are reported
// for again and again.
//
// What goes wrong: the first in line has died, and whoever releases makes it the owner all the
// same. Nobody fetches that grant, and everybody else waits until its lease is over, which may be
// long. The fix is to let the grant lie where it can be seen that nobody has fetched it, and to
// take it back after a while; or to give each place in the line a deadline. The rest of this page
// is correct: whoever is woken asks for a whole lease, and everybody looks for himself now and
// then.
#include <chrono>
#include <utility>

#include "scenarios/specimens/handed_over.h"
#include "scenarios/specimens/pages.h"

namespace interlock::scenarios::specimens {
namespace {

constexpr int kLooksPerLease = 16;

}  // namespace

Specimen HandsOverToTheDead() {
  Recipe recipe =
      HandedOver("broken/hands-over-to-the-dead", "says that it passes over the dead, and does not",
                 WhenWoken::kAsks, kLooksPerLease);
  recipe.wake_up_bound = [](const harness::LockOptions& options) {
    return options.lease / kLooksPerLease + std::chrono::milliseconds(1);
  };
  recipe.passed_over_bound = [](const harness::LockOptions& options) { return options.lease / 8; };
  return {MakeLock(std::move(recipe)),
          {{"crash-recovery", "next-in-line", SynchronyClass::kBounded}},
          {.clients = 2, .crashes = 1}};
}

}  // namespace interlock::scenarios::specimens
