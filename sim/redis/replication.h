// SPDX-License-Identifier: MIT
//
// One server's part in replication: its master, its replicas, their progress, and the effect on
// commands. Only the two ends are here; others carry the messages (see Topology). Source:
// REPLICAOF, ROLE, WAIT, INFO replication, min-replicas-* of Redis 7.0; WAITAOF of 7.2.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/redis/client.h"
#include "sim/redis/journal.h"
#include "sim/redis/saved_data.h"

namespace interlock::sim::redis {

class Engine;

/// The state of a replica's link to its master, as ROLE names it.
/// WAITAOF that waits for this server's own disk.
inline constexpr std::string_view kNoAppendOnlyFile =
    "ERR WAITAOF cannot be used when numlocal is set but appendonly is disabled.";

enum class MasterLink : std::uint8_t { kConnect, kConnecting, kSync, kConnected };

struct MasterAddress {
  std::string host;
  int port = 0;
  bool operator==(const MasterAddress&) const = default;
};

/// A history of writes and a position in it: what PSYNC asks for.
struct ReplicationPoint {
  std::string id;
  std::int64_t offset = 0;
};

/// All data, and the point it corresponds to.
struct Snapshot {
  SavedData data;
  ReplicationPoint point;
};

class Replication {
 public:
  /// A replica as its master knows it.
  struct Replica {
    std::uint64_t handle = 0;
    MasterAddress address;
    bool online = false;  // It has been sent a snapshot, or needed none.
    std::int64_t acknowledged = 0;
    std::int64_t on_its_disk = 0;        // The offset up to which it has synced its file.
    std::int64_t acknowledged_at_s = 0;  // On this server's clock.
    std::uint64_t next_unit = 0;         // In the journal: the first unit not yet sent to it.
  };

  explicit Replication(Engine& engine);
  /// `identity` distinguishes this server's run and replication ids from other servers'.
  void Reset(std::uint64_t identity);

  bool is_replica() const { return master_.has_value(); }
  const std::optional<MasterAddress>& master() const { return master_; }
  MasterLink link() const { return link_; }
  const std::string& id() const { return ids().history; }
  const std::string& run_id() const { return ids().run; }
  std::int64_t offset() const;
  /// Counts changes of role and master: links of an older epoch are void.
  std::uint64_t epoch() const { return epoch_; }

  /// REPLICAOF host port: disconnects blocked clients; the data stays until a resync.
  void Follow(MasterAddress master);
  /// REPLICAOF NO ONE: the data stays, a new history begins.
  void Promote();

  // As a replica. REQUIRES: is_replica().
  void SetLink(MasterLink link);
  /// For longer than repl-timeout: the link should be given up.
  bool HeardNothing() const;
  ReplicationPoint point() const { return {id(), offset()}; }
  /// Full resync: replaces all data, and disconnects its own replicas.
  void Load(const Snapshot& snapshot);
  /// Partial resync: the same history, perhaps under a new id from its master.
  void Continue(const std::string& id);
  /// Executes a unit from the master, and appends it to its own journal unchanged. True: the master
  /// asks for an acknowledgement of what came before.
  bool Apply(const Unit& unit);

  // As a master (or a replica with replicas of its own).
  /// Whether the stream after the point is still available; then Attach continues from it.
  bool CanContinue(const ReplicationPoint& point) const;
  Snapshot TakeSnapshot();
  /// Adds a replica whose units begin after `point` (partial resync) or here (full resync, offline
  /// until SetOnline). The handle is not 0.
  std::uint64_t Attach(MasterAddress replica, const std::optional<ReplicationPoint>& point);
  void SetOnline(std::uint64_t handle);
  void Detach(std::uint64_t handle);
  Replica* Find(std::uint64_t handle);
  const std::vector<Replica>& replicas() const { return replicas_; }
  void Acknowledge(std::uint64_t handle, std::int64_t offset, std::int64_t on_its_disk);
  /// As a replica: up to where its append-only file is on disk; 0 if it has none.
  std::int64_t OffsetOnDisk() const;

  /// A WAIT or WAITAOF has begun: replicas will be asked after its command.
  void WantAcknowledgements() { acknowledgements_wanted_ = true; }
  void OnConfigChanged();
  /// Once a second: counts good replicas, drops silent ones, pings.
  void RunCron(std::int64_t uptime_s);
  /// Called after every command.
  void RequestAcknowledgements();
  /// Journal units before this index are not needed here.
  std::uint64_t first_needed_unit() const;
  /// Whether effects must be kept.
  bool needs_journal() const { return backlog_ || !replicas_.empty(); }

  // What commands ask.
  bool TooFewReplicas() const;
  bool ReadOnly(const Client& client) const;
  bool Stale() const;
  int CountAcknowledged(std::int64_t offset) const;
  /// What WAIT or WAITAOF answers now, and whether that is enough for it.
  Value Acknowledged(const Wait& wait) const;
  bool IsEnough(const Wait& wait) const;
  /// The client's command is over; `wrote`: something of it goes to replicas and the file.
  void NoteWrites(Client& client, bool wrote) const;
  /// Answers those whose WAIT or WAITAOF has enough.
  void ReleaseWaiters();
  /// The lines of INFO's section, without its title.
  std::string Info() const;

 private:
  void StartBacklog(std::int64_t offset);
  void CountGoodReplicas();
  void DetachAll();
  int CountOnDisk(std::int64_t offset) const;
  std::int64_t CountReplicas(const Wait& wait) const;
  Value Answer(const Wait& wait, std::int64_t replicas) const;
  bool OnOwnDisk(const Wait& wait) const;
  bool InBacklog(std::int64_t offset) const;
  std::int64_t now_s() const;
  std::int64_t backlog_start() const;

  Engine& engine_;
  std::optional<MasterAddress> master_;
  MasterLink link_ = MasterLink::kConnect;
  std::int64_t link_down_since_s_ = 0;
  std::int64_t last_heard_s_ = 0;
  std::uint64_t epoch_ = 0;

  /// Made on demand: few servers live long enough to need them.
  struct Ids {
    std::string run;
    std::string history;
  };
  Ids& ids() const;

  mutable std::uint64_t random_ = 0;
  mutable bool ids_made_ = false;
  mutable Ids ids_;
  std::string second_id_;
  std::int64_t second_offset_ = -1;
  bool backlog_ = false;
  std::int64_t backlog_first_offset_ = 0;
  std::uint64_t backlog_first_unit_ = 0;

  std::vector<Replica> replicas_;
  std::uint64_t last_handle_ = 0;
  std::int64_t good_replicas_ = 0;
  bool acknowledgements_wanted_ = false;
};

}  // namespace interlock::sim::redis
