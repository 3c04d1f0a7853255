// SPDX-License-Identifier: MIT
//
// The migrations of whole slots that one node of a Valkey cluster takes part in (CLUSTER
// MIGRATESLOTS, from 9.0 on), the latest first. The messages between both ends are up to the owner
// of the servers, see ClusterBus. States and texts are those of Valkey 9.1.2; of the states that
// last for a moment only, not all are shown.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sim/redis/database.h"

namespace interlock::sim::redis {

class Engine;

struct SlotRange {
  std::size_t first = 0;
  std::size_t last = 0;
};

struct SlotMigration {
  enum class State : std::uint8_t {
    kConnecting,         ///< of an export alone
    kSnapshotting,       ///< of an export alone
    kReceivingSnapshot,  ///< of an import alone
    kWaitingToPause,     ///< of an export alone
    kWaitingForPaused,   ///< of an import alone
    kFailoverGranted,    ///< writes wait at the source; the target may claim the slots
    kSuccess,            ///< it is over from here on
    kFailed,
    kCancelled,
  };

  std::string name;  ///< 40 hexadecimal digits; alike at both ends
  bool exports = false;
  std::vector<SlotRange> ranges;
  std::string source;  ///< ids of nodes
  std::string target;
  std::int64_t created_s = 0;
  std::int64_t updated_s = 0;
  State state = State::kConnecting;
  std::string message = {};
  std::int64_t pause_ends_ms = 0;                   ///< of an export in kFailoverGranted
  std::vector<std::pair<std::string, Entry>> keys;  ///< of an import in kFailoverGranted

  bool IsOver() const { return state >= State::kSuccess; }
  bool Covers(std::size_t slot) const;
};

std::string_view ToString(SlotMigration::State state);
/// "0-4 6-6"
std::string ToText(const std::vector<SlotRange>& ranges);

class SlotMigrations {
 public:
  /// Twice cluster-manual-failover-timeout.
  static constexpr std::int64_t kPauseMs = 10'000;

  explicit SlotMigrations(Engine& engine) : engine_(engine) {}

  std::deque<SlotMigration>& all() { return all_; }
  const std::deque<SlotMigration>& all() const { return all_; }
  /// Null: it is over, or never was.
  SlotMigration* FindRunning(std::string_view name);
  /// Whether a running one takes the slot away.
  bool Exports(std::size_t slot) const;
  bool Exports() const;

  void Export(std::vector<SlotRange> ranges, std::string source, std::string target);
  /// The other end of that export.
  void Import(const SlotMigration& theirs);
  void Enter(SlotMigration& one, SlotMigration::State state);
  /// Writes go on, unless another migration or a client has paused them.
  void End(SlotMigration& one, SlotMigration::State state, std::string_view message = {});
  /// Those that are exported. False: there is none.
  bool CancelAll();
  /// All data are gone.
  void OnFlush();
  /// Writes wait from now on, and the keys are what the target gets.
  std::vector<std::pair<std::string, Entry>> PauseAndCopy(SlotMigration& one);
  /// What an import was given belongs to this node from now on.
  void TakeKeys(const SlotMigration& one);
  /// What an export has left here belongs to nobody.
  void DropKeys(const SlotMigration& one);

 private:
  /// Tells its replicas.
  void Tell(std::initializer_list<std::string_view> effect);

  Engine& engine_;
  std::deque<SlotMigration> all_;
  std::int64_t made_ = 0;
};

}  // namespace interlock::sim::redis
