// SPDX-License-Identifier: MIT
//
// A lock made of steps: a specimen gives the few commands that its story is about, and this adds
// the rest, as a careful client would write it.
//   - A try is one `lock` step. A waiter tries, and between two refusals it sleeps for a while, cut
//     at its deadline and when it is stopped, or does what the specimen's `wait` says.
//   - The holder's belief is polite: sending time of the granting command + 99 % of the lease,
//     unless the specimen computes its own. A grant that arrives later than that is not believed.
//   - An outcome that is not known is reported as unknown, unless the specimen folds it into "no".
//   - Ownership is the string `<key_prefix><resource>`, unless the specimen says where else it
//   stands.
// So no specimen is convicted of a fault that it is not about.
//
// Leases are given in milliseconds (PX, PEXPIRE) where originals say seconds (EX, EXPIRE), so that
// any lease of a scenario can be had.
//
// Thread safety: objects belong to one client at a time; a recipe is immutable.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include <interlock/harness/lock.h>

#include "scenarios/locks/specimens/plumbing.h"

namespace interlock::scenarios::specimens {

/// One grant in the making, and then the grant: what a specimen's steps work on.
struct Attempt {
  std::string key;  ///< `<key_prefix><resource>`
  std::string
      token;  ///< 128 random bits, new for each try; a specimen may put another in its place
  std::string client;  ///< 128 random bits, the same as long as the lock object lives
  std::chrono::milliseconds lease{};
  int permits = 1;      ///< as LockOptions::permits
  bool shared = false;  ///< as a reader; only for Readers
  /// Until when the caller waits, on its own clock; nullopt: not at all. It is this that a waiter
  /// looks at: a specimen may move it.
  std::optional<MonotonicTime> deadline;
  Duration budget{};            ///< what the caller gave for the wait
  MonotonicTime asked{};        ///< when this try began
  MonotonicTime valid_until{};  ///< end of the holder's belief
  std::optional<std::uint64_t>
      fencing_token;               ///< nothing when the caller asks; kept while it waits
  std::shared_ptr<Event> renewal;  ///< set to end the renewal, in a specimen that renews in the
                                   ///< background
  std::stop_token stop;            ///< stops the wait, if it may be stopped
};

/// The polite belief: 99 % of the lease from `since` on.
MonotonicTime ValidFrom(MonotonicTime since, std::chrono::milliseconds lease);

/// YIELDS until the list has an element, which comes in an array, or the caller's deadline is over,
/// for no longer than `most`. A waiter without a deadline waits for ever.
Result<Reply> BlockingPop(RedisClient& redis, const Attempt& attempt, const std::string& list,
                          std::optional<std::chrono::milliseconds> most = std::nullopt,
                          std::string_view command = "BLPOP");

using Step = std::function<Status(RedisClient& redis, Attempt& attempt)>;
using SetLimitStep = std::function<Status(RedisClient& redis, const Attempt& attempt, int limit)>;
using Bounded = std::function<std::chrono::milliseconds(const harness::LockOptions& options)>;

/// `EVAL script 1 key token lease`: kOk for 1.
Status CallScript(RedisClient& redis, const Attempt& attempt, std::string_view script,
                  StatusCode otherwise);

/// The correct steps of a lock in one string, for specimens whose story is another one.
Status LockCorrectly(RedisClient& redis, Attempt& attempt);
Status UnlockCorrectly(RedisClient& redis, Attempt& attempt);
Status ExtendCorrectly(RedisClient& redis, Attempt& attempt);
/// The same by another script (KEYS key; ARGV token, lease): 1 if it has extended.
Status ExtendBy(RedisClient& redis, Attempt& attempt, std::string_view script);

/// One try by `lock`, with a new token. A grant that arrives when its lease is over is not
/// believed.
Status TryOnce(RedisClient& redis, Attempt& attempt, const Step& lock);

/// For a lock whose owners do not stand in the server.
std::optional<std::vector<harness::Owner>> NoOwners(const harness::ServerView& server,
                                                    const harness::LockOptions& options);

/// A key beside the lock's: `<key_prefix><resource><ending>`.
struct KeyBeside {
  std::string_view ending;          ///< a '*' at its end matches any suffix
  int leases = 1;                   ///< its longest TTL, in leases
  std::chrono::milliseconds ttl{};  ///< if not 0: its longest TTL, whatever the lease
};

struct Recipe {
  std::string_view name;
  std::string_view summary;
  harness::Traits traits{};
  /// Once for each lock object, before its first try; until it has succeeded there is none.
  Step start = {};
  /// kOk: acquired. kNotAcquired: a definite "no".
  Step lock = LockCorrectly;
  /// kOk: released. kNotOwner: was no longer held.
  Step unlock = UnlockCorrectly;
  /// Called by Hold::Extend; REQUIRES traits.can_extend. Moves `valid_until` itself.
  Step extend = {};
  std::chrono::milliseconds retry_sleep{100};
  std::chrono::milliseconds socket_timeout{2000};  ///< the Java client's default
  /// Between two refused tries of a waiter, instead of `retry_sleep`. kOk or kNotAcquired: try
  /// again. Every other status ends the wait.
  Step wait = {};
  /// "Every exception is printed and becomes false": all but kCancelled becomes kNotAcquired, or
  /// kNotOwner. What the server has done meanwhile stays done.
  bool folds_errors = false;
  /// Where ownership stands; by default the string at the key.
  std::function<std::optional<std::vector<harness::Owner>>(const harness::ServerView& server,
                                                           const harness::LockOptions& options)>
      owners = {};
  std::vector<KeyBeside> auxiliary = {};
  /// By default a lease and a retry sleep.
  Bounded wake_up_bound = {};
  /// Where nothing goes wrong; by default no sooner.
  Bounded hand_over_bound = {};
  /// See Subject::PassedOverBound; by default not at all.
  Bounded passed_over_bound = {};
  /// See Subject::BarredFor; by default not at all.
  Bounded barred_for = {};
  /// See Subject::StaysTakenFor; by default not at all.
  Bounded stays_taken_for = {};
  /// How late a wait may end; by default what the interface allows.
  std::optional<std::chrono::milliseconds> overrun_bound = {};
  /// On a waiter's way out without a grant: a waiter that has left a trace takes it away.
  Step leave = {};
  /// What an operator does to a holder that it has seen, `attempt.token`; REQUIRES
  /// traits.operators. It sees the token that stands at the key.
  Step force = UnlockCorrectly;
  /// What Hold::valid answers; by default nothing.
  std::function<bool(RedisClient& redis, const Attempt& attempt)> valid = {};
  /// kOk: it is in force; REQUIRES Permits::limit_stands.
  SetLimitStep set_limit = {};
};

std::shared_ptr<const harness::Subject> MakeLock(Recipe recipe);

}  // namespace interlock::scenarios::specimens
