// SPDX-License-Identifier: MIT
//
// The sixteen databases: keys with values and expiries, and who watches them.
//
// A key is expired if now > its expiry (not at it). Find and the writers delete an expired key when
// they meet it; the const functions pretend that it is gone.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sim/redis/database.h"
#include "sim/redis/footprint.h"
#include "sim/redis/recent_keys.h"
#include "sim/redis/scan_order.h"
#include "sim/redis/watched_keys.h"

namespace interlock::sim::redis {

/// Whom new keys and the deletion of expired ones concern beyond watchers and waiters.
class KeyspaceListener {
 public:
  virtual ~KeyspaceListener() = default;
  virtual void OnAdded(int database, std::string_view key) = 0;
  virtual void OnExpired(int database, std::string_view key) = 0;
  /// Changed by Touch; called only if that was asked for.
  virtual void OnTouched(std::string_view key) = 0;
  /// Replace has begun.
  virtual void OnReplaced() = 0;
  /// Fields of a hash were collected; `emptied`: and the key with them.
  virtual void OnCollected(int database, std::string_view key,
                           const std::vector<std::string>& fields, bool emptied) = 0;
};

/// What a look-up does with a key whose TTL has passed.
enum class ExpiryMode : std::uint8_t {
  kDelete,
  kHide,    ///< as if it were gone, but it stays: on replicas, and under CLIENT PAUSE
  kIgnore,  ///< as if it were alive: for the effects that a replica gets from its master
};

class Keyspace {
 public:
  void Reset();
  /// From now on everything that is looked up or changed is noted there; null: nowhere.
  void SetFootprint(Footprint* footprint) { footprint_ = footprint; }
  /// Something that is going on now cannot be told by its keys.
  void TouchAll() const {
    if (footprint_ != nullptr) footprint_->TouchAll();
  }
  Footprint* footprint() const { return footprint_; }
  void SetListener(KeyspaceListener* listener) { listener_ = listener; }
  /// Whether the listener hears of every Touch.
  void AnnounceTouches(bool announce) { announce_touches_ = announce; }
  void SetNowMs(std::int64_t now_ms) { now_ms_ = now_ms; }
  std::int64_t now_ms() const { return now_ms_; }
  void SetExpiryMode(ExpiryMode mode) { expiry_mode_ = mode; }
  ExpiryMode expiry_mode() const { return expiry_mode_; }
  /// Keys expire by the clock as it stands now until Thaw: inside a script or EXEC.
  void Freeze() { frozen_ms_ = now_ms_; }
  void Thaw() { frozen_ms_.reset(); }
  /// Counts changes of values and TTLs: by commands, and by expiry.
  std::uint64_t mutations() const { return mutations_; }
  /// By commands alone (Redis' "dirty").
  std::uint64_t changes() const { return changes_; }

  /// What Find has met since the beginning.
  struct Lookups {
    std::int64_t hits = 0, misses = 0;
  };
  const Lookups& lookups() const { return lookups_; }
  /// What keys and values take, by estimate: kept up to date while tracked, else counted now.
  std::size_t used_memory() const;
  void TrackMemory(bool track);

  Entry* Find(int database, std::string_view key);
  /// Deletes it on replicas too: a writing command finds nothing in its way.
  Entry* FindToWrite(int database, std::string_view key);
  const Entry* Peek(int database, std::string_view key) const;
  const Database& keys(int database) const {
    TouchAll();
    return databases_[Index(database)];
  }
  bool IsExpired(const Entry& entry) const { return entry.IsExpiredAt(expiry_clock_ms()); }
  /// The time by which keys and fields expire.
  std::int64_t expiry_clock_ms() const { return frozen_ms_.value_or(now_ms_); }
  /// The same for a field of a hash, which nobody sees then.
  bool IsFieldOver(std::int64_t expires_at_ms) const {
    return expires_at_ms != kNoExpiry && expiry_clock_ms() > expires_at_ms &&
           expiry_mode_ != ExpiryMode::kIgnore;
  }

