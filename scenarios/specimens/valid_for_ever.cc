// SPDX-License-Identifier: MIT
//
// "Is it still valid?" is answered from memory: aioredlock (#46) kept a flag that was set by the
// acquire and cleared by the release, and by nothing else.
//
// What goes wrong: the lease runs out, another client holds, and whoever asks before a write, as it
// should, is told yes. The care of the caller is turned into a false promise. The fix is to compute
// the answer from the deadline, each time. Lock and unlock of this page are correct.
#include "scenarios/specimens/pages.h"
#include "scenarios/specimens/recipe.h"

namespace interlock::scenarios::specimens {
Specimen ValidForEver() {
  return {MakeLock({.name = "broken/valid-for-ever",
                    .summary = "says that it is valid until it has been released",
                    .valid = [](RedisClient&, const Attempt&) { return true; }}),
          {{"false-validity", "pause", SynchronyClass::kBounded}},
          {.clients = 1, .pauses = 1}};
}

}  // namespace interlock::scenarios::specimens
