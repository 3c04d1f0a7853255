// SPDX-License-Identifier: MIT
//
// SentinelWatch: who the master is, by the word of enough sentinels, and how old that word is.
//
// Guarantee: an answer counts from before the first sentinel was asked for it, and never replaces a
// later one. Thread safety: may be used from any task. No lock is held while a call YIELDS.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

#include <interlock/connection.h>
#include <interlock/result.h>
#include <interlock/runtime.h>
#include <interlock/sentinel_connector.h>
#include <interlock/time.h>
#include <interlock/topology.h>

#include "src/annotated_mutex.h"

namespace interlock::internal {

class SentinelWatch {
 public:
  SentinelWatch(Runtime& runtime, ConnectNode connect, SentinelOptions options);

  /// Asks one sentinel after the other until enough of them name the same master. YIELDS, for at
  /// most sentinel_timeout for each. kUnavailable: too few agree. kInvalidArgument: no sentinel
  /// that answered knows the name, or all refuse the credentials.
  Result<NodeAddress> Ask(MonotonicTime deadline);

  /// Ok if `master` is the one, by an answer that is not older than `recheck`; asks for a new one
  /// if need be, until `deadline` at the latest, and already at half that age, so that seldom more
  /// than one task has to ask. YIELDS.
  Status Confirm(const NodeAddress& master, MonotonicTime deadline);

  /// The next Confirm has to ask.
  void Doubt();

  void Tell(TopologyEvent::Kind kind, const NodeAddress& node, std::string detail = {}) const;

 private:
  using Answer = Result<std::optional<NodeAddress>>;

  Answer AskOne(std::size_t sentinel, MonotonicTime deadline);
  Answer AskOn(Connection& connection, MonotonicTime deadline) const;
  std::vector<std::size_t> Order();
  std::unique_ptr<Connection> TakeIdle(std::size_t sentinel);
  void GiveBack(std::size_t sentinel, std::unique_ptr<Connection> connection);
  void MoveToTheEnd(std::size_t sentinel);
  void Note(const NodeAddress& master, MonotonicTime asked);
  /// Ok: confirmed. kUnavailable: another one is. nullopt: not known now.
  std::optional<Status> Known(const NodeAddress& master, MonotonicTime now)
      INTERLOCK_REQUIRES(mutex_);

  Runtime& runtime_;
  const ConnectNode connect_;
  const SentinelOptions options_;
  AnnotatedMutex mutex_;
  std::vector<std::size_t> order_ INTERLOCK_GUARDED_BY(mutex_);  ///< by index; those that failed
                                                                 ///< come last
  std::vector<std::unique_ptr<Connection>> idle_ INTERLOCK_GUARDED_BY(mutex_);
  std::optional<NodeAddress> master_ INTERLOCK_GUARDED_BY(mutex_);
  MonotonicTime confirmed_ INTERLOCK_GUARDED_BY(mutex_) = MonotonicTime::min();
  bool doubted_ INTERLOCK_GUARDED_BY(mutex_) = false;
  bool asking_early_ INTERLOCK_GUARDED_BY(mutex_) = false;
};

}  // namespace interlock::internal
