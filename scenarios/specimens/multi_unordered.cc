// SPDX-License-Identifier: MIT
//
// "Lock from, then lock to": the transfer between two accounts that takes its locks in the order in
// which its caller names them, the example of every text about deadlocks.
//
// What goes wrong: one client moves money from A to B and another from B to A. Each gets its first
// lock and waits for the other's. Where locks have leases the circle is not for ever: somebody's
// lease ends, or somebody's patience, and until then neither they nor anybody else gets on. The fix
// is one order for everybody, such as that of the names.
#include "scenarios/specimens/one_by_one.h"
#include "scenarios/specimens/pages.h"

namespace interlock::scenarios::specimens {

Specimen MultiUnordered() {
  return {MakeOneByOne({.name = "broken/multi-unordered",
                        .summary = "takes several locks in the order in which they are named",
                        .in_order = false}),
          {{"deadlock", "nested", SynchronyClass::kNone}},
          {.clients = 2}};
}

}  // namespace interlock::scenarios::specimens
