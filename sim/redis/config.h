// SPDX-License-Identifier: MIT
//
// The configuration of one server: what CONFIG GET, CONFIG SET and the command line of redis-server
// 7.0.15 accept. Every parameter is a row of a table (name, kind, limits, default); those that
// affect this server have typed fields, the others only keep their text.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sim/redis/dialect.h"

namespace interlock::sim::redis {

enum MaxmemoryPolicy : std::int64_t {
  kVolatileLru,
  kVolatileLfu,
  kVolatileRandom,
  kVolatileTtl,
  kAllkeysLru,
  kAllkeysLfu,
  kAllkeysRandom,
  kNoEviction,
};
enum AppendFsync : std::int64_t { kFsyncEverySecond, kFsyncAlways, kFsyncNo };
enum ProtectedAction : std::int64_t { kAllowed, kAllowedLocally, kForbidden };

/// "save": a snapshot once there are this many changes and this much time has passed.
struct SavePoint {
  std::int64_t seconds = 0;
  std::int64_t changes = 0;
};

/// Fields are named after the parameters. Flags are 0 or 1, choices use the enumerations above, and
/// the rest is in the parameter's unit. REQUIRES: made as a copy of FreshConfig().
struct Config {
  // Connections.
  std::string requirepass;
  std::int64_t maxclients = 0;
  std::int64_t timeout = 0;  // Seconds; 0: none.
  std::int64_t tcp_keepalive = 0;
  std::int64_t port = 0;
  std::int64_t protected_mode = 0;
  std::int64_t proto_max_bulk_len = 0;
  std::int64_t client_query_buffer_limit = 0;
  std::int64_t enable_debug_command = 0;  // ProtectedAction

  // Keys and memory.
  std::int64_t databases = 0;
  std::int64_t hz = 0;
  std::uint16_t notify_keyspace_events = 0;  // NotifyClass
  std::int64_t busy_reply_threshold = 0;     // ms
  std::int64_t maxmemory = 0;                // Unsigned; 0: no limit.
  std::int64_t maxmemory_policy = 0;         // MaxmemoryPolicy
  std::int64_t maxmemory_samples = 0;
  std::int64_t lfu_decay_time = 0;
  std::int64_t lfu_log_factor = 0;
  std::int64_t list_max_listpack_size = 0;
  std::int64_t hash_max_listpack_entries = 0;
  std::int64_t hash_max_listpack_value = 0;
  std::int64_t set_max_intset_entries = 0;
  std::int64_t set_max_listpack_entries = 0;
  std::int64_t set_max_listpack_value = 0;
  std::int64_t zset_max_listpack_entries = 0;
  std::int64_t zset_max_listpack_value = 0;
  std::int64_t slowlog_log_slower_than = 0;  // us; negative: never.
  std::int64_t slowlog_max_len = 0;
  std::int64_t latency_tracking = 0;
  std::int64_t tracking_table_max_keys = 0;

  // Persistence.
  std::vector<SavePoint> save;
  std::string dir;
  std::string dbfilename;
  std::int64_t stop_writes_on_bgsave_error = 0;
  std::int64_t appendonly = 0;
  std::int64_t appendfsync = 0;  // AppendFsync
  std::string appendfilename;
  std::string appenddirname;
  std::int64_t aof_load_truncated = 0;
  std::int64_t auto_aof_rewrite_percentage = 0;
  std::int64_t auto_aof_rewrite_min_size = 0;
  std::int64_t no_appendfsync_on_rewrite = 0;
  std::int64_t shutdown_timeout = 0;

  // Replication.
  std::string replicaof;  // "host port"
  std::string masterauth;
  std::string masteruser;
  std::int64_t min_replicas_to_write = 0;
  std::int64_t min_replicas_max_lag = 0;  // Seconds.
  std::int64_t replica_read_only = 0;
  std::int64_t replica_serve_stale_data = 0;
  std::int64_t replica_priority = 0;
  std::int64_t replica_announced = 0;
  std::int64_t replica_ignore_maxmemory = 0;
  std::int64_t repl_backlog_size = 0;
  std::int64_t repl_backlog_ttl = 0;
  std::int64_t repl_timeout = 0;
  std::int64_t repl_ping_replica_period = 0;
  std::int64_t repl_diskless_sync = 0;
  std::int64_t repl_diskless_sync_delay = 0;

  // Cluster.
  std::int64_t cluster_enabled = 0;
  std::int64_t cluster_node_timeout = 0;
  std::int64_t cluster_require_full_coverage = 0;
  std::int64_t cluster_allow_reads_when_down = 0;
  std::int64_t cluster_allow_pubsubshard_when_down = 0;
  std::int64_t cluster_replica_no_failover = 0;
  std::int64_t cluster_replica_validity_factor = 0;

  /// Parameters that have no effect here and are not at their default.
  std::map<std::string_view, std::string> others;
};

enum ParameterTrait : std::uint8_t {
  kImmutableParameter = 1,  // Set on the command line only.
  kProtectedParameter = 2,  // Not by CONFIG SET: enable-protected-configs is no.
  kFixedParameter = 4,      // Setting it would have effects that are not modelled.
  kHiddenParameter = 8,     // For tests of Redis: shown only by full name; otherwise like kFixed.
};

struct Parameter {
  enum class Kind : std::uint8_t {
    kFlag,
    kChoice,
    kChoices,  ///< any number of them
    kNumber,
    kMemory,     ///< "10mb"
    kBigMemory,  ///< up to 2^64 - 1
    kText,
    kSave,
    kNotify,
  };
  std::string_view name;
  std::string_view fresh;  ///< default, as CONFIG GET prints it
  Kind kind = Kind::kText;
  std::uint8_t traits = 0;
  std::int64_t Config::*number = nullptr;
  std::string Config::*text = nullptr;
  std::int64_t min = 0;
  std::int64_t max = 0;
  std::string_view choices = {};  ///< "yes, no"
  DialectSet in = kAllDialects;
};

/// The configuration of a server started without a configuration file.
const Config& FreshConfig();
/// Looks up a name in any case, old names ("slave-priority") included; null if that server has none
/// such.
const Parameter* FindParameter(const Dialect& dialect, std::string_view name);
/// False: it has no effect here, although somebody who sets it would miss that; so setting it to
/// anything but the value shown must be refused.
bool IsActedUpon(const Parameter& parameter);
/// As CONFIG GET prints it.
std::string FormatParameter(const Config& config, const Parameter& parameter);
/// Returns false, with the reason as CONFIG SET words it, if the value is invalid.
bool SetParameter(const Parameter& parameter, std::string_view value, Config* config,
                  std::string* reason);
struct CaselessOrder {
  bool operator()(std::string_view one, std::string_view other) const;
};
/// By the names that CONFIG GET prints.
using ParametersByName = std::map<std::string_view, const Parameter*, CaselessOrder>;
/// The parameter of this name (or old name), under the name as given; or all that match a glob and
/// are not hidden. Ignores case. Valid as long as `pattern`.
ParametersByName MatchParameters(const Dialect& dialect, std::string_view pattern);

}  // namespace interlock::sim::redis
