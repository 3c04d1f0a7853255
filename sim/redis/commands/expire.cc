// SPDX-License-Identifier: MIT
//
// Expiry of keys: EXPIRE and its relatives, TTL, PERSIST.
#include <algorithm>
#include <limits>

#include "sim/redis/commands/expire_options.h"
#include "sim/redis/engine.h"
#include "sim/redis/text.h"

namespace interlock::sim::redis {

namespace {

constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t kMin = std::numeric_limits<std::int64_t>::min();

// Propagates the options unchanged.
void PropagateExpire(Context& c, std::int64_t when) {
  const std::string time = std::to_string(when);
  std::vector<std::string_view> effect(c.args.begin(), c.args.end());
  if (c.command.name != "pexpireat") effect[0] = "PEXPIREAT";
  effect[2] = time;
  c.Propagate(effect);
}

void Expire(Context& c, bool seconds, bool relative) {
  ExpireOptions options;
  if (!ParseExpireOptions(c, c.args.subspan(3), &options)) return;
  std::int64_t when = 0;
  if (!c.ParseInt(c.args[2], &when)) return;
  bool valid = !seconds || (when <= kMax / 1000 && when >= kMin / 1000);
  if (valid && seconds) when *= 1000;
  if (valid && relative) valid = !__builtin_add_overflow(when, c.engine.now_ms(), &when);
  if (!valid) {
    return c.Error("ERR invalid expire time in '" + std::string(c.command.name) + "' command");
  }
  Entry* entry = c.Find(c.args[1]);
  if (entry == nullptr || !Permits(options, entry->expires_at_ms, when)) {
    return c.Integer(std::int64_t{0});
  }
  c.Integer(std::int64_t{1});
  if (c.DeletesAt(when)) {
    return c.DeleteAsOver(c.args[1]);
  }
  entry->expires_at_ms = when;
  c.Touch(c.args[1]);
  c.Notify(kNotifyGeneric, "expire", c.args[1]);
  if (c.journalled()) PropagateExpire(c, when);
}

void Ttl(Context& c, bool seconds, bool absolute) {
  const Entry* entry = c.Glance(c.args[1]);
  if (entry == nullptr) return c.Integer(std::int64_t{-2});
  if (entry->expires_at_ms == kNoExpiry) return c.Integer(std::int64_t{-1});
  std::int64_t ms = entry->expires_at_ms;
  if (!absolute) ms = std::max<std::int64_t>(ms - c.engine.now_ms(), 0);
  if (!seconds) return c.Integer(ms);
  c.Integer(ms > kMax - 500 ? kMax / 1000 + 1 : (ms + 500) / 1000);
}

void Persist(Context& c) {
  Entry* entry = c.Find(c.args[1]);
  if (entry == nullptr || entry->expires_at_ms == kNoExpiry) return c.Integer(std::int64_t{0});
  entry->expires_at_ms = kNoExpiry;
  c.Touch(c.args[1]);
  c.Notify(kNotifyGeneric, "persist", c.args[1]);
  c.Integer(std::int64_t{1});
}

constexpr HandlerRow kExpireCommands[] = {
    {"expire", [](Context& c) { Expire(c, true, true); }},
    {"pexpire", [](Context& c) { Expire(c, false, true); }},
    {"expireat", [](Context& c) { Expire(c, true, false); }},
    {"pexpireat", [](Context& c) { Expire(c, false, false); }},
    {"ttl", [](Context& c) { Ttl(c, true, false); }},
    {"pttl", [](Context& c) { Ttl(c, false, false); }},
    {"expiretime", [](Context& c) { Ttl(c, true, true); }},
    {"pexpiretime", [](Context& c) { Ttl(c, false, true); }},
    {"persist", &Persist},
};

}  // namespace

std::span<const HandlerRow> ExpireCommands() { return kExpireCommands; }

}  // namespace interlock::sim::redis
