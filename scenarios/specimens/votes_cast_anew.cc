// SPDX-License-Identifier: MIT
//
// "Extend, or lock again": redsync's SetNXOnExtend (2024), RedLock.net, aioredlock and swarthy's
// semaphores re-create a key that is missing when the lock is extended.
//
// What goes wrong: the lease is over on all servers, somebody else has perhaps come and gone, and
// the extension of the one who came back too late makes new votes and says yes. The fix is that an
// extension creates nothing, and counts only where the token still stands.
#include "scenarios/specimens/pages.h"
#include "scenarios/specimens/voting.h"

namespace interlock::scenarios::specimens {

Specimen VotesCastAnew() {
  constexpr std::string_view kExtend =
      "local owner = redis.call('get', KEYS[1]) "
      "if owner and owner ~= ARGV[1] then return 0 end "
      "redis.call('set', KEYS[1], ARGV[1], 'PX', ARGV[2]) return 1";
  return {MakeVoting({.name = "broken/votes-cast-anew",
                      .summary = "a quorum lock whose extension re-creates missing keys",
                      .extend_script = kExtend}),
          {{"foreign-extend", "quorum-overstay", SynchronyClass::kNone}},
          {.clients = 1, .expiries = 1, .pauses = 1}};
}

}  // namespace interlock::scenarios::specimens
