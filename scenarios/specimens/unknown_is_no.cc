// SPDX-License-Identifier: MIT
//
// "Every exception is printed and becomes false": the final code of the second founding text, after
// all its races have been mended. One SET with NX and a TTL, one script that compares and deletes;
// nothing is wrong with the commands.
//
// What goes wrong: the reply is lost after the command was executed. Nobody can know that it was
// not; the service says "not acquired", and its key stays for the whole TTL. Or "not released",
// with the same result. redlock-rb (until 2019) let the exception out instead, which leaves the key
// just the same. The fix is a third answer, unknown, and a clean-up of one's own token whenever it
// is given.
#include <chrono>

#include "scenarios/specimens/pages.h"
#include "scenarios/specimens/recipe.h"

namespace interlock::scenarios::specimens {
Specimen UnknownIsNo() {
  return {MakeLock({.name = "broken/unknown-is-no",
                    .summary = "says \"not acquired\" when it cannot know, and leaves its key",
                    .socket_timeout = std::chrono::milliseconds(200),
                    .folds_errors = true}),
          {{"spurious-refusal", "lossy", SynchronyClass::kNone}},
          {.clients = 1, .lost_replies = 1}};
}

}  // namespace interlock::scenarios::specimens
