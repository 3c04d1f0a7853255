// SPDX-License-Identifier: MIT
#include "sim/redis/persistence.h"

#include <algorithm>
#include <utility>

#include "sim/redis/engine.h"
#include "sim/redis/text.h"

namespace interlock::sim::redis {

namespace {

constexpr std::int64_t kSecondUs = 1'000'000;
constexpr std::int64_t kRetrySaveS = 5;
constexpr std::int64_t kLongestPostponementS = 2;
constexpr std::int64_t kKernelWriteBackUs = 30'000'000;
constexpr std::size_t kFewUnits = 1024;

}  // namespace

std::int64_t Persistence::now_s() const { return engine_.now_us / kSecondUs; }
bool Persistence::loading() const { return engine_.now_us < loading_until_us_; }

void Persistence::Reset() {
  rdb_.reset();
  if (file_.exists) file_ = AppendOnlyFile();
  fault = Server::DiskFault();
  down_ = false;
  child_us = 0;
  ForgetProcess();
}

// Drops what the process knew and the disk does not.
void Persistence::ForgetProcess() {
  file_.open = false;
  last_save_s_ = -1;
  last_try_s_ = 0;
  save_failed_ = false;
  saved_changes_ = 0;
  next_unit_ = 0;
  last_fsync_us_ = 0;
  write_failed_ = false;
  postponed_since_s_.reset();
  child_.reset();
  save_scheduled_ = false;
  rewrite_scheduled_ = false;
  loading_until_us_ = 0;
  due_us_ = 0;
}

void Persistence::OpenFile() {
  file_ = AppendOnlyFile();
  file_.exists = true;
  file_.open = true;
  file_.base = TakeData(engine_);
  next_unit_ = engine_.journal.end_index();
  progress_.Begin({next_unit_, engine_.journal.offset()});
}

void Persistence::OnConfigChanged() {
  due_us_ = 0;
  const bool wanted = engine_.config().appendonly != 0;
  if (wanted == file_.open || down_) return;
  if (wanted) {
    ++engine_.statistics.rewrites;
    ++engine_.statistics.forks;
    OpenFile();
  } else {
    file_.synced = file_.units.size();
    file_.open = false;
    write_failed_ = false;
  }
  engine_.UpdateJournal();
}

void Persistence::OnDataReplaced() {
  if (file_.open) OpenFile();
}

void Persistence::WriteEffects() {
  if (!file_.open) return;
  SyncByTime();
  const Journal& journal = engine_.journal;
  if (next_unit_ == journal.end_index() || Postponed()) return;
  write_failed_ = fault.writes_fail;
  if (write_failed_) return;
  postponed_since_s_.reset();
  const std::size_t units_before = file_.units.size();
  for (; next_unit_ < journal.end_index(); ++next_unit_) {
    const Unit& unit = journal.unit(next_unit_);
    if (unit.readers != Unit::Readers::kLinks) file_.units.push_back({unit, engine_.now_us});
  }
  progress_.Write({next_unit_, journal.offset()}, file_.units.size() > units_before);
  if (engine_.config().appendfsync == kFsyncAlways) {
    file_.synced = file_.units.size();
    progress_.Sync();
  } else {
    SyncByTime();
    if (BelievesInWrites()) progress_.Sync();
  }
  Compact();
}

// With everysec, a write waits for an fsync still running, but not for ever.
bool Persistence::Postponed() {
  if (!fault.fsync_hangs || engine_.config().appendfsync != kFsyncEverySecond) return false;
  if (!postponed_since_s_) postponed_since_s_ = now_s();
  return now_s() - *postponed_since_s_ < kLongestPostponementS;
}

// With everysec, not before another second of the clock has begun; since Redis 7.2 a second later.
std::int64_t Persistence::NextFsyncUs() const {
  if (engine_.dialect().since_72) return last_fsync_us_ + kSecondUs;
  return (last_fsync_us_ / kSecondUs + 1) * kSecondUs;
}

// The fsync of `everysec` happens as soon as it may, whenever this is called. The kernel's own
// write-back comes half a minute later.
void Persistence::SyncByTime() {
  if (fault.fsync_hangs) return;
  std::size_t& synced = file_.synced;
  const std::int64_t policy = engine_.config().appendfsync;
  if (policy == kFsyncNo) {
    while (synced < file_.units.size() &&
           file_.units[synced].written_at_us + kKernelWriteBackUs <= engine_.now_us) {
      ++synced;
    }
    return;
  }
  if (policy == kFsyncEverySecond && synced < file_.units.size()) {
    const std::int64_t next_us = NextFsyncUs();
    if (engine_.now_us < next_us) return;
    last_fsync_us_ = std::min(engine_.now_us, std::max(file_.units.back().written_at_us, next_us));
  }
  synced = file_.units.size();
  progress_.Sync();
}

// Valkey 8.1.1 and 9.1.2 take what is written for synced, as long as no fsync is under way.
bool Persistence::BelievesInWrites() const {
  return engine_.dialect().valkey && engine_.config().appendfsync == kFsyncEverySecond &&
         !fault.fsync_hangs;
}

std::optional<JournalPosition> Persistence::synced() {
  if (!file_.open) return std::nullopt;
  SyncByTime();
  return progress_.synced();
}

// What a fault has kept from the file is written as soon as the fault is over.
std::optional<std::int64_t> Persistence::NextSyncUs() const {
  if (!file_.open || fault.fsync_hangs || fault.writes_fail) return std::nullopt;
  if (next_unit_ < engine_.journal.end_index()) return engine_.now_us;
  const bool waits =
      engine_.config().appendfsync == kFsyncEverySecond && file_.synced < file_.units.size();
  if (!waits) return std::nullopt;
  return std::max(engine_.now_us, NextFsyncUs());
}

std::size_t Persistence::unsynced_units() {
  SyncByTime();
  return file_.units.size() - file_.synced;
}

void Persistence::DropBefore(std::size_t units) {
  const auto count = static_cast<std::ptrdiff_t>(std::min(units, file_.units.size()));
  file_.units.erase(file_.units.begin(), file_.units.begin() + count);
  file_.synced -= std::min(units, file_.synced);
}

// Keeps the file short where that is invisible: all of it is on disk, and it represents the data.
void Persistence::Compact() {
  if (file_.synced != file_.units.size() || file_.units.size() < kFewUnits) return;
  std::size_t keys = 0;
  for (const auto& database : engine_.keyspace.databases()) keys += database.size();
  if (file_.units.size() < keys) return;
  if (child_) child_->units = 0;
  file_.base = TakeData(engine_);
  file_.units.clear();
  file_.synced = 0;
}

bool Persistence::WriteSnapshot(SavedData data, std::uint64_t changes) {
  last_try_s_ = now_s();
  save_failed_ = fault.saves_fail;
  if (save_failed_) return false;
  rdb_ = std::move(data);
  last_save_s_ = now_s();
  saved_changes_ = changes;
  return true;
}

void Persistence::StartChild(bool rewrites_aof) {
  Child child;
  child.rewrites_aof = rewrites_aof;
  child.data = TakeData(engine_);
  child.changes = engine_.keyspace.changes();
  child.units = file_.units.size();
  child.started_us = engine_.now_us;
  child.ends_us = engine_.now_us + child_us;
  child_ = std::move(child);
  ++engine_.statistics.forks;
  if (rewrites_aof) {
    ++engine_.statistics.rewrites;
    rewrite_scheduled_ = false;
  } else {
    ++engine_.statistics.saves;
    last_try_s_ = now_s();
    save_scheduled_ = false;
  }
  PlanNext();
}

Persistence::Progress Persistence::progress() const {
  return {.changes = engine_.keyspace.changes() - saved_changes_,
          .saving = child_ && !child_->rewrites_aof,
          .rewriting = child_ && child_->rewrites_aof,
          .rewrite_scheduled = rewrite_scheduled_};
}

void Persistence::EndChild() {
  Child child = std::move(*child_);
  child_.reset();
  if (!child.rewrites_aof) {
    WriteSnapshot(std::move(child.data), child.changes);
  } else if (file_.open && child.units > 0 && !fault.saves_fail) {
    file_.base = std::move(child.data);
    DropBefore(child.units);
  }
}

bool Persistence::SaveIsDue() const {
  if (save_failed_ && now_s() - last_try_s_ <= kRetrySaveS) return false;
  const auto changes = static_cast<std::int64_t>(engine_.keyspace.changes() - saved_changes_);
  for (const SavePoint& point : engine_.config().save) {
    if (changes >= point.changes && now_s() - last_save_s_ > point.seconds) return true;
  }
  return false;
}

// Redis checks ten times a second.
void Persistence::PlanNext() {
  if (child_) {
    due_us_ = child_->ends_us;
  } else {
    const bool looks = save_scheduled_ || rewrite_scheduled_ || !engine_.config().save.empty();
    due_us_ = looks ? engine_.now_us + 100'000 : INT64_MAX;
  }
}

void Persistence::CatchUp() {
  // A host sets the clock only after making the server, so the start is the first command.
  if (last_save_s_ < 0) last_save_s_ = now_s();
  if (child_ && child_->ends_us <= engine_.now_us) EndChild();
  if (!child_) {
    if (rewrite_scheduled_) {
      StartChild(true);
    } else if (save_scheduled_ || SaveIsDue()) {
      StartChild(false);
    }
    if (child_ && child_->ends_us <= engine_.now_us) EndChild();
  }
  PlanNext();
}

DiskFailure Persistence::disk_failure() const {
  if (engine_.config().stop_writes_on_bgsave_error != 0 && !engine_.config().save.empty() &&
      save_failed_) {
    return DiskFailure::kSave;
  }
  return file_.open && write_failed_ ? DiskFailure::kAppend : DiskFailure::kNone;
}

void Persistence::Crash(const Server::Crash& crash) {
  CatchUp();
  if (file_.open) {
    SyncByTime();
    const std::size_t kept =
        crash.power_lost ? file_.synced + crash.surviving_units : file_.units.size();
    if (kept < file_.units.size()) file_.units.resize(kept);
  }
  down_ = true;
  ForgetProcess();
}

bool Persistence::Shutdown(bool save) {
  if (file_.open) {
    fault.fsync_hangs = false;
    WriteEffects();
    file_.synced = file_.units.size();
  }
  return !save || WriteSnapshot(TakeData(engine_), engine_.keyspace.changes());
}

void Persistence::LoadSnapshot(const SavedData& data) {
  ReplaceData(engine_, data);
  // A replica would keep what has expired: deleting it is up to its master.
  if (engine_.replication.is_replica()) return;
  engine_.keyspace.ForgetExpired();
  if (engine_.dialect().valkey) engine_.keyspace.ForgetExpiredFields();
}

void Persistence::Load(std::int64_t loading_us) {
  ForgetProcess();
  down_ = false;
  Keyspace& keyspace = engine_.keyspace;
  if (engine_.config().appendonly == 0) {
    if (rdb_) LoadSnapshot(*rdb_);
  } else if (file_.exists) {
    ReplaceData(engine_, file_.base);
    keyspace.SetExpiryMode(ExpiryMode::kIgnore);
    for (const WrittenUnit& written : file_.units) {
      for (const Effect& effect : written.unit.effects) engine_.RunEffect(effect);
    }
    engine_.UpdateExpiryMode();
    file_.synced = file_.units.size();
    file_.open = true;
  } else {
    OpenFile();
  }
  // Data just loaded counts as just saved.
  saved_changes_ = keyspace.changes();
  last_save_s_ = now_s();
  // A clock set back later must not restart the loading phase.
  loading_until_us_ = loading_us > 0 ? engine_.now_us + loading_us : 0;
  engine_.UpdateJournal();
  next_unit_ = engine_.journal.end_index();
  progress_.Begin({next_unit_, engine_.journal.offset()});
}

void Persistence::Save(Context& context) {
  if (child_ && !child_->rewrites_aof) {
    return context.Error("ERR Background save already in progress");
  }
  ++engine_.statistics.saves;
  if (!WriteSnapshot(TakeData(engine_), engine_.keyspace.changes())) {
    return context.Error("ERR");
  }
  context.Ok();
}

void Persistence::Reload(Context& context) {
  Save(context);
  if (context.reply.type == Value::Type::kError) return;
  LoadSnapshot(TakeData(engine_));
  saved_changes_ = engine_.keyspace.changes();
}

void Persistence::Schedule(bool* what) {
  *what = true;
  PlanNext();
}

void Persistence::BgSave(Context& context) {
  bool schedule = false;
  if (context.args.size() > 1) {
    schedule = context.args.size() == 2 && EqualsIgnoreCase(context.args[1], "schedule");
    if (!schedule) return context.Error(kSyntax);
  }
  // A transaction must finish first.
  const bool in_exec = context.client.captured != nullptr;
  if (!child_ && !in_exec) {
    StartChild(false);
    return context.Status("Background saving started");
  }
  if (child_ && !child_->rewrites_aof) {
    return context.Error("ERR Background save already in progress");
  }
  if (!schedule && !in_exec) {
    return context.Error(
        "ERR Another child process is active (AOF?): can't BGSAVE right now. Use BGSAVE SCHEDULE "
        "in order to schedule a BGSAVE whenever possible.");
  }
  Schedule(&save_scheduled_);
  context.Status("Background saving scheduled");
}

void Persistence::BgRewriteAof(Context& context) {
  if (!child_ && context.client.captured == nullptr) {
    StartChild(true);
    return context.Status("Background append only file rewriting started");
  }
  if (child_ && child_->rewrites_aof) {
    return context.Error("ERR Background append only file rewriting already in progress");
  }
  Schedule(&rewrite_scheduled_);
  context.Status("Background append only file rewriting scheduled");
}

}  // namespace interlock::sim::redis
