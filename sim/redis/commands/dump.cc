// SPDX-License-Identifier: MIT
//
// DUMP and RESTORE.
#include <algorithm>
#include <string>

#include "sim/redis/engine.h"
#include "sim/redis/rdb/footer.h"
#include "sim/redis/rdb/payload.h"
#include "sim/redis/text.h"

namespace interlock::sim::redis {

namespace {

void Dump(Context& c) {
  const Entry* entry = c.Find(c.args[1]);
  if (entry == nullptr) return;
  if (LosesTtls(entry->data, c.dialect())) return c.Unmodelled("DUMP of a hash with TTLs");
  c.String(WritePayload(entry->data, c.dialect()));
}

struct RestoreOptions {
  bool replace = false;
  bool absolute = false;
  std::int64_t idle_seconds = -1;
  std::int64_t frequency = -1;
};

// Reads the value of IDLETIME or FREQ. On failure replies an error and returns false.
bool ParseWithin(Context& c, std::string_view text, std::int64_t highest, std::string_view error,
                 std::int64_t* out) {
  if (!c.ParseInt(text, out)) return false;
  if (*out >= 0 && *out <= highest) return true;
  c.Error(error);
  return false;
}

bool ParseRestoreOptions(Context& c, RestoreOptions* options) {
  for (std::size_t i = 4; i < c.args.size(); ++i) {
    const bool has_value = i + 1 < c.args.size();
    if (EqualsIgnoreCase(c.args[i], "replace")) {
      options->replace = true;
    } else if (EqualsIgnoreCase(c.args[i], "absttl")) {
      options->absolute = true;
    } else if (EqualsIgnoreCase(c.args[i], "idletime") && has_value && options->frequency == -1) {
      if (!ParseWithin(c, c.args[++i], INT64_MAX, "ERR Invalid IDLETIME value, must be >= 0",
                       &options->idle_seconds)) {
        return false;
      }
    } else if (EqualsIgnoreCase(c.args[i], "freq") && has_value && options->idle_seconds == -1) {
      if (!ParseWithin(c, c.args[++i], 255, "ERR Invalid FREQ value, must be >= 0 and <= 255",
                       &options->frequency)) {
        return false;
      }
    } else {
      c.Error(kSyntax);
      return false;
    }
  }
  return true;
}

// If it is not a DUMP payload, replies an error and returns false.
bool ReadDumpedValue(Context& c, Data* data) {
  if (!VerifyFooter(c.args[3], c.dialect())) {
    c.Error("ERR DUMP payload version or checksum are wrong");
    return false;
  }
  switch (ReadPayload(c.args[3], c.dialect(), c.engine.encoding_limits, data)) {
    case PayloadResult::kOk:
      return true;
    case PayloadResult::kBad:
      c.Error("ERR Bad data format");
      return false;
    case PayloadResult::kUnmodelled:
      c.Unmodelled("RESTORE of this type");
      return false;
  }
  return false;
}

// Propagates a TTL as an absolute time.
void PropagateRestore(Context& c, std::int64_t expires_at_ms) {
  const std::string time = std::to_string(expires_at_ms);
  std::vector<std::string_view> effect(c.args.begin(), c.args.end());
  effect[2] = time;
  effect.push_back("ABSTTL");
  c.Propagate(effect);
}

void Restore(Context& c) {
  RestoreOptions options;
  if (!ParseRestoreOptions(c, &options)) return;
  const std::string_view key = c.args[1];
  if (!options.replace && c.Find(key) != nullptr) {
    return c.Error("BUSYKEY Target key name already exists.");
  }
  std::int64_t ttl = 0;
  if (!c.ParseInt(c.args[2], &ttl)) return;
  if (ttl < 0) return c.Error("ERR Invalid TTL value, must be >= 0");
  Data data;
  if (!ReadDumpedValue(c, &data)) return;
  const bool has_ttl = ttl != 0;
  // A time out of range wraps around into the past. Some servers then keep the key until they look
  // for expired ones, which ends Valkey 8.1.
  if (has_ttl && !options.absolute && __builtin_add_overflow(ttl, c.engine.now_ms(), &ttl) &&
      c.dialect().IsIn(kNewerRedis | Of(DialectId::kValkey81))) {
    return c.Unmodelled("RESTORE with a TTL that overflows");
  }
  const bool deleted = options.replace && c.keyspace().Remove(c.database(), key);
  c.Ok();
  if (has_ttl && c.DeletesAt(ttl)) {
    if (!deleted) return;
    c.Touch(key);
    c.Notify(kNotifyGeneric, "del", key);
    return c.Propagate({c.dialect().removal, key});
  }
  Entry& entry = c.keyspace().Add(c.database(), key, std::move(data), has_ttl ? ttl : kNoExpiry);
  if (options.idle_seconds > 0) {
    entry.accessed_ms -= std::min(options.idle_seconds, c.engine.now_ms() / 1000) * 1000;
  }
  c.Touch(key);
  c.Notify(kNotifyGeneric, "restore", key);
  if (has_ttl && !options.absolute) PropagateRestore(c, ttl);
}

constexpr HandlerRow kDumpCommands[] = {
    {"dump", &Dump},
    {"restore", &Restore},
    {"restore-asking", &Restore},
};

}  // namespace

std::span<const HandlerRow> DumpCommands() { return kDumpCommands; }

}  // namespace interlock::sim::redis
