// SPDX-License-Identifier: MIT
//
// "All or nothing, most of the time": a loop that takes one lock after the other and returns false
// at the first that it cannot have. Redisson's multi-lock and others have had to learn to undo.
//
// What goes wrong: what the loop had by then stays taken. The caller was told that it holds
// nothing, so nobody gives it back, and everybody is refused what nobody uses until the lease ends,
// the caller's own next try included. The fix is to give back, on every way out, what was taken.
#include "scenarios/specimens/one_by_one.h"
#include "scenarios/specimens/pages.h"

namespace interlock::scenarios::specimens {

Specimen MultiKeepsPart() {
  return {MakeOneByOne({.name = "broken/multi-keeps-part",
                        .summary = "keeps what it has got of several locks that it cannot all have",
                        .gives_back = false}),
          {{"keys", "nested", SynchronyClass::kNone}},
          {.clients = 2}};
}

}  // namespace interlock::scenarios::specimens
