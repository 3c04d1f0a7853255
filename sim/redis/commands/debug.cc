// SPDX-License-Identifier: MIT
//
// DEBUG: the subcommands that clients' tests use.
#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "sim/redis/commands/object_encoding.h"
#include "sim/redis/engine.h"
#include "sim/redis/rdb/payload.h"
#include "sim/redis/text.h"

namespace interlock::sim::redis {

namespace {

// Read like strtod does; anything else counts as 0.
void Sleep(Context& c) {
  constexpr double kMaxSeconds = 1e9;
  const double seconds = std::strtod(std::string(c.args[2]).c_str(), nullptr);
  if (seconds > 0) {
    c.engine.stall.Begin(static_cast<std::int64_t>(std::min(seconds, kMaxSeconds) * 1e6));
  }
  c.Ok();
}

void SetActiveExpire(Context& c) {
  c.engine.active_expiry = std::atoi(std::string(c.args[2]).c_str()) != 0;
  c.Ok();
}

// Large elements of lists are kept outside of listpacks, which nobody sees.
void SetPackedThreshold(Context& c) {
  std::int64_t bytes = 0;
  std::string_view number = c.args[2];
  if (number.ends_with('b')) number.remove_suffix(1);
  if (ParseInteger(number, &bytes) && bytes >= 0) return c.Ok();
  c.Unmodelled("DEBUG QUICKLIST-PACKED-THRESHOLD of other units");
}

// The address is made up; the length is that of DUMP without its frame.
void Object(Context& c) {
  constexpr std::size_t kFrame = 11;  // A type, two bytes of version, eight of checksum.
  constexpr std::int64_t kClockBits = 0xFFFFFF;
  // An expired key exists until something else looks it up.
  const Database& keys = c.keyspace().keys(c.database());
  const auto at = keys.find(c.args[2]);
  if (at == keys.end()) return c.Error(kNoSuchKey);
  const Entry* const entry = &at->second;
  // Redis also shows its quicklist's nodes.
  if (std::holds_alternative<List>(entry->data)) return c.Unmodelled("DEBUG OBJECT of a list");
  if (const auto* hash = std::get_if<Hash>(&entry->data)) {
    // Nobody has looked at how long its DUMP is.
    if (hash->timed() || hash->has_room_for_ttls()) return c.Unmodelled("DEBUG OBJECT of TTLs");
  }
  const auto encoding = EncodingOf(c.dialect(), c.args[2], *entry);
  if (!encoding) return c.Unmodelled("DEBUG OBJECT of a value that depends on its past");
  const std::int64_t references = ReferencesTo(*entry);
  if (references != 1 && SharesNoIntegers(c.engine.config())) {
    return c.Unmodelled("DEBUG OBJECT of a small integer under an LRU or LFU policy");
  }
  const std::int64_t accessed_s = entry->accessed_ms / 1000;
  c.Status("Value at:0x7f0000000000 refcount:" + std::to_string(references) +
           " encoding:" + std::string(*encoding) + " serializedlength:" +
           std::to_string(WritePayload(entry->data, c.dialect()).size() - kFrame) +
           " lru:" + std::to_string(accessed_s & kClockBits) +
           " lru_seconds_idle:" + std::to_string(c.engine.now_ms() / 1000 - accessed_s));
}

// Known to Redis 7.0, but not modelled.
constexpr std::string_view kUnmodelled[] = {
    "assert",
    "change-repl-id",
    "client-eviction",
    "config-rewrite-force-all",
    "crash-and-recover",
    "digest",
    "digest-value",
    "drop-cluster-packet-filter",
    "help",
    "htstats",
    "htstats-key",
    "leak",
    "listpack",
    "loadaof",
    "log",
    "mallctl",
    "mallctl-str",
    "oom",
    "panic",
    "pause-cron",
    "populate",
    "protocol",
    "quicklist",
    "replicate",
    "replybuffer",
    "restart",
    "sdslen",
    "segfault",
    "set-disable-deny-scripts",
    "sigalrm",
    "stringmatch-len",
    "structsize",
    "ziplist",
};

void Debug(Context& c) {
  if (c.args.size() == 3 && EqualsIgnoreCase(c.args[1], "sleep")) return Sleep(c);
  if (c.args.size() == 3 && EqualsIgnoreCase(c.args[1], "set-active-expire")) {
    return SetActiveExpire(c);
  }
  if (c.args.size() == 3 && EqualsIgnoreCase(c.args[1], "object")) return Object(c);
  if (c.args.size() == 3 && EqualsIgnoreCase(c.args[1], "quicklist-packed-threshold")) {
    return SetPackedThreshold(c);
  }
  if (EqualsIgnoreCase(c.args[1], "reload")) {
    if (c.args.size() > 2) return c.Unmodelled("DEBUG RELOAD with options");
    return c.engine.persistence.Reload(c);
  }
  if (c.args.size() == 3 && EqualsIgnoreCase(c.args[1], "error")) {
    return c.Error(OneLine(c.args[2]));
  }
  const std::string name = ToLower(c.args[1]);
  if (std::find(std::begin(kUnmodelled), std::end(kUnmodelled), name) != std::end(kUnmodelled)) {
    return c.Unmodelled("DEBUG " + ToUpper(name));
  }
  c.Error(OneLine("ERR unknown subcommand or wrong number of arguments for '" +
                  std::string(UntilNul(c.args[1]).substr(0, 128)) + "'. Try DEBUG HELP."));
}

constexpr HandlerRow kDebugCommands[] = {{"debug", &Debug}};

}  // namespace

std::span<const HandlerRow> DebugCommands() { return kDebugCommands; }

}  // namespace interlock::sim::redis
