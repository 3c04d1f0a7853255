// SPDX-License-Identifier: MIT
//
// ClusterSlots: which node owns which slot, as far as is known.
//
// The table is a hint: a node that does not own a slot says so. It is read from the first node that
// tells it, the one that told it last coming first, and not more often than every kRefreshPause.
//
// Thread safety: may be used from any task. No lock is held while a call YIELDS.
#pragma once

#include <chrono>
#include <cstddef>
#include <map>
#include <optional>
#include <vector>

#include <interlock/cluster_connector.h>
#include <interlock/connection.h>
#include <interlock/result.h>
#include <interlock/runtime.h>
#include <interlock/time.h>
#include <interlock/topology.h>

#include "src/annotated_mutex.h"

namespace interlock::internal {

/// What a node reports, and what was learned of single slots since.
struct SlotTable {
  struct Range {
    int first = 0;
    int last = 0;  ///< included
    std::size_t node = 0;
  };

  /// The index in `nodes`; nullopt: the slot has no owner.
  std::optional<std::size_t> OwnerOf(int slot) const;

  std::vector<NodeAddress> nodes;
  std::vector<Range> ranges;         ///< by their first slots; a slot without an owner is in none
  std::map<int, std::size_t> moved;  ///< slots that are not where `ranges` says
};

/// Reads the reply to CLUSTER SLOTS. A node without a name is the one that was asked.
std::optional<SlotTable> ParseSlots(const Reply& reply, const NodeAddress& asked);

class ClusterSlots {
 public:
  static constexpr std::chrono::milliseconds kRefreshPause{50};

  ClusterSlots(Runtime& runtime, const ConnectNode& connect, const ClusterOptions& options)
      : runtime_(runtime), connect_(connect), options_(options) {}

  /// The owner of `slot`, or any node if there is none of it or -1 is given. Reads the table if it
  /// is not known or was called in question. YIELDS. Fails only if no table is known.
  Result<NodeAddress> Owner(int slot, MonotonicTime deadline);

  /// Notes a redirection: `slot` has moved, by the word of a node that was asked in vain.
  void Moved(int slot, const NodeAddress& owner);

  /// The table may be out of date, and `node` failed, so others are asked first.
  void Question(const NodeAddress& node);

  void Tell(TopologyEvent::Kind kind, const NodeAddress& node, std::string detail = {}) const;

 private:
  Status Refresh(MonotonicTime deadline);
  Result<SlotTable> Read(const NodeAddress& node, MonotonicTime deadline);
  /// Is it this task's turn to read the table?
  bool MustRead();
  std::vector<NodeAddress> Candidates();

  Runtime& runtime_;
  const ConnectNode& connect_;
  const ClusterOptions& options_;
  AnnotatedMutex mutex_;
  SlotTable table_ INTERLOCK_GUARDED_BY(mutex_);
  std::optional<NodeAddress> teller_ INTERLOCK_GUARDED_BY(mutex_);
  std::optional<NodeAddress> failed_ INTERLOCK_GUARDED_BY(mutex_);
  MonotonicTime read_ INTERLOCK_GUARDED_BY(mutex_) = MonotonicTime::min();
  bool questioned_ INTERLOCK_GUARDED_BY(mutex_) = true;
  bool reading_ INTERLOCK_GUARDED_BY(mutex_) = false;
};

}  // namespace interlock::internal
