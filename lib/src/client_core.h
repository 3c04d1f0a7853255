// SPDX-License-Identifier: MIT
//
// ClientCore: the connection pool and the script runner of a Client.
//
// Guarantee: a connection on which anything failed is closed, never pooled. After a failure all
// idle connections are closed too, because they lead to the same server. Thread safety: may be used
// from any task. No lock is held while a call YIELDS.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include <interlock/connection.h>
#include <interlock/options.h>
#include <interlock/result.h>
#include <interlock/runtime.h>

#include "src/annotated_mutex.h"
#include "src/lease_keeper.h"
#include "src/scripts/script.h"
#include "src/teller.h"
#include "src/token.h"

namespace interlock::internal {

struct ScriptReply {
  Reply reply;         ///< never an error reply
  MonotonicTime sent;  ///< just before the command that was answered was sent
  Status kept = {};    ///< not ok: it was executed, but too few replicas have acknowledged it
};

/// What failed and is to be tried again.
struct Trouble {
  const std::string& resource;
  int failures;  ///< in a row, >= 1
  const Status& status;
};

using ReplyTest = bool (*)(const Reply&);

enum class Use : std::uint8_t {
  kPooled,  ///< an idle connection if there is one
  kFresh,   ///< a new one: after an unknown outcome nothing that was open then is trusted
};

class ClientCore {
 public:
  ClientCore(Runtime& runtime, Connector& connector, ClientOptions options);

  Runtime& runtime() { return runtime_; }
  const ClientOptions& options() const { return options_; }
  /// The longest that a grant or an extension takes, connecting and acknowledgement included.
  Duration LongestGrant() const;
  LeaseKeeper& keeper() { return keeper_; }
  const Teller& teller() const { return teller_; }
  std::string endpoint() const { return connector_.endpoint(); }
  /// An owner token with the client's label.
  std::string NewToken() { return internal::NewToken(runtime_, options_.label); }

  /// Runs a script: by its hash, and by its text if the server does not know it. YIELDS. At most
  /// connect_timeout + command_timeout (twice if an idle connection turns out to be dead).
  /// kUnavailable: definitely not executed. kUnknownOutcome: sent, but not answered in time.
  /// kCancelled, kInvalidArgument, kProtocolError as in StatusOfErrorReply. Gives up at `by` at the
  /// latest, for a caller to whom a later answer is worth nothing.
  /// `worth_keeping`: a reply of which the replicas must know, if they are asked at all; then
  /// kUnknownOutcome also: executed, but too few of them do.
  Result<ScriptReply> Run(const ScriptCall& call, Use use, MonotonicTime by = kNever,
                          ReplyTest worth_keeping = nullptr);

  /// Sleeps in the server until there is an element in list `key`, which it takes, or until
  /// `until`, however long it took to connect. YIELDS. Has a connection to itself meanwhile.
  /// nullopt: there was none. Failures as above; after kUnknownOutcome one may have been taken. It
  /// is that, too, if `stop` ended the sleep; at most command_timeout later, and not before the
  /// server has forgotten the sleeper, if it says so by then.
  Result<std::optional<std::string>> Pop(const std::string& key, MonotonicTime until,
                                         const std::stop_token& stop = {});

  /// Sleeps for `pause`, or until `stop` is requested. YIELDS.
  void Pause(Duration pause, const std::stop_token& stop = {});
  /// Sleeps for the short pause of a bounded series. YIELDS.
  void PauseBeforeRetry(const Trouble& trouble);
  /// Sleeps for the pause that follows the given number of failed tries in a row, but not past
  /// `deadline`, nor after `stop` was requested. YIELDS.
  void PauseAfterFailures(const Trouble& trouble, const RetryOptions& retry, MonotonicTime deadline,
                          const std::stop_token& stop);
  /// Whether the server executed the script when it was last asked to, as told to RememberLoaded:
  /// then its hash alone will do, unless the server was made to forget the script since. A new
  /// connection may lead to a server that has begun anew, so losing any connection clears this.
  bool IsLoaded(const Script& script);
  void RememberLoaded(const Script& script, bool loaded);
  /// Whether a server of this client's has refused the command as one that it does not have; in a
  /// Cluster of several versions, then, none is asked. Asked again once any connection was lost, as
  /// above. A call that was under way then may have it remembered of the server before: that costs
  /// the script's way, and no more.
  bool IsLacking(const NativeCommand& command);
  void RememberLacking(const NativeCommand& command);

  /// Says what is tried again, after `pause`.
  void TellRetried(const Trouble& trouble, Duration pause) const;
  /// Reports that a waiter goes to sleep until `until` at the latest.
  void TellWaiting(const std::string& resource, MonotonicTime until);

 private:
  friend class PendingCall;

  std::unique_ptr<Connection> TakeIdle();
  /// A connection is gone, and with it what is known of the server.
  void NoteLoss();
  /// Whether an idle connection has died.
  bool IsBroken(const Connection& idle);
  Result<std::unique_ptr<Connection>> Connect(MonotonicTime by);
  /// An idle connection, or a new one.
  Result<std::unique_ptr<Connection>> Borrow();
  void GiveBack(std::unique_ptr<Connection> connection);
  void DropIdle();
  /// Sends a command and waits for its reply.
  static Result<Reply> Exchange(Connection& connection, std::span<const std::string_view> argv,
                                MonotonicTime deadline);
  /// The reply to a command that was sent.
  static Result<Reply> Receive(Connection& connection, MonotonicTime deadline);
  /// What it means if no reply comes to a command that was sent.
  static Status AfterSending(const Status& why);

  Runtime& runtime_;
  Connector& connector_;
  const ClientOptions options_;
  const Teller teller_;
  std::atomic<bool> lost_one_ = false;  ///< a connection, since the last one was made
  AnnotatedMutex mutex_;
  std::vector<std::unique_ptr<Connection>> idle_ INTERLOCK_GUARDED_BY(mutex_);
  std::vector<const Script*> loaded_ INTERLOCK_GUARDED_BY(mutex_);
  std::vector<const NativeCommand*> lacking_ INTERLOCK_GUARDED_BY(mutex_);
  LeaseKeeper keeper_;  ///< last, so first to end: its tasks use all of the above
};

}  // namespace interlock::internal
