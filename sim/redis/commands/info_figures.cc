// SPDX-License-Identifier: MIT
//
// The sections of INFO that are mostly numbers: memory and counters.
#include <array>
#include <cstdio>

#include "sim/redis/commands/info_section.h"
#include "sim/redis/engine.h"

namespace interlock::sim::redis {

namespace {

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

void AddNewerCounters(InfoSection& section) {
  section.In(kAllButRedis70)
      .AddAll({"eventloop_cycles", "eventloop_duration_sum", "eventloop_duration_cmd_sum",
               "instantaneous_eventloop_cycles_per_sec", "instantaneous_eventloop_duration_usec",
               "acl_access_denied_auth", "acl_access_denied_cmd", "acl_access_denied_key",
               "acl_access_denied_channel"},
              "0")
      .In(kValkeyFrom90)
      .AddAll({"acl_access_denied_tls_cert", "acl_access_denied_db"}, "0");
}

}  // namespace

std::string MemorySection(Engine& engine) {
  const std::size_t used = engine.memory.used();
  const auto limit = static_cast<std::uint64_t>(engine.config().maxmemory);
  const std::string policy =
      FormatParameter(engine.config(), *FindParameter(engine.dialect(), "maxmemory-policy"));
  InfoSection section(engine.dialect());
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
      .In(kAllButRedis70)
      .Add("allocator_muzzy", "0")
      .InAll()
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
               "mem_total_replication_buffers"},
              "0")
      .In(kNewerRedis)
      .Add("mem_replica_full_sync_buffer", "0")
      .In(kValkeyFrom90)
      .Add("mem_replicas_repl_buffer", "0")
      .InAll()
      .Add("mem_clients_slaves", "0")
      .Add("mem_clients_normal", used - Memory::kServerSize - engine.keyspace.used_memory())
      .Add("mem_cluster_links", "0")
      .In(kValkeyFrom90)
      .AddAll({"mem_cluster_slot_import", "mem_cluster_slot_export"}, "0")
      .InAll()
      .Add("mem_aof_buffer", "0")
      .Add("mem_allocator", "jemalloc-5.3.0")
      .In(kAllButRedis70)
      .Add("mem_overhead_db_hashtable_rehashing", "0")
      .InAll()
      .AddAll({"active_defrag_running", "lazyfree_pending_objects", "lazyfreed_objects"}, "0");
  return section.Take();
}

std::string StatsSection(Engine& engine) {
  const Statistics& statistics = engine.statistics;
  InfoSection section(engine.dialect());
  section.Add("total_connections_received", statistics.connections)
      .Add("total_commands_processed", statistics.commands)
      .AddAll({"instantaneous_ops_per_sec", "total_net_input_bytes", "total_net_output_bytes",
               "total_net_repl_input_bytes", "total_net_repl_output_bytes"},
              "0")
      .In(kValkeyFrom90)
      .AddAll({"total_net_cluster_slot_import_bytes", "total_net_cluster_slot_export_bytes"}, "0")
      .InAll()
      .AddAll({"instantaneous_input_kbps", "instantaneous_output_kbps",
               "instantaneous_input_repl_kbps", "instantaneous_output_repl_kbps"},
              "0.00")
      .AddAll({"rejected_connections", "sync_full", "sync_partial_ok", "sync_partial_err"}, "0")
      .In(kNewerRedis)
      .Add("expired_subkeys", statistics.expired_fields)
      .InAll()
      .Add("expired_keys", statistics.expired_keys)
      .In(kValkeyFrom90)
      .Add("expired_fields", statistics.expired_fields)
      .InAll()
      .Add("expired_stale_perc", "0.00")
      .In(kValkeyFrom90)
      .Add("expired_keys_with_volatile_items_stale_perc", "0.00")
      .InAll()
      .AddAll({"expired_time_cap_reached_count", "expire_cycle_cpu_milliseconds"}, "0")
      .Add("evicted_keys", statistics.evicted_keys)
      .Add("evicted_clients", "0")
      .In(kAllButRedis70)
      .Add("evicted_scripts", "0")
      .InAll()
      .AddAll({"total_eviction_exceeded_time", "current_eviction_exceeded_time"}, "0")
      .Add("keyspace_hits", statistics.keyspace_hits)
      .Add("keyspace_misses", statistics.keyspace_misses)
      .Add("pubsub_channels", engine.pubsub.channel_count())
      .Add("pubsub_patterns", engine.pubsub.pattern_count())
      .Add("pubsubshard_channels", engine.pubsub.subscribers(Subscription::kShardChannel).size())
      .Add("latest_fork_usec", "0")
      .Add("total_forks", statistics.forks)
      .AddAll({"migrate_cached_sockets", "slave_expires_tracked_keys", "active_defrag_hits",
               "active_defrag_misses", "active_defrag_key_hits", "active_defrag_key_misses",
               "total_active_defrag_time", "current_active_defrag_time"},
              "0")
      .Add("tracking_total_keys", engine.tracking.keys())
      .Add("tracking_total_items", engine.tracking.items())
      .Add("tracking_total_prefixes", engine.tracking.prefixes())
      .Add("unexpected_error_replies", "0")
      .Add("total_error_replies", statistics.error_replies)
      .AddAll({"dump_payload_sanitizations", "total_reads_processed", "total_writes_processed",
               "io_threaded_reads_processed", "io_threaded_writes_processed"},
              "0")
      .In(kAnyValkey)
      .AddAll({"io_threaded_freed_objects", "io_threaded_accept_processed",
               "io_threaded_poll_processed", "io_threaded_total_prefetch_batches",
               "io_threaded_total_prefetch_entries"},
              "0")
      .In(kAllButRedis70)
      .AddAll(
          {"client_query_buffer_limit_disconnections", "client_output_buffer_limit_disconnections"},
          "0")
      .InAll()
      .AddAll({"reply_buffer_shrinks", "reply_buffer_expands"}, "0");
  AddNewerCounters(section);
  return section.Take();
}

}  // namespace interlock::sim::redis
