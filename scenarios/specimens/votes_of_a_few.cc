// SPDX-License-Identifier: MIT
//
// "One of them said yes": an extension that succeeds if any server has prolonged the key, as in
// ports that return at the first good answer (Redisson's multi-lock ignored the results of its
// members' expiries altogether).
//
// What goes wrong: servers that restarted empty have forgotten their votes. One of five still has
// the key and prolongs it, the holder believes for another lease, and the other four are free for
// the next client. The fix is to count: an extension needs a quorum, as the lock did.
#include "scenarios/specimens/pages.h"
#include "scenarios/specimens/voting.h"

namespace interlock::scenarios::specimens {

Specimen VotesOfAFew() {
  constexpr std::string_view kExtend =
      "if redis.call('get', KEYS[1]) ~= ARGV[1] then return 0 end "
      "return redis.call('pexpire', KEYS[1], ARGV[2])";
  return {MakeVoting({.name = "broken/votes-of-a-few",
                      .summary = "a quorum lock that is extended if any server says so",
                      .extend_script = kExtend,
                      .extend_quorum = [](std::size_t) { return std::size_t{1}; }}),
          {{"foreign-extend", "quorum-data-loss", SynchronyClass::kNone}},
          {.clients = 1, .crashes = 0}};
}

}  // namespace interlock::scenarios::specimens
