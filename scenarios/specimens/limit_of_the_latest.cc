// SPDX-License-Identifier: MIT
//
// The limit that each acquirer brings along: the number of permits stands in every program's own
// configuration, and the script that takes one compares with that, and writes it down for those
// who only look.
//
// What goes wrong: the number is changed in one place and not in the other, or old and new
// processes run side by side for a while. The one with the larger number enters where the other
// sees all permits taken, so there are more inside than its owner has allowed for; and what an
// operator has set is undone by the next one who comes. The fix: what is in force stands in the
// server, and whoever gives another number is told so instead of being let in.
#include "scenarios/specimens/kept_limit.h"
#include "scenarios/specimens/pages.h"

namespace interlock::scenarios::specimens {

Specimen LimitOfTheLatest() {
  return {MakeKeptLimit({.name = "broken/limit-of-the-latest",
                         .summary = "takes for the limit whatever the latest acquirer gives",
                         .settle = "if wished ~= 0 then limit = wished end "
                                   "if limit == 0 then return -1 end "}),
          {{"permits-server", "contention", SynchronyClass::kNone},
           {"permits-belief", "crash", SynchronyClass::kNone}},
          {.clients = 2}};
}

}  // namespace interlock::scenarios::specimens
