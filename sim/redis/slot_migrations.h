// SPDX-License-Identifier: MIT
//
// The migrations of whole slots that one node of a Valkey cluster takes part in (CLUSTER
// MIGRATESLOTS, from 9.0 on), the latest first. When its stages happen is up to the owner of the
// servers. States and texts are those of Valkey 9.1.2; of the states that last for a moment only,
// not all are shown.
//
// Writes wait at the source from the grant on, until it has heard the target claim the slots, or
// for kPauseMs; what it has accepted after that is lost as soon as it hears the claim.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sim/redis/cluster_view.h"
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
  /// Of an export: the target may still claim the slots, whether or not writes go on here.
  bool IsClaimable() const;
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

  /// The process is gone.
  void Reset() { all_.clear(); }

  std::list<SlotMigration>& all() { return all_; }
  const std::list<SlotMigration>& all() const { return all_; }
  /// Null: there never was one.
  SlotMigration* Find(std::string_view name);
  /// Whether a running one takes the slot away.
  bool Exports(std::size_t slot) const;
  /// Whether one in that direction is running.
  bool AnyRuns(bool exports) const;

  void Export(std::vector<SlotRange> ranges, std::string source, std::string target);
  /// The next stage of an export, and of the import at its target, up to kFailoverGranted.
  void Advance(SlotMigration& one, SlotMigrations& target);
  /// The pause of an export is over, and the target has not been heard.
  void LetPauseRunOut(SlotMigration& one);
  /// An import that was granted: its keys are this node's, and in this view its slots, too.
  void Claim(SlotMigration& one, ClusterView& view);
  /// It fails, because its other end is gone.
  void LoseTouch(SlotMigration& one);
  /// Those that are exported. False: there is none.
  bool CancelAll();

  /// All data are gone.
  void OnFlush();
  /// The node may have heard of claims. What their exports have left here belongs to nobody.
  void OnView();
  void RunTimers();

 private:
  void Import(const SlotMigration& theirs);
  void Enter(SlotMigration& one, SlotMigration::State state);
  /// Writes go on, unless another migration or a client has paused them.
  void End(SlotMigration& one, SlotMigration::State state, std::string_view message = {});
  /// Writes wait from now on, and the keys are what the target gets.
  std::vector<std::pair<std::string, Entry>> PauseAndCopy(SlotMigration& one);
  void TakeKeys(const SlotMigration& one);
  void DropKeys(const SlotMigration& one);
  /// Tells its replicas.
  void Tell(std::initializer_list<std::string_view> effect);

  Engine& engine_;
  std::list<SlotMigration> all_;
  std::int64_t made_ = 0;
};

}  // namespace interlock::sim::redis
