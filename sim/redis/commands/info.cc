// SPDX-License-Identifier: MIT
//
// INFO: the sections, names and order of a real server. What does not exist here (processes,
// allocators, sockets) has an idle server's values.
#include <algorithm>
#include <array>
#include <cinttypes>
#include <cstdio>
#include <set>

#include "sim/redis/engine.h"
#include "sim/redis/text.h"

namespace interlock::sim::redis {

namespace {

class Section {
 public:
  Section& Add(std::string_view name, std::string_view value) {
    text_.append(name).append(":").append(value).append("\r\n");
    return *this;
  }
  Section& Add(std::string_view name, std::int64_t value) {
    return Add(name, std::to_string(value));
  }
  Section& Add(std::string_view name, std::size_t value) {
    return Add(name, std::to_string(value));
  }
  /// One value for many names.
  Section& AddAll(std::initializer_list<std::string_view> names, std::string_view value) {
    for (const std::string_view name : names) Add(name, value);
    return *this;
  }
  std::string Take() { return std::move(text_); }

 private:
  std::string text_;
};

// "1.02M", as Redis abbreviates it.
std::string HumanSize(std::uint64_t bytes) {
  std::array<char, 32> text{};
  constexpr double kStep = 1024;
  auto size = static_cast<double>(bytes);
  if (bytes < 1024) return std::to_string(bytes) + "B";
  const char* units = "KMGT";
  for (size /= kStep; size >= kStep && units[1] != '\0'; ++units) size /= kStep;
  std::snprintf(text.data(), text.size(), "%.2f%c", size, *units);
  return text.data();
}

std::int64_t Uptime(const Engine& engine) {
  return std::max<std::int64_t>(0, (engine.now_us - engine.start_us()) / 1000000);
}

std::string ServerSection(Engine& engine) {
  constexpr std::int64_t kSecondsPerDay = 86400;
  constexpr std::int64_t kLruBits = (1 << 24) - 1;
  const Config& config = engine.config();
  const Dialect& dialect = engine.dialect();
  Section section;
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
  if (dialect.valkey) section.Add("availability_zone", "");
  return section.Take();
}

std::string ClientsSection(Engine& engine) {
  std::int64_t blocked = 0;
  std::int64_t timed = 0;
  for (const auto& client : engine.clients.all()) {
    if (client == nullptr) continue;
    if (client->wait || client->postponed) ++blocked;
    if (client->wait && client->wait->deadline_ms != 0) ++timed;
  }
  Section section;
  section.Add("connected_clients", engine.clients.connected())
      .Add("cluster_connections", "0")
      .Add("maxclients", engine.config().maxclients)
      .Add("client_recent_max_input_buffer", "20480")
      .Add("client_recent_max_output_buffer", "0")
      .Add("blocked_clients", blocked)
      .Add("tracking_clients", engine.tracking.clients())
      .Add("clients_in_timeout_table", timed);
  return section.Take();
}

std::string MemorySection(Engine& engine) {
  const std::size_t used = engine.memory.used();
  const auto limit = static_cast<std::uint64_t>(engine.config().maxmemory);
  const std::string policy = FormatParameter(engine.config(), *FindParameter("maxmemory-policy"));
  Section section;
  section.Add("used_memory", used)
      .Add("used_memory_human", HumanSize(used))
      .Add("used_memory_rss", used)
      .Add("used_memory_rss_human", HumanSize(used))
      .Add("used_memory_peak", used)
      .Add("used_memory_peak_human", HumanSize(used))
      .Add("used_memory_peak_perc", "100.00%")
      .Add("used_memory_overhead", Memory::kServerSize)
      .Add("used_memory_startup", Memory::kServerSize)
      .Add("used_memory_dataset", engine.keyspace.used_memory())
      .Add("used_memory_dataset_perc", "0.00%")
      .AddAll({"allocator_allocated", "allocator_active", "allocator_resident"},
              std::to_string(used))
      .AddAll({"total_system_memory"}, "0")
      .AddAll({"total_system_memory_human"}, "0B")
      .AddAll({"used_memory_lua", "used_memory_vm_eval"}, "32768")
      .Add("used_memory_lua_human", "32.00K")
      .AddAll({"used_memory_scripts_eval"}, "0")
      .Add("number_of_cached_scripts", engine.scripting.count())
      .Add("number_of_functions", engine.libraries.function_count())
      .Add("number_of_libraries", engine.libraries.all().size())
      .Add("used_memory_vm_functions", "0")
      .Add("used_memory_vm_total", "32768")
      .Add("used_memory_vm_total_human", "32.00K")
      .AddAll({"used_memory_functions", "used_memory_scripts"}, "0")
      .Add("used_memory_scripts_human", "0B")
      .Add("maxmemory", std::to_string(limit))
      .Add("maxmemory_human", HumanSize(limit))
      .Add("maxmemory_policy", policy)
      .Add("allocator_frag_ratio", "1.00")
      .Add("allocator_frag_bytes", "0")
      .Add("allocator_rss_ratio", "1.00")
      .Add("allocator_rss_bytes", "0")
      .Add("rss_overhead_ratio", "1.00")
      .Add("rss_overhead_bytes", "0")
      .Add("mem_fragmentation_ratio", "1.00")
      .AddAll({"mem_fragmentation_bytes", "mem_not_counted_for_evict", "mem_replication_backlog",
               "mem_total_replication_buffers", "mem_clients_slaves"},
              "0")
      .Add("mem_clients_normal", used - Memory::kServerSize - engine.keyspace.used_memory())
      .AddAll({"mem_cluster_links", "mem_aof_buffer"}, "0")
      .Add("mem_allocator", "jemalloc-5.3.0")
      .AddAll({"active_defrag_running", "lazyfree_pending_objects", "lazyfreed_objects"}, "0");
  return section.Take();
}

std::string StatsSection(Engine& engine) {
  const Statistics& statistics = engine.statistics;
  Section section;
  section.Add("total_connections_received", statistics.connections)
      .Add("total_commands_processed", statistics.commands)
      .AddAll({"instantaneous_ops_per_sec", "total_net_input_bytes", "total_net_output_bytes",
               "total_net_repl_input_bytes", "total_net_repl_output_bytes"},
              "0")
      .AddAll({"instantaneous_input_kbps", "instantaneous_output_kbps",
               "instantaneous_input_repl_kbps", "instantaneous_output_repl_kbps"},
              "0.00")
      .AddAll({"rejected_connections", "sync_full", "sync_partial_ok", "sync_partial_err"}, "0")
      .Add("expired_keys", statistics.expired_keys)
      .Add("expired_stale_perc", "0.00")
      .AddAll({"expired_time_cap_reached_count", "expire_cycle_cpu_milliseconds"}, "0")
      .Add("evicted_keys", statistics.evicted_keys)
      .AddAll({"evicted_clients", "total_eviction_exceeded_time", "current_eviction_exceeded_time"},
              "0")
      .Add("keyspace_hits", statistics.keyspace_hits)
      .Add("keyspace_misses", statistics.keyspace_misses)
      .Add("pubsub_channels", engine.pubsub.channel_count())
      .Add("pubsub_patterns", engine.pubsub.pattern_count())
      .Add("pubsubshard_channels", "0")
      .AddAll({"latest_fork_usec", "total_forks", "migrate_cached_sockets",
               "slave_expires_tracked_keys", "active_defrag_hits", "active_defrag_misses",
               "active_defrag_key_hits", "active_defrag_key_misses", "total_active_defrag_time",
               "current_active_defrag_time"},
              "0")
      .Add("tracking_total_keys", engine.tracking.keys())
      .Add("tracking_total_items", engine.tracking.items())
      .Add("tracking_total_prefixes", engine.tracking.prefixes())
      .Add("unexpected_error_replies", "0")
      .Add("total_error_replies", statistics.error_replies)
      .AddAll({"dump_payload_sanitizations", "total_reads_processed", "total_writes_processed",
               "io_threaded_reads_processed", "io_threaded_writes_processed",
               "reply_buffer_shrinks", "reply_buffer_expands"},
              "0");
  return section.Take();
}

std::string PersistenceSection(Engine& engine) {
  const Persistence& persistence = engine.persistence;
  const Persistence::Progress progress = persistence.progress();
  Section section;
  section.Add("loading", persistence.loading() ? "1" : "0")
      .AddAll({"async_loading", "current_cow_peak", "current_cow_size", "current_cow_size_age"},
              "0")
      .Add("current_fork_perc", "0.00")
      .AddAll({"current_save_keys_processed", "current_save_keys_total"}, "0")
      .Add("rdb_changes_since_last_save", std::size_t{progress.changes})
      .Add("rdb_bgsave_in_progress", std::int64_t{progress.saving})
      .Add("rdb_last_save_time", persistence.last_save_s())
      .Add("rdb_last_bgsave_status", persistence.DiskError().empty() ? "ok" : "err")
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
      .Add("aof_last_write_status", persistence.DiskError().empty() ? "ok" : "err")
      .AddAll({"aof_last_cow_size", "module_fork_in_progress", "module_fork_last_cow_size"}, "0");
  return section.Take();
}

std::string CpuSection(Engine&) {
  Section section;
  section.AddAll(
      {"used_cpu_sys", "used_cpu_user", "used_cpu_sys_children", "used_cpu_user_children",
       "used_cpu_sys_main_thread", "used_cpu_user_main_thread"},
      "0.000000");
  return section.Take();
}

std::string CommandSection(Engine& engine) {
  Section section;
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
  Section section;
  for (const Command& command : KnownCommands(engine.dialect())) {
    if (!engine.statistics.Of(command).timed) continue;
    section.Add("latency_percentiles_usec_" + std::string(command.name),
                "p50=0.001,p99=0.001,p99.9=0.001");
  }
  return section.Take();
}

std::string ErrorSection(Engine& engine) {
  Section section;
  for (const auto& [code, count] : engine.statistics.errors) {
    section.Add("errorstat_" + code, "count=" + std::to_string(count));
  }
  return section.Take();
}

std::string ClusterSection(Engine& engine) {
  Section section;
  section.Add("cluster_enabled", engine.config().cluster_enabled);
  return section.Take();
}

std::string KeyspaceSection(Engine& engine) {
  Section section;
  for (int database = 0; database < kDatabases; ++database) {
    const Database& keys = engine.keyspace.keys(database);
    if (keys.empty()) continue;
    std::size_t expiring = 0;
    for (const auto& [key, entry] : keys) expiring += entry.expires_at_ms == kNoExpiry ? 0 : 1;
    section.Add("db" + std::to_string(database), "keys=" + std::to_string(keys.size()) +
                                                     ",expires=" + std::to_string(expiring) +
                                                     ",avg_ttl=0");
  }
  return section.Take();
}

std::string Nothing(Engine&) { return {}; }

struct SectionRow {
  std::string_view name;
  std::string_view title;
  std::string (*print)(Engine&);
  bool by_default = true;
};

constexpr SectionRow kSections[] = {
    {"server", "Server", &ServerSection},
    {"clients", "Clients", &ClientsSection},
    {"memory", "Memory", &MemorySection},
    {"persistence", "Persistence", &PersistenceSection},
    {"stats", "Stats", &StatsSection},
    {"replication", "Replication", [](Engine& engine) { return engine.replication.Info(); }},
    {"cpu", "CPU", &CpuSection},
    {"modules", "Modules", &Nothing},
    {"commandstats", "Commandstats", &CommandSection, false},
    {"errorstats", "Errorstats", &ErrorSection},
    {"latencystats", "Latencystats", &LatencySection, false},
    {"cluster", "Cluster", &ClusterSection},
    {"keyspace", "Keyspace", &KeyspaceSection},
};

void InfoCommand(Context& c) {
  std::set<std::string> wanted;
  for (const std::string_view word : c.args.subspan(1)) wanted.insert(ToLower(word));
  const bool everything = wanted.count("all") != 0 || wanted.count("everything") != 0;
  const bool defaults = wanted.empty() || wanted.count("default") != 0;
  std::string text;
  for (const SectionRow& section : kSections) {
    const bool printed = everything || (defaults && section.by_default) ||
                         wanted.count(std::string(section.name)) != 0;
    if (!printed) continue;
    if (!text.empty()) text += "\r\n";
    text.append("# ").append(section.title).append("\r\n").append(section.print(c.engine));
  }
  c.Verbatim(text);
}

// By the same estimate as the memory limit.
void MemoryUsage(Context& c) {
  if (c.args.size() == 5 && EqualsIgnoreCase(c.args[3], "samples")) {
    std::int64_t samples = 0;
    if (!c.ParseInt(c.args[4], &samples)) return;
    if (samples < 0) return c.Error(kSyntax);
  } else if (c.args.size() != 3) {
    return c.Error(kSyntax);
  }
  const Entry* entry = c.keyspace().Peek(c.database(), c.args[2]);
  if (entry != nullptr) c.Integer(EstimateSize(c.args[2], *entry));
}

void ResetStatistics(Context& c) {
  c.engine.statistics.Reset();
  c.Ok();
}

constexpr HandlerRow kInfoCommands[] = {
    {"info", &InfoCommand},
    {"memory|usage", &MemoryUsage},
    {"config|resetstat", &ResetStatistics},
};

}  // namespace

std::span<const HandlerRow> InfoCommands() { return kInfoCommands; }

}  // namespace interlock::sim::redis
