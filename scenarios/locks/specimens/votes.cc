// SPDX-License-Identifier: MIT
//
// Locks by the votes of several servers.
#include <string_view>
#include <vector>

#include "scenarios/locks/specimens/families.h"
#include "scenarios/locks/specimens/voting.h"

namespace interlock::scenarios::specimens {
namespace {

constexpr std::string_view kSeveralServers =
    "it asks three servers or more: in all these ways that is too much; in some it falls, "
    "see quorum_bounds_test.cc";

// "Granted by all five": several ports of Redlock (redlock-cpp by its seconds, redsync's Extend in
// 2021) count the validity from when the replies have been read, and do not look how long they
// took.
//
// What goes wrong: kleppmann.k6. The client stands still after it has asked; the servers grant, and
// forget when the lease is over; another client holds. The first one wakes, finds the replies in
// its socket's buffer, and believes for a whole lease. The fix is the first step of that page's
// algorithm: take the time before asking, and subtract what has passed.
Specimen VotesBelievedFromReply() {
  return {MakeVoting({.name = "broken/votes-believed-from-reply",
                      .summary = "a quorum lock that counts its validity from the last reply",
                      .believes_from_last_reply = true,
                      .socket_timeout = std::chrono::minutes(1)}),
          {{"false-validity", "kleppmann.k6u", SynchronyClass::kArbitrary},
           {"belief-exclusion", "kleppmann.k6", SynchronyClass::kArbitrary}},
          {.clients = 2, .pauses = 1},
          kSeveralServers};
}

// "That one failed": redlock-rb (until 2019) and others released only where the lock had been
// granted for all they knew. Redis' page asks to unlock all servers, and antirez says why.
//
// What goes wrong: redis.d7. A server has executed the lock, and its reply is lost. It counts as
// failed, the others make the quorum, and when the holder is done that server keeps the key for the
// rest of the lease: a vote less for everybody. The fix is to unlock everywhere.
Specimen VotesNotHeardOf() {
  return {MakeVoting({.name = "broken/votes-not-heard-of",
                      .summary = "a quorum lock that unlocks only where it knows it was granted",
                      .unlocks_unsure = false}),
          {{"keys", "redis.d7", SynchronyClass::kNone}},
          {.clients = 1, .lost_replies = 1},
          kSeveralServers};
}

// "Half of them": a quorum of n / 2 where the division rounds down (redlock-rb had the opposite,
// 2017: a library made 1 / 2 + 1 the fraction 3 / 2, and one server never reached it).
//
// What goes wrong: two of five servers vote for the one, two for the other, and both believe. Two
// sets of that size need not share a server, and only a shared server can refuse the second. The
// fix is n / 2 + 1.
Specimen VotesHalf() {
  return {MakeVoting({.name = "broken/votes-half",
                      .summary = "a quorum lock that is content with half of the votes",
                      .quorum = [](std::size_t nodes) { return nodes / 2; },
                      .starts_anywhere = true}),
          {{"belief-exclusion", "quorum-contention", SynchronyClass::kNone}},
          {.clients = 2},
          kSeveralServers};
}

// "Try again in a second": ports of Redlock that retry at a fixed rhythm, without the random delay
// that Redis' page asks for.
//
// What goes wrong: redis.d3. Three clients ask at the same instant, each beginning with another of
// five servers, and get 2, 2 and 1 votes. All give them back, all come again a second later, in
// step as before, and split the votes again: everybody is busy, and nobody is ever granted. The fix
// is to draw the delay at random.
Specimen VotesInStep() {
  return {MakeVoting({.name = "broken/votes-in-step",
                      .summary = "a quorum lock that tries again at a fixed rhythm",
                      .starts_anywhere = true,
                      .pace = std::chrono::milliseconds(20),
                      .fixed_rhythm = std::chrono::seconds(1)}),
          {{"termination", "redis.d3", SynchronyClass::kNone}},
          {.clients = 3},
          kSeveralServers};
}

// "They expire anyway": node-redlock (2015) had the clean-up after a failed quorum commented out.
//
// What goes wrong: redis.d4. Who gets two of five votes is refused, and keeps them until they
// expire. Others cannot have these servers' votes for a whole lease, and a few losers make a lock
// that nobody can have. The fix is that losers unlock what they got at once.
Specimen VotesKeptByLosers() {
  return {MakeVoting({.name = "broken/votes-kept-by-losers",
                      .summary = "a quorum lock whose losers do not give back their votes",
                      .losers_unlock = false,
                      .starts_anywhere = true}),
          {{"keys", "redis.d4", SynchronyClass::kNone}},
          {.clients = 2},
          kSeveralServers};
}

// "Extend, or lock again": redsync's SetNXOnExtend (2024), RedLock.net, aioredlock and swarthy's
// semaphores re-create a key that is missing when the lock is extended.
//
// What goes wrong: the lease is over on all servers, somebody else has perhaps come and gone, and
// the extension of the one who came back too late makes new votes and says yes. The fix is that an
// extension creates nothing, and counts only where the token still stands.
Specimen VotesCastAnew() {
  constexpr std::string_view kExtend =
      "local owner = redis.call('get', KEYS[1]) "
      "if owner and owner ~= ARGV[1] then return 0 end "
      "redis.call('set', KEYS[1], ARGV[1], 'PX', ARGV[2]) return 1";
  return {MakeVoting({.name = "broken/votes-cast-anew",
                      .summary = "a quorum lock whose extension re-creates missing keys",
                      .extend_script = kExtend}),
          {{"foreign-extend", "quorum-overstay", SynchronyClass::kNone}},
          {.clients = 1, .expiries = 1, .pauses = 1},
          kSeveralServers};
}

// "One of them said yes": an extension that succeeds if any server has prolonged the key, as in
// ports that return at the first good answer (Redisson's multi-lock ignored the results of its
// members' expiries altogether).
//
// What goes wrong: servers that restarted empty have forgotten their votes. One of five still has
// the key and prolongs it, the holder believes for another lease, and the other four are free for
// the next client. The fix is to count: an extension needs a quorum, as the lock did.
Specimen VotesOfAFew() {
  constexpr std::string_view kExtend =
      "if redis.call('get', KEYS[1]) ~= ARGV[1] then return 0 end "
      "return redis.call('pexpire', KEYS[1], ARGV[2])";
  return {MakeVoting({.name = "broken/votes-of-a-few",
                      .summary = "a quorum lock that is extended if any server says so",
                      .extend_script = kExtend,
                      .extend_quorum = [](std::size_t) { return std::size_t{1}; }}),
          {{"foreign-extend", "quorum-data-loss", SynchronyClass::kNone}},
          {.clients = 1, .crashes = 0},
          kSeveralServers};
}

// "The highest of their counters": fencing tokens for Redlock as they are often proposed: each
// server counts its grants, and the client takes the highest number that it was given.
//
// What goes wrong: kleppmann.k9b. Counters drift apart, since every server also counts votes that
// came to nothing. One quorum gives 6, for one of its servers is far ahead; the next quorum shares
// only a server that has counted to 1, and gives 2. The fix is a second round: a quorum takes over
// the highest number before anybody is told of it.
Specimen VotesCountedApart() {
  return {MakeVoting({.name = "broken/votes-counted-apart",
                      .summary = "a quorum lock with fencing tokens that each server counts alone",
                      .counts = true}),
          {{"tokens", "kleppmann.k9b", SynchronyClass::kBounded}},
          {.clients = 3},
          kSeveralServers};
}

}  // namespace

std::vector<Specimen> VotesSpecimens() {
  return {VotesBelievedFromReply(), VotesNotHeardOf(), VotesHalf(),   VotesInStep(),
          VotesKeptByLosers(),      VotesCastAnew(),   VotesOfAFew(), VotesCountedApart()};
}

}  // namespace interlock::scenarios::specimens
