// SPDX-License-Identifier: MIT
//
// What is on one server's disk at any moment: the last RDB snapshot, and the append-only file as
// written units and synced units. A crash leaves exactly that, and a restart loads it. Source:
// SAVE, BGSAVE, BGREWRITEAOF, save, appendonly, appendfsync of Redis 7.0.
//
// Not modelled: corruption by the disk. Children (BGSAVE, BGREWRITEAOF) take `child_us` of the
// server's clock; an fsync takes no time unless it is stalled.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/redis/disk_errors.h"
#include "sim/redis/journal.h"
#include "sim/redis/saved_data.h"
#include "sim/redis/server.h"
#include "sim/redis/sync_progress.h"

namespace interlock::sim::redis {

class Engine;
struct Context;

class Persistence {
 public:
  explicit Persistence(Engine& engine) : engine_(engine) {}
  /// An empty disk.
  void Reset();
  /// The configuration changed, or a resync replaced all data.
  void OnConfigChanged();
  void OnDataReplaced();

  /// Called after every command, before its reply counts as sent: writes its effects, and syncs
  /// them according to appendfsync.
  void WriteEffects();
  /// Performs what was due by itself up to now (the end of a child, a save point), before a command
  /// that could see it or change the data. Not needed before due_us().
  void CatchUp();
  std::int64_t due_us() const { return due_us_; }

  bool needs_journal() const { return file_.open; }
  std::uint64_t first_needed_unit() const { return file_.open ? next_unit_ : UINT64_MAX; }
  /// Why writes are refused now.
  DiskFailure disk_failure() const;
  bool loading() const;

  void Save(Context& context);
  /// DEBUG RELOAD: saves, and starts again from what it has saved.
  void Reload(Context& context);
  void BgSave(Context& context);
  void BgRewriteAof(Context& context);
  std::int64_t last_save_s() const { return last_save_s_; }
  /// The state shown by INFO.
  struct Progress {
    std::uint64_t changes = 0;  // Since the last snapshot.
    bool saving = false;
    bool rewriting = false;
    bool rewrite_scheduled = false;
  };
  Progress progress() const;
  /// Number of units that a power loss now may lose.
  std::size_t unsynced_units();
  /// Up to where the append-only file is on disk, as the server knows; nullopt: there is none.
  std::optional<JournalPosition> synced();
  /// When more of it will be, unless a command changes that; nullopt: nothing is to come.
  std::optional<std::int64_t> NextSyncUs() const;

  /// Ends the process: the disk keeps what survives the crash, children are gone. REQUIRES: Load
  /// before anything else.
  void Crash(const Server::Crash& crash);
  /// At a start: reads the data from disk, and answers LOADING for `loading_us`.
  void Load(std::int64_t loading_us);
  /// SHUTDOWN: syncs the append-only file, and saves a snapshot if `save`. False: that failed.
  bool Shutdown(bool save);

  std::int64_t child_us = 0;
  Server::DiskFault fault;

 private:
  struct WrittenUnit {
    Unit unit;
    std::int64_t written_at_us = 0;
  };
  struct AppendOnlyFile {
    bool exists = false;
    bool open = false;
    SavedData base;
    std::deque<WrittenUnit> units;
    std::size_t synced = 0;
  };
  struct Child {
    bool rewrites_aof = false;
    SavedData data;
    std::uint64_t changes = 0;
    std::size_t units = 0;  // Number of the append-only file's units contained in `data`.
    std::int64_t started_us = 0;
    std::int64_t ends_us = 0;
  };

  std::int64_t now_s() const;
  void ForgetProcess();
  void OpenFile();
  bool Postponed();
  std::int64_t NextFsyncUs() const;
  bool BelievesInWrites() const;
  void LoadSnapshot(const SavedData& data);
  bool WriteSnapshot(SavedData data, std::uint64_t changes);
  void SyncByTime();
  void DropBefore(std::size_t units);
  void Compact();
  void StartChild(bool rewrites_aof);
  void EndChild();
  bool SaveIsDue() const;
  void Schedule(bool* what);
  void PlanNext();

  Engine& engine_;
  std::optional<SavedData> rdb_;
  std::int64_t last_save_s_ = -1;  // -1: the clock of the start is not known yet.
  std::int64_t last_try_s_ = 0;
  bool save_failed_ = false;
  std::uint64_t saved_changes_ = 0;

  AppendOnlyFile file_;
  std::uint64_t next_unit_ = 0;  // In the journal.
  SyncProgress progress_;
  std::int64_t last_fsync_us_ = 0;
  bool down_ = false;  // Between Crash and Load.
  bool write_failed_ = false;
  std::optional<std::int64_t> postponed_since_s_;

  std::int64_t due_us_ = 0;
  std::optional<Child> child_;
  bool save_scheduled_ = false;
  bool rewrite_scheduled_ = false;
  std::int64_t loading_until_us_ = 0;
};

}  // namespace interlock::sim::redis
