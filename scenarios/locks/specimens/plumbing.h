// SPDX-License-Identifier: MIT
//
// What the specimens share, so that each specimen holds its own story and nothing else: a client
// with the habits of a plain client library, and the commands that most locks are made of. The lock
// around them is in recipe.h.
//
// Thread safety: objects belong to one client at a time.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <interlock/harness/lock.h>

#include "scenarios/locks/owner_key.h"

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
  Result<Reply> Call(std::span<const std::string_view> argv);
  Result<Reply> CallUntil(std::initializer_list<std::string_view> argv, MonotonicTime deadline);

  /// From now on no call waits longer than until then, whatever the socket time-out allows;
  /// kNever: as long as that.
  void WaitNoLongerThan(MonotonicTime latest) { latest_ = latest; }

  /// YIELDS for `length`, or until it is stopped.
  void Sleep(Duration length) { SleepUnlessStopped(length, {}); }
  void SleepUnlessStopped(Duration length, const std::stop_token& stop);

  /// Runs `body` beside the client, with a client of its own. This one is not gone before the body
  /// has ended.
  void RunBeside(std::string_view name, std::function<void(RedisClient& its_own)> body);

  harness::Environment& environment() { return environment_; }
  Runtime& runtime() { return environment_.runtime; }
  Duration socket_timeout() const { return socket_timeout_; }

 private:
  MonotonicTime Overdue() const {
    return std::min(AddSaturating(environment_.runtime.Now(), socket_timeout_), latest_);
  }

  harness::Environment environment_;
  Duration socket_timeout_;
  MonotonicTime latest_ = kNever;
  std::unique_ptr<Connection> connection_;
  std::vector<std::unique_ptr<Task>> tasks_;  // last: their ends are waited for first
};

/// 128 random bits in hexadecimal. (The founding texts use a UUID, one of them with a time stamp.)
std::string NewToken(Runtime& runtime);

/// `<key_prefix><resource>`
std::string KeyOf(const harness::LockOptions& options);

/// A milliseconds argument in the words of Redis.
std::string Ms(std::chrono::milliseconds length);

/// The same of a time-out that Redis takes in seconds, with decimals.
std::string InSeconds(std::chrono::milliseconds timeout);

/// Compares and deletes in one step: the correct unlock. kNotOwner: the key holds another value, or
/// none.
Status CompareAndDelete(RedisClient& redis, const std::string& key, const std::string& token);

/// `SET key token NX PX lease`: the correct lock. kNotAcquired: taken.
Status SetIfAbsent(RedisClient& redis, const std::string& key, const std::string& token,
                   std::chrono::milliseconds lease);

/// The same with the lease in a unit of its own, `EX` or `PX`.
Status SetIfAbsent(RedisClient& redis, const std::string& key, const std::string& token,
                   std::string_view unit, const std::string& lease);

/// `EVAL script 1 key arguments...`, judged as ExpectInteger does.
Status CallScript(RedisClient& redis, std::string_view script, const std::string& key,
                  std::initializer_list<std::string_view> arguments, std::int64_t expected,
                  StatusCode otherwise);

/// kOk if the command was answered with this integer, `otherwise` if with anything else, and the
/// failure itself if it was not answered.
Status ExpectInteger(const Result<Reply>& reply, std::int64_t expected, StatusCode otherwise);

/// Neither done nor refused with `no`, and not because the run is over: what a client library that
/// sends again sends again.
bool Failed(const Status& status, StatusCode no);

/// A subject that a recipe describes, owned as the string at its key says. `Recipe` has a name and
/// a summary; `Lock` is made of an Environment, LockOptions and the recipe.
template <typename Recipe, typename Lock>
class RecipeSubject : public harness::Subject {
 public:
  explicit RecipeSubject(Recipe recipe) : recipe_(std::move(recipe)) {}

  std::string_view name() const override { return recipe_.name; }
  std::string_view summary() const override { return recipe_.summary; }
  std::unique_ptr<harness::Lock> NewLock(harness::Environment& environment,
                                         const harness::LockOptions& options) const override {
    return std::make_unique<Lock>(environment, options, recipe_);
  }
  std::optional<std::vector<harness::Owner>> Owners(
      const harness::ServerView& server, const harness::LockOptions& options) const override {
    return OwnersAt(server, KeyOf(options));
  }

 protected:
  const Recipe recipe_;
};

}  // namespace interlock::scenarios::specimens
