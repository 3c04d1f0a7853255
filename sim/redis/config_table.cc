// SPDX-License-Identifier: MIT
//
// The parameters of redis-server 7.0.15, and those of newer servers, with the limits and defaults
// that it reports. Those of the compiler and the machine (dir, supervised, cpulists) are as on a
// server started in "/".
#include "sim/redis/config_table.h"

#include <limits>

namespace interlock::sim::redis {

namespace {

using Kind = Parameter::Kind;
using Field = std::int64_t Config::*;
using TextField = std::string Config::*;

constexpr DialectSet kAnyRedis = kAllDialects & ~kAnyValkey;
constexpr std::int64_t kMinInt = std::numeric_limits<std::int32_t>::min();
constexpr std::int64_t kMaxInt = std::numeric_limits<std::int32_t>::max();
constexpr std::int64_t kMaxUnsigned = std::numeric_limits<std::uint32_t>::max();
constexpr std::int64_t kMaxLong = std::numeric_limits<std::int64_t>::max();

constexpr Parameter Flag(std::string_view name, std::string_view fresh, Field field = nullptr,
                         std::uint8_t traits = 0) {
  return {name, fresh, Kind::kFlag, traits, field};
}

constexpr Parameter Choice(std::string_view name, std::string_view fresh, std::string_view choices,
                           Field field = nullptr, std::uint8_t traits = 0) {
  return {name, fresh, Kind::kChoice, traits, field, nullptr, 0, 0, choices};
}

constexpr Parameter Choices(std::string_view name, std::string_view fresh,
                            std::string_view choices) {
  return {name, fresh, Kind::kChoices, 0, nullptr, nullptr, 0, 0, choices};
}

constexpr Parameter Number(std::string_view name, std::string_view fresh, std::int64_t min,
                           std::int64_t max, Field field = nullptr, std::uint8_t traits = 0) {
  return {name, fresh, Kind::kNumber, traits, field, nullptr, min, max};
}

constexpr Parameter Memory(std::string_view name, std::string_view fresh, std::int64_t min,
                           Field field = nullptr, std::uint8_t traits = 0) {
  return {name, fresh, Kind::kMemory, traits, field, nullptr, min, kMaxLong};
}

constexpr Parameter BigMemory(std::string_view name, std::string_view fresh,
                              Field field = nullptr) {
  return {name, fresh, Kind::kBigMemory, 0, field};
}

// CONFIG GET shows it only by its full name.
constexpr Parameter Hidden(Parameter parameter) {
  parameter.traits |= kHiddenParameter;
  return parameter;
}

// Of these servers alone.
constexpr Parameter In(DialectSet servers, Parameter parameter) {
  parameter.in = servers;
  return parameter;
}

constexpr Parameter Text(std::string_view name, std::string_view fresh, TextField field = nullptr,
                         std::uint8_t traits = 0) {
  return {name, fresh, Kind::kText, traits, nullptr, field};
}

constexpr Parameter Fixed(std::string_view name, std::string_view fresh, std::uint8_t traits = 0) {
  return {name, fresh, Kind::kText, static_cast<std::uint8_t>(traits | kFixedParameter)};
}

// In byte order.
constexpr Parameter kParameters[] = {
    Fixed("acl-pubsub-default", "resetchannels"),
    Fixed("aclfile", "", kImmutableParameter),
    Number("acllog-max-len", "128", 0, kMaxLong),
    Number("active-defrag-cycle-max", "25", 1, 99),
    Number("active-defrag-cycle-min", "1", 1, 99),
    In(kAnyValkey, Fixed("active-defrag-cycle-us", "500")),
    Memory("active-defrag-ignore-bytes", "104857600", 1),
    Number("active-defrag-max-scan-fields", "1000", 1, kMaxLong),
    Number("active-defrag-threshold-lower", "10", 0, 1000),
    Number("active-defrag-threshold-upper", "100", 0, 1000),
    Number("active-expire-effort", "1", 1, 10),
    Flag("activedefrag", "no"),
    Flag("activerehashing", "yes"),
    Fixed("always-show-logo", "no", kImmutableParameter),
    In(Of(DialectId::kRedis70), Flag("aof-disable-auto-gc", "no")),
    In(kAllButRedis70, Hidden(Fixed("aof-disable-auto-gc", "no"))),
    Flag("aof-load-truncated", "yes", &Config::aof_load_truncated),
    In(kAllButRedis70, Fixed("aof-rewrite-cpulist", "", kImmutableParameter)),
    Flag("aof-rewrite-incremental-fsync", "yes"),
    Flag("aof-timestamp-enabled", "no"),
    Flag("aof-use-rdb-preamble", "yes"),
    Fixed("aof_rewrite_cpulist", "", kImmutableParameter),
    Text("appenddirname", "appendonlydir", &Config::appenddirname, kImmutableParameter),
    Text("appendfilename", "appendonly.aof", &Config::appendfilename, kImmutableParameter),
    Choice("appendfsync", "everysec", "everysec, always, no", &Config::appendfsync),
    Flag("appendonly", "no", &Config::appendonly),
    Memory("auto-aof-rewrite-min-size", "67108864", 0, &Config::auto_aof_rewrite_min_size),
    Number("auto-aof-rewrite-percentage", "100", 0, kMaxInt, &Config::auto_aof_rewrite_percentage),
    In(kAnyValkey, Fixed("availability-zone", "")),
    In(kAllButRedis70, Fixed("bgsave-cpulist", "", kImmutableParameter)),
    Fixed("bgsave_cpulist", "", kImmutableParameter),
    Fixed("bind", "* -::*"),
    Fixed("bind-source-addr", ""),
    In(kAllButRedis70, Fixed("bio-cpulist", "", kImmutableParameter)),
    Fixed("bio_cpulist", "", kImmutableParameter),
    Number("busy-reply-threshold", "5000", 0, kMaxLong, &Config::busy_reply_threshold),
    Fixed("client-output-buffer-limit",
          "normal 0 0 0 slave 268435456 67108864 60 pubsub 33554432 8388608 60"),
    Memory("client-query-buffer-limit", "1073741824", 1048576, &Config::client_query_buffer_limit,
           kFixedParameter),
    Flag("cluster-allow-pubsubshard-when-down", "yes",
         &Config::cluster_allow_pubsubshard_when_down),
    Flag("cluster-allow-reads-when-down", "no", &Config::cluster_allow_reads_when_down),
    Flag("cluster-allow-replica-migration", "yes"),
    Number("cluster-announce-bus-port", "0", 0, 65535),
    In(kAnyValkey, Fixed("cluster-announce-client-ipv4", "")),
    In(kAnyValkey, Fixed("cluster-announce-client-ipv6", "")),
    In(kValkeyFrom90, Fixed("cluster-announce-client-port", "0")),
    In(kValkeyFrom90, Fixed("cluster-announce-client-tls-port", "0")),
    Fixed("cluster-announce-hostname", ""),
    In(kAllButRedis70, Fixed("cluster-announce-human-nodename", "")),
    Fixed("cluster-announce-ip", ""),
    Number("cluster-announce-port", "0", 0, 65535),
    Number("cluster-announce-tls-port", "0", 0, 65535),
    In(kAnyValkey, Fixed("cluster-blacklist-ttl", "60")),
    In(kNewerRedis, Fixed("cluster-compatibility-sample-ratio", "0")),
    Fixed("cluster-config-file", "nodes.conf", kImmutableParameter),
    In(kValkeyFrom90, Fixed("cluster-config-save-behavior", "sync")),
    In(kValkeyFrom90, Fixed("cluster-databases", "1", kImmutableParameter)),
    Flag("cluster-enabled", "no", &Config::cluster_enabled, kImmutableParameter),
    BigMemory("cluster-link-sendbuf-limit", "0"),
    In(kAnyValkey, Fixed("cluster-manual-failover-timeout", "5000")),
    In(kValkeyFrom90, Hidden(Fixed("cluster-message-gossip-perc", "10"))),
    Number("cluster-migration-barrier", "1", 0, kMaxInt),
    Number("cluster-node-timeout", "15000", 0, kMaxLong, &Config::cluster_node_timeout),
    In(kAllButRedis70, Hidden(Fixed("cluster-ping-interval", "0"))),
    Fixed("cluster-port", "0", kImmutableParameter),
    Fixed("cluster-preferred-endpoint-type", "ip"),
    Flag("cluster-replica-no-failover", "no", &Config::cluster_replica_no_failover),
    Number("cluster-replica-validity-factor", "10", 0, kMaxInt,
           &Config::cluster_replica_validity_factor),
    Flag("cluster-require-full-coverage", "yes", &Config::cluster_require_full_coverage),
    In(kValkeyFrom90, Fixed("cluster-slot-migration-log-max-len", "1000")),
    In(kAnyValkey, Fixed("cluster-slot-stats-enabled", "no")),
    In(kAnyValkey, Fixed("commandlog-execution-slower-than", "10000")),
    In(kAnyValkey, Fixed("commandlog-large-reply-max-len", "128")),
    In(kAnyValkey, Fixed("commandlog-large-request-max-len", "128")),
    In(kAnyValkey, Fixed("commandlog-reply-larger-than", "1048576")),
    In(kAnyValkey, Fixed("commandlog-request-larger-than", "1048576")),
    In(kAnyValkey, Fixed("commandlog-slow-execution-max-len", "128")),
    Flag("crash-log-enabled", "yes"),
    Flag("crash-memcheck-enabled", "yes"),
    Fixed("daemonize", "no", kImmutableParameter),
    Number("databases", "16", 1, kMaxInt, &Config::databases, kImmutableParameter),
    Text("dbfilename", "dump.rdb", &Config::dbfilename, kProtectedParameter),
    Text("dir", "/", &Config::dir, kProtectedParameter),
    Fixed("disable-thp", "yes", kImmutableParameter),
    In(kAnyValkey, Fixed("dual-channel-replication-enabled", "no")),
    In(kAnyRedis, Flag("dynamic-hz", "yes")),
    Choice("enable-debug-command", "no", "yes, local, no", &Config::enable_debug_command,
           kImmutableParameter),
    Fixed("enable-module-command", "no", kImmutableParameter),
    Fixed("enable-protected-configs", "no", kImmutableParameter),
    In(kAnyValkey, Fixed("extended-redis-compatibility", "no")),
    Number("hash-max-listpack-entries", "512", 0, kMaxLong, &Config::hash_max_listpack_entries),
    Memory("hash-max-listpack-value", "64", 0, &Config::hash_max_listpack_value),
    In(kValkeyFrom90, Fixed("hash-seed", "", kImmutableParameter)),
    In(kNewerRedis, Fixed("hide-user-data-from-log", "no")),
    In(kAnyValkey, Fixed("hide-user-data-from-log", "yes")),
    Memory("hll-sparse-max-bytes", "3000", 0),
    Number("hz", "10", 0, kMaxInt, &Config::hz),
    Fixed("ignore-warnings", ""),
    In(kAnyValkey, Fixed("import-mode", "no")),
    Fixed("io-threads", "1", kImmutableParameter),
    In(kValkeyFrom90, Hidden(Fixed("io-threads-always-active", "no"))),
    In(Of(DialectId::kRedis70), Fixed("io-threads-do-reads", "no", kImmutableParameter)),
    Flag("jemalloc-bg-thread", "yes"),
    Hidden(Number("key-load-delay", "0", kMinInt, kMaxInt)),
    Number("latency-monitor-threshold", "0", 0, kMaxLong),
    Flag("latency-tracking", "yes", &Config::latency_tracking),
    Fixed("latency-tracking-info-percentiles", "50 99 99.9"),
    In(kAnyRedis, Flag("lazyfree-lazy-eviction", "no")),
    In(kAnyValkey, Flag("lazyfree-lazy-eviction", "yes")),
    In(kAnyRedis, Flag("lazyfree-lazy-expire", "no")),
    In(kAnyValkey, Flag("lazyfree-lazy-expire", "yes")),
    In(kAnyRedis, Flag("lazyfree-lazy-server-del", "no")),
    In(kAnyValkey, Flag("lazyfree-lazy-server-del", "yes")),
    In(kAnyRedis, Flag("lazyfree-lazy-user-del", "no")),
    In(kAnyValkey, Flag("lazyfree-lazy-user-del", "yes")),
    In(kAnyRedis, Flag("lazyfree-lazy-user-flush", "no")),
    In(kAnyValkey, Flag("lazyfree-lazy-user-flush", "yes")),
    Number("lfu-decay-time", "1", 0, kMaxInt, &Config::lfu_decay_time),
    Number("lfu-log-factor", "10", 0, kMaxInt, &Config::lfu_log_factor),
    Number("list-compress-depth", "0", 0, kMaxInt),
    Number("list-max-listpack-size", "-2", kMinInt, kMaxInt, &Config::list_max_listpack_size),
    In(kAllDialects & ~kNewerRedis,
       Hidden(Number("loading-process-events-interval-bytes", "2097152", 1024, kMaxInt))),
    In(kNewerRedis,
       Hidden(Number("loading-process-events-interval-bytes", "524288", 1024, kMaxInt))),
    In(kAllButRedis70, Fixed("locale-collate", "")),
    In(kAnyValkey, Fixed("log-format", "legacy")),
    In(kAnyValkey, Fixed("log-timestamp-format", "legacy")),
    Fixed("logfile", "", kImmutableParameter),
    In(Of(DialectId::kRedis70), Choice("loglevel", "notice", "debug, verbose, notice, warning")),
    In(kAllButRedis70, Choice("loglevel", "notice", "debug, verbose, notice, warning, nothing")),
    In(kNewerRedis, Hidden(Fixed("lua-enable-deprecated-api", "no"))),
    Text("masterauth", "", &Config::masterauth),
    Text("masteruser", "", &Config::masteruser),
    In(kAllButRedis70, Fixed("max-new-connections-per-cycle", "10")),
    In(kAllButRedis70, Fixed("max-new-tls-connections-per-cycle", "1")),
    Number("maxclients", "10000", 1, kMaxUnsigned, &Config::maxclients),
    BigMemory("maxmemory", "0", &Config::maxmemory),
    Fixed("maxmemory-clients", "0"),
    Number("maxmemory-eviction-tenacity", "10", 0, 100),
    Choice("maxmemory-policy", "noeviction",
           "volatile-lru, volatile-lfu, volatile-random, volatile-ttl, allkeys-lru, allkeys-lfu, "
           "allkeys-random, noeviction",
           &Config::maxmemory_policy),
    In(Of(DialectId::kRedis70),
       Number("maxmemory-samples", "5", 1, kMaxInt, &Config::maxmemory_samples)),
    In(kAllButRedis70, Number("maxmemory-samples", "5", 1, 64, &Config::maxmemory_samples)),
    In(kValkeyFrom90, Hidden(Fixed("min-io-threads-avoid-copy-reply", "7"))),
    Number("min-replicas-max-lag", "10", 0, kMaxInt, &Config::min_replicas_max_lag),
    Number("min-replicas-to-write", "0", 0, kMaxInt, &Config::min_replicas_to_write),
    In(kValkeyFrom90, Fixed("mptcp", "no", kImmutableParameter)),
    In(kValkeyFrom90, Hidden(Fixed("min-string-size-avoid-copy-reply", "16384"))),
    In(kValkeyFrom90, Hidden(Fixed("min-string-size-avoid-copy-reply-threaded", "65536"))),
    Flag("no-appendfsync-on-rewrite", "no", &Config::no_appendfsync_on_rewrite),
    {"notify-keyspace-events", "", Kind::kNotify},
    Choice("oom-score-adj", "no", "no, yes, relative, absolute"),
    Fixed("oom-score-adj-values", "0 200 800"),
    Fixed("pidfile", "", kImmutableParameter),
    Number("port", "6379", 0, 65535, &Config::port, kFixedParameter),
    In(kAnyValkey, Fixed("prefetch-batch-max-size", "16")),
    In(kAnyValkey, Fixed("primaryauth", "")),
    In(kAnyValkey, Fixed("primaryuser", "")),
    Fixed("proc-title-template", "{title} {listen-addr} {server-mode}"),
    Fixed("propagation-error-behavior", "ignore"),
    Flag("protected-mode", "yes", &Config::protected_mode),
    Memory("proto-max-bulk-len", "536870912", 1048576, &Config::proto_max_bulk_len),
    Flag("rdb-del-sync-files", "no"),
    Hidden(Number("rdb-key-save-delay", "0", kMinInt, kMaxInt)),
    Flag("rdb-save-incremental-fsync", "yes"),
    In(kAnyValkey, Fixed("rdb-version-check", "strict")),
    Fixed("rdbchecksum", "yes", kImmutableParameter),
    Flag("rdbcompression", "yes"),
    In(kAnyValkey, Fixed("rdma-bind", "")),
    In(kAnyValkey, Fixed("rdma-completion-vector", "-1", kImmutableParameter)),
    In(kAnyValkey, Fixed("rdma-port", "0")),
    In(kAnyValkey, Fixed("rdma-rx-size", "1048576", kImmutableParameter)),
    Memory("repl-backlog-size", "1048576", 1, &Config::repl_backlog_size),
    Number("repl-backlog-ttl", "3600", 0, kMaxLong, &Config::repl_backlog_ttl),
    Flag("repl-disable-tcp-nodelay", "no"),
    In(kAnyRedis, Choice("repl-diskless-load", "disabled", "disabled, on-empty-db, swapdb")),
    In(kAnyValkey, Choice("repl-diskless-load", "disabled",
                          "disabled, on-empty-db, swapdb, flush-before-load")),
    Flag("repl-diskless-sync", "yes", &Config::repl_diskless_sync),
    Number("repl-diskless-sync-delay", "5", 0, kMaxInt, &Config::repl_diskless_sync_delay),
    Number("repl-diskless-sync-max-replicas", "0", 0, kMaxInt),
    In(kValkeyFrom90, Fixed("repl-mptcp", "no", kImmutableParameter)),
    Number("repl-ping-replica-period", "10", 1, kMaxInt, &Config::repl_ping_replica_period),
    Number("repl-timeout", "60", 1, kMaxInt, &Config::repl_timeout),
    Fixed("replica-announce-ip", ""),
    Number("replica-announce-port", "0", 0, 65535),
    Flag("replica-announced", "yes", &Config::replica_announced),
    In(kNewerRedis, Fixed("replica-full-sync-buffer-limit", "0")),
    Flag("replica-ignore-disk-write-errors", "no"),
    Flag("replica-ignore-maxmemory", "yes", &Config::replica_ignore_maxmemory),
    In(kAnyRedis, Flag("replica-lazy-flush", "no")),
    In(kAnyValkey, Flag("replica-lazy-flush", "yes")),
    Number("replica-priority", "100", 0, kMaxInt, &Config::replica_priority),
    Flag("replica-read-only", "yes", &Config::replica_read_only),
    Flag("replica-serve-stale-data", "yes", &Config::replica_serve_stale_data),
    Text("replicaof", "", &Config::replicaof, kImmutableParameter),
    Text("requirepass", "", &Config::requirepass),
    In(kAllDialects & ~kValkeyFrom90, Choice("sanitize-dump-payload", "no", "no, yes, clients")),
    {"save", "3600 1 300 100 60 10000", Kind::kSave},
    In(kAllButRedis70, Fixed("server-cpulist", "", kImmutableParameter)),
    Fixed("server_cpulist", "", kImmutableParameter),
    Number("set-max-intset-entries", "512", 0, kMaxLong, &Config::set_max_intset_entries),
    In(kAllButRedis70,
       Number("set-max-listpack-entries", "128", 0, kMaxLong, &Config::set_max_listpack_entries)),
    In(kAllButRedis70,
       Number("set-max-listpack-value", "64", 0, kMaxLong, &Config::set_max_listpack_value)),
    Fixed("set-proc-title", "yes", kImmutableParameter),
    Choices("shutdown-on-sigint", "default", "default, save, nosave, now, force"),
    Choices("shutdown-on-sigterm", "default", "default, save, nosave, now, force"),
    Number("shutdown-timeout", "10", 0, kMaxInt, &Config::shutdown_timeout),
    In(kValkeyFrom90, Fixed("slot-migration-max-failover-repl-bytes", "0")),
    Number("slowlog-log-slower-than", "10000", -1, kMaxLong, &Config::slowlog_log_slower_than),
    Number("slowlog-max-len", "128", 0, kMaxLong, &Config::slowlog_max_len),
    Fixed("socket-mark-id", "0", kImmutableParameter),
    Flag("stop-writes-on-bgsave-error", "yes", &Config::stop_writes_on_bgsave_error),
    Memory("stream-node-max-bytes", "4096", 0),
    Number("stream-node-max-entries", "100", 0, kMaxLong),
    Fixed("supervised", "no", kImmutableParameter),
    Fixed("syslog-enabled", "no", kImmutableParameter),
    Fixed("syslog-facility", "local0", kImmutableParameter),
    In(kAnyRedis, Fixed("syslog-ident", "redis", kImmutableParameter)),
    In(kAnyValkey, Fixed("syslog-ident", "valkey", kImmutableParameter)),
    Fixed("tcp-backlog", "511", kImmutableParameter),
    Number("tcp-keepalive", "300", 0, kMaxInt, &Config::tcp_keepalive),
    Number("timeout", "0", 0, kMaxInt, &Config::timeout),
    Fixed("tls-auth-clients", "yes"),
    In(kValkeyFrom90, Fixed("tls-auth-clients-user", "off")),
    In(kValkeyFrom90, Fixed("tls-auto-reload-interval", "0")),
    Fixed("tls-ca-cert-dir", ""),
    Fixed("tls-ca-cert-file", ""),
    Fixed("tls-cert-file", ""),
    Fixed("tls-ciphers", ""),
    Fixed("tls-ciphersuites", ""),
    Fixed("tls-client-cert-file", ""),
    Fixed("tls-client-key-file", ""),
    Fixed("tls-client-key-file-pass", ""),
    Fixed("tls-cluster", "no"),
    Fixed("tls-dh-params-file", ""),
    Fixed("tls-key-file", ""),
    Fixed("tls-key-file-pass", ""),
    Fixed("tls-port", "0"),
    Fixed("tls-prefer-server-ciphers", "no"),
    Fixed("tls-protocols", ""),
    Fixed("tls-replication", "no"),
    Fixed("tls-session-cache-size", "20480"),
    Fixed("tls-session-cache-timeout", "300"),
    Fixed("tls-session-caching", "yes"),
    Number("tracking-table-max-keys", "1000000", 0, kMaxLong, &Config::tracking_table_max_keys),
    Fixed("unixsocket", "", kImmutableParameter),
    In(kAnyValkey, Fixed("unixsocketgroup", "", kImmutableParameter)),
    Fixed("unixsocketperm", "0", kImmutableParameter),
    Hidden(Flag("use-exit-on-panic", "no")),
    Hidden(Number("watchdog-period", "0", 0, kMaxInt)),
    Number("zset-max-listpack-entries", "128", 0, kMaxLong, &Config::zset_max_listpack_entries),
    Memory("zset-max-listpack-value", "64", 0, &Config::zset_max_listpack_value),
};

constexpr ParameterAlias kAliases[] = {
    {"cluster-slave-no-failover", "cluster-replica-no-failover"},
    {"cluster-slave-validity-factor", "cluster-replica-validity-factor"},
    {"hash-max-ziplist-entries", "hash-max-listpack-entries"},
    {"hash-max-ziplist-value", "hash-max-listpack-value"},
    {"list-max-ziplist-size", "list-max-listpack-size"},
    {"lua-time-limit", "busy-reply-threshold"},
    {"min-slaves-max-lag", "min-replicas-max-lag"},
    {"min-slaves-to-write", "min-replicas-to-write"},
    {"repl-ping-slave-period", "repl-ping-replica-period"},
    {"slave-announce-ip", "replica-announce-ip"},
    {"slave-announce-port", "replica-announce-port"},
    {"slave-ignore-maxmemory", "replica-ignore-maxmemory"},
    {"slave-lazy-flush", "replica-lazy-flush"},
    {"slave-priority", "replica-priority"},
    {"slave-read-only", "replica-read-only"},
    {"slave-serve-stale-data", "replica-serve-stale-data"},
    {"slaveof", "replicaof"},
    {"zset-max-ziplist-entries", "zset-max-listpack-entries"},
    {"zset-max-ziplist-value", "zset-max-listpack-value"},
};

}  // namespace

std::span<const Parameter> Parameters() { return kParameters; }
std::span<const ParameterAlias> ParameterAliases() { return kAliases; }

}  // namespace interlock::sim::redis
