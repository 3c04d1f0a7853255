// SPDX-License-Identifier: MIT
//
// The sections of INFO: the names and order of a real server. What does not exist here (processes,
// allocators, sockets) has an idle server's values.
#include <algorithm>
#include <bit>
#include <map>

#include "sim/redis/commands/info_section.h"
#include "sim/redis/engine.h"

namespace interlock::sim::redis {

namespace {

std::int64_t Uptime(const Engine& engine) {
  return std::max<std::int64_t>(0, (engine.now_us - engine.start_us()) / 1000000);
}

std::string ServerSection(Engine& engine) {
  constexpr std::int64_t kSecondsPerDay = 86400;
  constexpr std::int64_t kLruBits = (1 << 24) - 1;
  const Config& config = engine.config();
  const Dialect& dialect = engine.dialect();
  InfoSection section(engine.dialect());
  section.Add("redis_version", dialect.version);
  if (dialect.valkey) {
    section.Add("server_name", "valkey")
        .Add("valkey_version", dialect.valkey_version)
        .Add("valkey_release_stage", "ga");
  }
  section.AddAll({"redis_git_sha1"}, "00000000")
      .Add("redis_git_dirty", "0")
      .Add("redis_build_id", "ae4d7c971a948f0")
      .Add(dialect.valkey ? "server_mode" : "redis_mode",
           config.cluster_enabled != 0 ? "cluster" : "standalone")
      .Add("os", "Linux x86_64")
      .Add("arch_bits", "64")
      .Add("monotonic_clock", "POSIX clock_gettime")
      .Add("multiplexing_api", "epoll");
  if (!dialect.valkey) section.Add("atomicvar_api", "c11-builtin");
  section.Add("gcc_version", "12.2.0")
      .Add("process_id", "1")
      .Add("process_supervised", "no")
      .Add("run_id", engine.replication.run_id())
      .Add("tcp_port", config.port)
      .Add("server_time_usec", engine.now_us)
      .Add("uptime_in_seconds", Uptime(engine))
      .Add("uptime_in_days", Uptime(engine) / kSecondsPerDay)
      .Add("hz", config.hz)
      .Add("configured_hz", config.hz);
  if (dialect.valkey) section.Add("clients_hz", config.hz);
  section.Add("lru_clock", engine.now_us / 1000000 & kLruBits)
      .Add("executable", dialect.valkey ? "/usr/bin/valkey-server" : "/usr/bin/redis-server")
      .Add("config_file", "")
      .Add("io_threads_active", "0");
  section.In(kAnyValkey)
      .Add("availability_zone", "")
      .In(kAllButRedis70)
      .Add("listener0", "name=tcp,bind=*,bind=-::*,port=" + std::to_string(config.port));
  return section.Take();
}

std::string TlsSection(Engine& engine) {
  InfoSection section(engine.dialect());
  for (const char* part : {"tls_server_cert", "tls_client_cert", "tls_ca_cert"}) {
    section.Add(std::string(part) + "_serial", "none")
        .Add(std::string(part) + "_expires_in_seconds", "0");
  }
  return section.Take();
}

std::string ClientsSection(Engine& engine) {
  std::int64_t blocked = 0;
  std::int64_t timed = 0;
  std::int64_t subscribed = 0;
  for (const auto& client : engine.clients.all()) {
    if (client == nullptr) continue;
    if (client->wait || client->postponed) ++blocked;
    if (client->wait && client->wait->deadline_ms != 0) ++timed;
    if (client->subscribed()) ++subscribed;
  }
  const WatchedKeys::Counts watched = engine.keyspace.watched().CountAll();
  InfoSection section(engine.dialect());
  section.Add("connected_clients", engine.clients.connected())
      .Add("cluster_connections", "0")
      .Add("maxclients", engine.config().maxclients)
      .Add("client_recent_max_input_buffer", "20480")
      .Add("client_recent_max_output_buffer", "0")
      .Add("blocked_clients", blocked)
      .Add("tracking_clients", engine.tracking.clients())
      .In(kAllButRedis70)
      .Add("pubsub_clients", subscribed)
      .Add("watching_clients", watched.clients)
      .InAll()
      .Add("clients_in_timeout_table", timed)
      .In(kAllButRedis70)
      .Add("total_watched_keys", watched.keys)
      .Add("total_blocking_keys", engine.blocking.keys())
      .Add("total_blocking_keys_on_nokey", "0");
  section.In(kAnyValkey)
      .Add("paused_reason", engine.pause.reason())
      .Add("paused_actions", engine.pause.ScopeName())
      .Add("paused_timeout_milliseconds", engine.pause.RemainingMs());
  return section.Take();
}

std::string PersistenceSection(Engine& engine) {
  const Persistence& persistence = engine.persistence;
  const Persistence::Progress progress = persistence.progress();
  const DiskFailure failure = persistence.disk_failure();
  InfoSection section(engine.dialect());
  section.Add("loading", persistence.loading() ? "1" : "0")
      .AddAll({"async_loading", "current_cow_peak", "current_cow_size", "current_cow_size_age"},
              "0")
      .Add("current_fork_perc", "0.00")
      .AddAll({"current_save_keys_processed", "current_save_keys_total"}, "0")
      .Add("rdb_changes_since_last_save", std::size_t{progress.changes})
      .Add("rdb_bgsave_in_progress", std::int64_t{progress.saving})
      .Add("rdb_last_save_time", persistence.last_save_s())
      .Add("rdb_last_bgsave_status", failure == DiskFailure::kSave ? "err" : "ok")
      .AddAll({"rdb_last_bgsave_time_sec", "rdb_current_bgsave_time_sec"}, "-1")
      .Add("rdb_saves", engine.statistics.saves)
      .AddAll({"rdb_last_cow_size", "rdb_last_load_keys_expired", "rdb_last_load_keys_loaded"}, "0")
      .Add("aof_enabled", engine.config().appendonly)
      .Add("aof_rewrite_in_progress", std::int64_t{progress.rewriting})
      .Add("aof_rewrite_scheduled", std::int64_t{progress.rewrite_scheduled})
      .AddAll({"aof_last_rewrite_time_sec", "aof_current_rewrite_time_sec"}, "-1")
      .Add("aof_last_bgrewrite_status", "ok")
      .Add("aof_rewrites", engine.statistics.rewrites)
      .Add("aof_rewrites_consecutive_failures", "0")
      .Add("aof_last_write_status", failure == DiskFailure::kAppend ? "err" : "ok")
      .AddAll({"aof_last_cow_size", "module_fork_in_progress", "module_fork_last_cow_size"}, "0")
      .In(kValkeyFrom90)
      .Add("slot_migration_fork_in_progress", "0");
  return section.Take();
}

std::string ThreadsSection(Engine& engine) {
  InfoSection section(engine.dialect());
  section.Add("io_thread_0",
              "clients=" + std::to_string(engine.clients.connected()) + ",reads=0,writes=0");
  return section.Take();
}

std::string CpuSection(Engine& engine) {
  InfoSection section(engine.dialect());
  section.AddAll(
      {"used_cpu_sys", "used_cpu_user", "used_cpu_sys_children", "used_cpu_user_children",
       "used_cpu_sys_main_thread", "used_cpu_user_main_thread"},
      "0.000000");
  section.In(kValkeyFrom90).Add("used_active_time_main_thread", "0.000000");
  return section.Take();
}

std::string CommandSection(Engine& engine) {
  InfoSection section(engine.dialect());
  for (const Command& command : KnownCommands(engine.dialect())) {
    const CommandCounts& counts = engine.statistics.Of(command);
    if (counts.calls == 0 && counts.rejected == 0 && counts.failed == 0) continue;
    section.Add("cmdstat_" + std::string(command.name),
                "calls=" + std::to_string(counts.calls) +
                    ",usec=0,usec_per_call=0.00,rejected_calls=" + std::to_string(counts.rejected) +
                    ",failed_calls=" + std::to_string(counts.failed));
  }
  return section.Take();
}

// Commands take no time here; in Redis, one that took none counts as the least measurable time.
std::string LatencySection(Engine& engine) {
  if (engine.config().latency_tracking == 0) return {};
  InfoSection section(engine.dialect());
  for (const Command& command : KnownCommands(engine.dialect())) {
    if (!engine.statistics.Of(command).timed) continue;
    section.Add("latency_percentiles_usec_" + std::string(command.name),
                "p50=0.001,p99=0.001,p99.9=0.001");
  }
  return section.Take();
}

std::string ErrorSection(Engine& engine) {
  InfoSection section(engine.dialect());
  for (const auto& [word, count] : engine.statistics.errors.counts()) {
    std::string name = "errorstat_" + word;
    const auto breaks_line = [](char c) { return c == '#' || c == ':' || c == '\n' || c == '\r'; };
    std::replace_if(name.begin(), name.end(), breaks_line, '_');
    section.Add(name, "count=" + std::to_string(count));
  }
  return section.Take();
}

std::string ClusterSection(Engine& engine) {
  InfoSection section(engine.dialect());
  section.Add("cluster_enabled", engine.config().cluster_enabled);
  return section.Take();
}

std::string KeyspaceSection(Engine& engine) {
  InfoSection section(engine.dialect());
  for (int database = 0; database < kDatabases; ++database) {
    const Database& keys = engine.keyspace.keys(database);
    if (keys.empty()) continue;
    std::size_t expiring = 0;
    std::size_t timed = 0;
    for (const auto& [key, entry] : keys) {
      const auto* hash = std::get_if<Hash>(&entry.data);
      expiring += entry.expires_at_ms == kNoExpiry ? 0 : 1;
      timed += hash != nullptr && hash->timed() ? 1 : 0;
    }
    std::string of_fields;
    if (engine.dialect().IsIn(kFieldTtls)) {
      of_fields = engine.dialect().valkey ? ",keys_with_volatile_items=" : ",subexpiry=";
      of_fields += std::to_string(timed);
    }
    section.Add("db" + std::to_string(database), "keys=" + std::to_string(keys.size()) +
                                                     ",expires=" + std::to_string(expiring) +
                                                     ",avg_ttl=0" + of_fields);
  }
  return section.Take();
}

std::string ModulesSection(Engine& engine) {
  const Dialect& dialect = engine.dialect();
  if (dialect.module_name.empty()) return {};
  InfoSection section(dialect);
  section.Add("module", "name=" + std::string(dialect.module_name) +
                            ",ver=1,api=1,filters=0,usedby=[],using=[],options=[" +
                            std::string(dialect.module_options) + "]");
  return section.Take();
}

std::string EnginesSection(Engine& engine) {
  InfoSection section(engine.dialect());
  section.Add("engines_count", "1")
      .Add("engines_total_used_memory", "69632")
      .Add("engines_total_memory_overhead", "64")
      .Add("engine_0", "name=LUA,module=lua,abi_version=4,used_memory=69632,memory_overhead=64");
  return section.Take();
}

// The power of two below a length: "0", "1", "2", "4", ... "512", "1K" ...
std::string SizeClass(int exponent) {
  constexpr int kPerUnit = 10;
  constexpr std::string_view kUnits[] = {"", "K", "M", "G", "T", "P", "E"};
  if (exponent < 0) return "0";
  return std::to_string(1 << (exponent % kPerUnit)).append(kUnits[exponent / kPerUnit]);
}

std::string KeySizesSection(Engine& engine) {
  struct Row {
    std::size_t type;  // An index in Data.
    std::string_view name;
  };
  constexpr Row kTypes[] = {{0, "strings_sizes"},
                            {1, "lists_items"},
                            {3, "sets_items"},
                            {4, "zsets_items"},
                            {2, "hashes_items"}};
  InfoSection section(engine.dialect());
  for (int database = 0; database < kDatabases; ++database) {
    std::map<int, std::size_t> counts[std::variant_size_v<Data>];
    for (const auto& [key, entry] : engine.keyspace.keys(database)) {
      const std::size_t size =
          std::visit([](const auto& value) { return value.size(); }, entry.data);
      ++counts[entry.data.index()][static_cast<int>(std::bit_width(size)) - 1];
    }
    for (const Row& row : kTypes) {
      std::string text;
      for (const auto& [exponent, count] : counts[row.type]) {
        if (!text.empty()) text += ",";
        text += SizeClass(exponent) + "=" + std::to_string(count);
      }
      const std::string name = "db" + std::to_string(database) + "_distrib_";
      if (!text.empty()) section.Add(name + std::string(row.name), text);
    }
  }
  return section.Take();
}

std::string Nothing(Engine&) { return {}; }

constexpr InfoSectionRow kSections[] = {
    {"server", "Server", &ServerSection},
    {"tls", "TLS", &TlsSection, false, kValkeyFrom90},
    {"clients", "Clients", &ClientsSection},
    {"memory", "Memory", &MemorySection},
    {"persistence", "Persistence", &PersistenceSection},
    {"threads", "Threads", &ThreadsSection, true, kNewerRedis},
    {"stats", "Stats", &StatsSection},
    {"replication", "Replication", [](Engine& engine) { return engine.replication.Info(); }},
    {"cpu", "CPU", &CpuSection},
    {"modules", "Modules", &ModulesSection},
    {"commandstats", "Commandstats", &CommandSection, false},
    {"errorstats", "Errorstats", &ErrorSection},
    {"latencystats", "Latencystats", &LatencySection, false},
    {"cluster", "Cluster", &ClusterSection},
    {"cluster_info", "Cluster Info", &Nothing, false, kValkeyFrom90},
    {"scriptingengines", "Scripting Engines", &EnginesSection, false, kValkeyFrom90},
    {"keyspace", "Keyspace", &KeyspaceSection},
    {"keysizes", "Keysizes", &KeySizesSection, true, kNewerRedis},
};

}  // namespace

std::span<const InfoSectionRow> InfoSections() { return kSections; }

}  // namespace interlock::sim::redis
