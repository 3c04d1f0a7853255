// SPDX-License-Identifier: MIT
//
// What the specimens share, so that each page holds its own story and nothing else: a client with
// the habits of a plain client library, and the lock whose ownership is one string key.
//
// Such a lock follows the service of the second founding text except where a page says otherwise:
//   - every failed command is printed and becomes "not acquired" or "not released". What the server
//   has
//     done meanwhile stays done: unknown is folded into failed, on purpose;
//   - a waiter tries again every 100 ms. (The original looks at the clock only after a whole sleep;
//     here the sleep ends at the deadline, since lateness is nobody's story.)
//   - leases are given in milliseconds (PX, PEXPIRE) where originals say seconds (EX, EXPIRE), so
//   that
//     any lease of a scenario can be had.
// The holder's belief is polite: sending time of the granting command + 99 % of the lease. A grant
// that arrives later than that is not believed, so that no page is convicted of a fault it is not
// about.
//
// Thread safety: objects belong to one client at a time.
#pragma once

#include <chrono>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <interlock/harness/lock.h>

namespace interlock::scenarios::specimens {

/// One connection to Redis, made when first needed and made anew after a failure.
class RedisClient {
 public:
  RedisClient(harness::Environment& environment, Duration socket_timeout)
      : environment_(environment), socket_timeout_(socket_timeout) {}

  /// Connects unless connected. YIELDS. kUnavailable, kCancelled as Connector::Connect.
  Status Open();

  /// Opens and calls, giving the reply as long as the socket time-out allows. YIELDS. An error
  /// reply is a value. Errors as Connection::Send and Receive.
  Result<Reply> Call(std::initializer_list<std::string_view> argv);
  Result<Reply> CallUntil(std::initializer_list<std::string_view> argv, MonotonicTime deadline);

  /// YIELDS for `length`.
  void Sleep(Duration length);

  Runtime& runtime() { return environment_.runtime; }
  Duration socket_timeout() const { return socket_timeout_; }

 private:
  harness::Environment environment_;
  Duration socket_timeout_;
  std::unique_ptr<Connection> connection_;
};

/// 128 random bits in hexadecimal. (The founding texts use a UUID, one of them with a time stamp.)
std::string NewToken(Runtime& runtime);

/// Compares and deletes in one step: the correct unlock. kNotOwner: the key holds another value, or
/// none.
Status CompareAndDelete(RedisClient& redis, const std::string& key, const std::string& token);

/// `SET key token NX PX lease`: the correct lock. kNotAcquired: taken.
Status SetIfAbsent(RedisClient& redis, const std::string& key, const std::string& token,
                   std::chrono::milliseconds lease);

/// kOk if the command was answered with this integer, `otherwise` if with anything else, and the
/// failure itself if it was not answered.
Status ExpectInteger(const Result<Reply>& reply, std::int64_t expected, StatusCode otherwise);

/// One grant in the making: what a page's steps work on.
struct Attempt {
  std::string key;
  std::string token;
  std::chrono::milliseconds lease{};
};

/// A lock whose ownership is the string key `<key_prefix><resource>`.
struct StringLockRecipe {
  std::string_view name;
  std::string_view summary;
  /// kOk: acquired. Every other status but kCancelled becomes kNotAcquired.
  Status (*lock)(RedisClient& redis, const Attempt& attempt) = nullptr;
  /// kOk: released. Every other status but kCancelled becomes kNotOwner.
  Status (*unlock)(RedisClient& redis, const Attempt& attempt) = nullptr;
};

std::shared_ptr<const harness::Subject> MakeStringLock(const StringLockRecipe& recipe);

}  // namespace interlock::scenarios::specimens
