// SPDX-License-Identifier: MIT
#include <cerrno>
#include <cstdlib>
#include <iterator>
#include <limits>

#include "sim/redis/engine.h"
#include "sim/redis/text.h"

namespace interlock::sim::redis {

namespace {

constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t kMin = std::numeric_limits<std::int64_t>::min();

struct ExpireOptions {
  bool nx = false;
  bool xx = false;
  bool gt = false;
  bool lt = false;
};

bool ParseExpireOptions(Context& c, ExpireOptions* o) {
  for (const std::string_view word : c.args.subspan(3)) {
    if (EqualsIgnoreCase(word, "nx")) {
      o->nx = true;
    } else if (EqualsIgnoreCase(word, "xx")) {
      o->xx = true;
    } else if (EqualsIgnoreCase(word, "gt")) {
      o->gt = true;
    } else if (EqualsIgnoreCase(word, "lt")) {
      o->lt = true;
    } else {
      c.Error(OneLine("ERR Unsupported option " + std::string(UntilNul(word))));
      return false;
    }
  }
  if (o->nx && (o->xx || o->gt || o->lt)) {
    c.Error("ERR NX and XX, GT or LT options at the same time are not compatible");
    return false;
  }
  if (o->gt && o->lt) {
    c.Error("ERR GT and LT options at the same time are not compatible");
    return false;
  }
  return true;
}

bool Permits(const ExpireOptions& o, std::int64_t current, std::int64_t when) {
  if (o.nx && current != kNoExpiry) return false;
  if (o.xx && current == kNoExpiry) return false;
  if (o.gt && (when <= current || current == kNoExpiry)) return false;
  return !(o.lt && current != kNoExpiry && when >= current);
}

void Expire(Context& c, bool seconds, bool relative) {
  ExpireOptions options;
  if (!ParseExpireOptions(c, &options)) return;
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
  if (when <= c.engine.now_ms()) {
    c.Remove(c.args[1]);
  } else {
    entry->expires_at_ms = when;
  }
  c.Touch(c.args[1]);
  c.Integer(std::int64_t{1});
}

void Ttl(Context& c, bool seconds, bool absolute) {
  const Entry* entry = c.Find(c.args[1]);
  if (entry == nullptr) return c.Integer(std::int64_t{-2});
  if (entry->expires_at_ms == kNoExpiry) return c.Integer(std::int64_t{-1});
  std::int64_t ms = entry->expires_at_ms;
  if (!absolute) ms = std::max<std::int64_t>(ms - c.engine.now_ms(), 0);
  if (!seconds) return c.Integer(ms);
  c.Integer(ms > kMax - 500 ? kMax / 1000 : (ms + 500) / 1000);
}

void Persist(Context& c) {
  Entry* entry = c.Find(c.args[1]);
  if (entry == nullptr || entry->expires_at_ms == kNoExpiry) return c.Integer(std::int64_t{0});
  entry->expires_at_ms = kNoExpiry;
  c.Touch(c.args[1]);
  c.Integer(std::int64_t{1});
}

void Del(Context& c) {
  std::int64_t deleted = 0;
  for (const std::string_view key : c.args.subspan(1)) {
    if (c.Find(key) == nullptr) continue;
    c.Remove(key);
    c.Touch(key);
    ++deleted;
  }
  c.Integer(deleted);
}

// EXISTS and TOUCH: a key named twice counts twice.
void Count(Context& c) {
  std::int64_t present = 0;
  for (const std::string_view key : c.args.subspan(1)) present += c.Find(key) != nullptr ? 1 : 0;
  c.Integer(present);
}

void Type(Context& c) {
  const Entry* entry = c.Find(c.args[1]);
  c.Status(entry == nullptr ? "none" : TypeName(entry->data));
}

void Rename(Context& c, bool only_new) {
  const std::string_view source = c.args[1];
  const std::string_view target = c.args[2];
  Entry* entry = c.Find(source);
  if (entry == nullptr) return c.Error(kNoSuchKey);
  if (source != target) {
    if (c.Find(target) != nullptr) {
      if (only_new) return c.Integer(std::int64_t{0});
      c.Remove(target);
    }
    Data data = std::move(entry->data);
    const std::int64_t expires_at_ms = entry->expires_at_ms;
    c.Remove(source);
    c.keyspace().Add(c.database(), target, std::move(data), expires_at_ms);
    c.Touch(source);
    c.Touch(target);
  }
  if (only_new) return c.Integer(std::int64_t{source != target ? 1 : 0});
  c.Ok();
}

// Chooses again when it meets a key that has expired. A replica does not delete those, so that it
// may give up (Redis: after 100 tries, with any key if all have a TTL).
void RandomKey(Context& c) {
  constexpr int kTries = 100;
  const Keyspace::Database& keys = c.keyspace().keys(c.database());
  for (int tries = 0; !keys.empty() && tries < kTries;) {
    const auto chosen = static_cast<std::ptrdiff_t>(c.engine.Choose(keys.size()));
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

bool ParseScanOptions(Context& c, std::string_view* pattern, std::string_view* type) {
  for (std::size_t i = 2; i < c.args.size(); i += 2) {
    const std::string_view word = c.args[i];
    const bool has_value = i + 1 < c.args.size();
    std::int64_t count = 1;
    if (has_value && EqualsIgnoreCase(word, "count")) {
      if (!c.ParseInt(c.args[i + 1], &count)) return false;
    } else if (has_value && EqualsIgnoreCase(word, "match")) {
      *pattern = c.args[i + 1];
    } else if (has_value && EqualsIgnoreCase(word, "type")) {
      *type = c.args[i + 1];
    } else {
      count = 0;
    }
    if (count < 1) {
      c.Error(kSyntax);
      return false;
    }
  }
  return true;
}

// Always one complete page, in byte order: the order of Redis is arbitrary.
void Scan(Context& c) {
  const std::string_view text = c.args[1];
  char* end = nullptr;
  errno = 0;
  const unsigned long cursor = std::strtoul(text.data(), &end, 10);
  const bool blank = !text.empty() && (text[0] == ' ' || (text[0] >= '\t' && text[0] <= '\r'));
  if (blank || *end != '\0' || errno == ERANGE) return c.Error("ERR invalid cursor");
  std::string_view pattern = "*";
  std::string_view type;
  if (!ParseScanOptions(c, &pattern, &type)) return;
  std::vector<std::string> candidates;
  for (const auto& [key, entry] : c.keyspace().keys(c.database())) {
    if (cursor == 0 && GlobMatch(pattern, key)) candidates.push_back(key);
  }
  std::vector<Value> page;
  for (const std::string& key : candidates) {
    // Only keys that match the pattern are met, and deleted if they have expired.
    const Entry* entry = c.Find(key);
    if (entry == nullptr) continue;
    if (type.data() != nullptr && !EqualsIgnoreCase(type, TypeName(entry->data))) continue;
    page.push_back(StringValue(key));
  }
  c.Array().push_back(StringValue("0"));
  c.Array().push_back(ArrayValue(std::move(page)));
}

constexpr HandlerRow kRows[] = {
    {"del", &Del},
    {"unlink", &Del},
    {"exists", &Count},
    {"touch", &Count},
    {"type", &Type},
    {"rename", [](Context& c) { Rename(c, false); }},
    {"renamenx", [](Context& c) { Rename(c, true); }},
    {"expire", [](Context& c) { Expire(c, true, true); }},
    {"pexpire", [](Context& c) { Expire(c, false, true); }},
    {"expireat", [](Context& c) { Expire(c, true, false); }},
    {"pexpireat", [](Context& c) { Expire(c, false, false); }},
    {"ttl", [](Context& c) { Ttl(c, true, false); }},
    {"pttl", [](Context& c) { Ttl(c, false, false); }},
    {"expiretime", [](Context& c) { Ttl(c, true, true); }},
    {"pexpiretime", [](Context& c) { Ttl(c, false, true); }},
    {"persist", &Persist},
    {"randomkey", &RandomKey},
    {"keys", &Keys},
    {"scan", &Scan},
};

}  // namespace

std::span<const HandlerRow> KeyCommands() { return kRows; }

}  // namespace interlock::sim::redis