  /// Adds a key in place of what may be there. A key that was not there is remembered in
  /// TakeReadyKeys(); an overwritten one wakes nobody (ZUNIONSTORE over a string).
  Entry& Add(int database, std::string_view key, Data data, std::int64_t expires_at_ms = kNoExpiry);
  /// The same for a string, into existing memory; `keep_ttl`: for a key that FindToWrite finds.
  Entry& PutText(int database, std::string_view key, std::string_view text,
                 std::int64_t expires_at_ms, bool keep_ttl);
  /// The same, entry and all: RENAME, COPY.
  Entry& Insert(int database, std::string_view key, Entry entry);
  /// True if there was a key; says nothing to watchers, which is Touch's work.
  bool Remove(int database, std::string_view key);
  /// Every change of a value or a TTL ends here; `changes` is the number of elements for changes().
  void Touch(int database, std::string_view key, std::size_t changes = 1) {
    TouchQuietly(database, key, changes);
    if (announce_touches_) listener_->OnTouched(key);
  }
  /// The same for a change of which the listener need not hear.
  void TouchQuietly(int database, std::string_view key, std::size_t changes);
  /// A change of something that is no key, but is saved with the keys: functions.
  void CountChange() {
    TouchAll();
    ++mutations_;
    ++changes_;
  }
  /// Removes all keys of the database, touching those that are watched.
  void Clear(int database);
  const Databases& databases() const {
    TouchAll();
    return databases_;
  }
  /// By a resync or at a start: all keys there were are touched.
  void Replace(Databases databases);
  /// Removes what has expired, and nobody hears of it.
  void ForgetExpired();
  /// The same for the fields of hashes, and for hashes that have no others.
  void ForgetExpiredFields();
  void DeleteExpired(int database);
  /// Removes the fields of hashes whose TTL has passed: until then they count (HLEN, EXISTS).
  void CollectFields(int database);
  /// SWAPDB. Watched keys and waiters stay where they are: they see other data.
  void Swap(int first, int second);
  /// The next page of a scan, see ScanOrder::PageFrom.
  std::uint64_t ScanFrom(int database, std::uint64_t cursor, std::uint64_t count,
                         std::vector<std::string>* page);

  void AddWatch(std::uint64_t client, int database, std::string_view key) {
    TouchAll();
    watched_.Add(client, database, key, databases_[Index(database)], expiry_clock_ms());
  }
  void RemoveWatches(std::uint64_t client) { watched_.Remove(client); }
  const WatchedKeys& watched() const { return watched_; }
  /// Was a key that this client watches touched, or has it expired since?
  bool WatchFailed(std::uint64_t client) const {
    TouchAll();
    return watched_.Failed(client, databases_, expiry_clock_ms());
  }

  using ReadyKeys = std::vector<std::pair<int, std::string>>;
  /// Keys made since the last call, in order, while they are tracked: what waiters wait for.
  void TakeReadyKeys(ReadyKeys* taken);
  /// As if it were new. Nobody waits for others than lists and sorted sets: they may stay expired.
  void MarkReady(int database, std::string_view key, const Entry& entry);
  bool HasReadyKeys() const { return !ready_keys_.empty(); }
  void TrackReadyKeys(bool track) { track_ready_keys_ = track; }

 private:
  static std::size_t Index(int database) { return static_cast<std::size_t>(database); }
  Database::iterator Locate(Database& keys, std::string_view key);
  void DeleteExpiredKey(int database, Database::iterator at);
  /// A new key's entry, with whatever its node held before. REQUIRES: `next` is the one after it.
  Database::iterator PlaceBefore(Database& keys, Database::iterator next, std::string_view key);
  Entry& Placed(int database, Database::iterator at, bool added);
  /// Takes it out of the database, but keeps the memory for another key.
  void Discard(Database& keys, Database::iterator at);
  void NoteRead(int database, std::string_view key) const {
    if (footprint_ != nullptr) footprint_->ReadKey(database, key);
  }
  void NoteWrite(int database, std::string_view key) const {
    if (footprint_ != nullptr) footprint_->WriteKey(database, key);
  }
  void Account(int database, std::string_view key);

  Databases databases_;
  RecentKeys<Database> recent_;
  WatchedKeys watched_;
  std::vector<Database::node_type> spare_;  // of keys that are gone
  ReadyKeys ready_keys_;
  bool track_ready_keys_ = false;
  Lookups lookups_;
  bool track_memory_ = false;
  std::size_t used_memory_ = 0;
  Footprint* footprint_ = nullptr;
  KeyspaceListener* listener_ = nullptr;
  bool announce_touches_ = false;
  ExpiryMode expiry_mode_ = ExpiryMode::kDelete;
  std::optional<std::int64_t> frozen_ms_;
  std::int64_t now_ms_ = 0;
  std::uint64_t mutations_ = 0;
  std::uint64_t changes_ = 0;

  std::uint64_t key_set_version_ = 0;  // Grows when a key comes or goes.
  ScanOrder scan_order_;
};

}  // namespace interlock::sim::redis
