// SPDX-License-Identifier: MIT
//
// Keys in bulk: KEYS, SCAN, RANDOMKEY.
#include <algorithm>
#include <iterator>

#include "sim/redis/commands/scan_options.h"
#include "sim/redis/engine.h"
#include "sim/redis/text.h"

namespace interlock::sim::redis {

namespace {

// Chooses again when it meets an expired key. A replica does not delete those, so it may give up
// (Redis: after 100 tries, with any key, if all have a TTL).
void RandomKey(Context& c) {
  constexpr int kTries = 100;
  const Database& keys = c.keyspace().keys(c.database());
  for (int tries = 0; !keys.empty() && tries < kTries;) {
    const auto chosen = static_cast<std::ptrdiff_t>(c.engine.dice.Choose(keys.size()));
    const std::string key = std::next(keys.begin(), chosen)->first;
    if (c.keyspace().Find(c.database(), key) != nullptr) return c.String(key);
    if (c.keyspace().expiry_mode() == ExpiryMode::kHide) ++tries;
  }
  const std::string* any = nullptr;
  for (const auto& [key, entry] : keys) {
    if (!c.keyspace().IsExpired(entry)) return c.String(key);
    any = &key;
  }
  if (any != nullptr) c.String(*any);
}

void Keys(Context& c) {
  std::vector<Value>& found = c.Array();
  for (const auto& [key, entry] : c.keyspace().keys(c.database())) {
    if (c.keyspace().IsExpired(entry) || !GlobMatch(c.args[1], key)) continue;
    found.push_back(StringValue(key));
  }
}

// Only keys that match the pattern are looked up, and deleted if expired; in Valkey, only those of
// the type, too.
bool Passes(Context& c, const ScanOptions& options, const std::string& key) {
  if (!GlobMatch(options.pattern, key)) return false;
  if (options.type.data() != nullptr && c.dialect().valkey) {
    const Database& keys = c.keyspace().keys(c.database());
    const auto at = keys.find(key);
    if (at == keys.end()) return false;
    if (!EqualsIgnoreCase(ToLower(options.type), TypeName(at->second.data))) return false;
  } else if (options.type.data() != nullptr) {
    const Entry* entry =
        c.dialect().since_72 ? c.keyspace().Find(c.database(), key) : c.Glance(key);
    const std::string_view type = entry == nullptr ? "none" : TypeName(entry->data);
    // Redis 7.0 goes by whether it is expired, and this look-up may have deleted it.
    const bool hidden = c.keyspace().expiry_mode() == ExpiryMode::kHide;
    if (entry == nullptr && (hidden || c.dialect().since_72)) return false;
    return EqualsIgnoreCase(ToLower(options.type), type);
  }
  return c.keyspace().Find(c.database(), key) != nullptr;
}

// Keys are ordered by hash, and the cursor is the hash to continue from: whatever is added or
// removed meanwhile, no key that stays is missed. Within a page the order is arbitrary.
void Scan(Context& c) {
  std::uint64_t cursor = 0;
  ScanOptions options;
  if (!ParseScanCursor(c, c.args[1], &cursor)) return;
  if (!ParseScanOptions(c, 2, ScanOf::kKeys, &options)) return;
  std::vector<std::string> page;
  const std::uint64_t next =
      c.keyspace().ScanFrom(c.database(), cursor, static_cast<std::uint64_t>(options.count), &page);
  std::sort(page.begin(), page.end());
  std::vector<Value> found;
  for (const std::string& key : page) {
    if (Passes(c, options, key)) found.push_back(StringValue(key));
  }
  c.Array() = {StringValue(std::to_string(next)), ArrayValue(std::move(found))};
}

constexpr HandlerRow kScanCommands[] = {
    {"keys", &Keys},
    {"scan", &Scan},
    {"randomkey", &RandomKey},
};

}  // namespace

std::span<const HandlerRow> ScanCommands() { return kScanCommands; }

}  // namespace interlock::sim::redis
