// SPDX-License-Identifier: MIT
//
// Whole strings: SET, GET and their relatives. Parts of strings are in string_range.cc, numbers in
// string_number.cc.
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "sim/redis/commands/object_encoding.h"
#include "sim/redis/commands/set_options.h"
#include "sim/redis/engine.h"
#include "sim/redis/text.h"

namespace interlock::sim::redis {

namespace {

// Puts a string at the key, replacing whatever was there.
void Store(Context& c, std::string_view key, std::string_view value, bool keep_ttl,
           std::int64_t expires_at_ms) {
  const bool keeps = keep_ttl && expires_at_ms == kNoExpiry;
  c.keyspace().PutText(c.database(), key, value, expires_at_ms, keeps).form = FormOfArgument(c);
  c.Touch(key);
  c.Notify(kNotifyString, "set", key);
}

// The reply of GET. False: wrong type.
bool ReplyString(Context& c, std::string_view key) {
  std::string* text = nullptr;
  if (!c.GetToRead(key, &text)) return false;
  if (text == nullptr) {
    c.Nil();
  } else {
    c.String(*text);
  }
  return true;
}

// Replicas get an expiry as an absolute time, and no conditions or GET.
void PropagateSet(Context& c, const SetOptions& options, std::int64_t expires_at_ms) {
  if (options.has_expiry()) {
    return c.Propagate({"SET", c.args[1], c.args[2], "PXAT", std::to_string(expires_at_ms)});
  }
  if (!options.get) return;
  std::vector<std::string_view> effect;
  for (std::size_t i = 0; i < c.args.size(); ++i) {
    if (i < 3 || !EqualsIgnoreCase(c.args[i], "get")) effect.push_back(c.args[i]);
  }
  c.Propagate(effect);
}

// Whether SET may set the key. False also after an error: its condition is on a string.
bool AllowsSet(Context& c, const SetOptions& options) {
  Entry* const entry = c.FindToWrite(c.args[1]);
  if (!options.comparison) return (entry == nullptr) == options.nx;
  std::string* text = nullptr;
  if (!c.As(entry, &text)) return false;
  return text == nullptr ? options.comparison->HoldsForNone() : options.comparison->HoldsFor(*text);
}

void SetCommand(Context& c) {
  SetOptions options;
  if (!ParseSetOptions(c, 3, OptionsOf::kSet, &options)) return;
  std::int64_t expires_at_ms = kNoExpiry;
  if (options.has_expiry() && !ReadExpiry(c, options, &expires_at_ms)) return;
  if (options.comparison && !IsModelled(c, *options.comparison)) return;
  if (options.get && !ReplyString(c, c.args[1])) return;
  if (options.conditional() && !AllowsSet(c, options)) return;
  // Valkey never stores what is over.
  if (options.has_expiry() && c.dialect().valkey && c.DeletesAt(expires_at_ms)) {
    if (c.FindToWrite(c.args[1]) != nullptr) c.DeleteAsOver(c.args[1]);
    if (!options.get) c.Ok();
    return;
  }
  Store(c, c.args[1], c.args[2], options.keep_ttl, expires_at_ms);
  if (options.has_expiry()) c.Notify(kNotifyGeneric, "expire", c.args[1]);
  if (c.journalled()) PropagateSet(c, options, expires_at_ms);
  if (!options.get) c.Ok();
}

void SetWithUnit(Context& c, bool seconds) {
  SetOptions options;
  options.seconds = seconds;
  options.relative = true;
  options.expiry = c.args[2];
  std::int64_t expires_at_ms = kNoExpiry;
  if (!ReadExpiry(c, options, &expires_at_ms)) return;
  Store(c, c.args[1], c.args[3], false, expires_at_ms);
  c.Notify(kNotifyGeneric, "expire", c.args[1]);
  c.Propagate({"SET", c.args[1], c.args[3], "PXAT", std::to_string(expires_at_ms)});
  c.Ok();
}

void SetNx(Context& c) {
  if (c.Find(c.args[1]) != nullptr) return c.Integer(std::int64_t{0});
  Store(c, c.args[1], c.args[2], false, kNoExpiry);
  c.Integer(std::int64_t{1});
}

void GetSet(Context& c) {
  if (!ReplyString(c, c.args[1])) return;
  Store(c, c.args[1], c.args[2], false, kNoExpiry);
  c.Propagate({"SET", c.args[1], c.args[2]});
}

void GetDel(Context& c) {
  if (ReplyString(c, c.args[1]) && c.reply.type != Value::Type::kNil) c.Delete(c.args[1]);
}

void GetEx(Context& c) {
  SetOptions options;
  if (!ParseSetOptions(c, 2, OptionsOf::kGetEx, &options)) return;
  std::int64_t expires_at_ms = kNoExpiry;
  // Valkey 9 looks at the number before it looks for the key.
  const bool early = c.dialect().IsIn(kValkeyFrom90);
  if (early && options.has_expiry() && !ReadExpiry(c, options, &expires_at_ms)) return;
  Entry* entry = c.FindToRead(c.args[1]);
  std::string* text = nullptr;
  if (!c.As(entry, &text) || text == nullptr) return;
  if (!early && options.has_expiry() && !ReadExpiry(c, options, &expires_at_ms)) return;
  c.String(*text);
  if (options.has_expiry() && !options.relative && c.DeletesAt(expires_at_ms)) {
    return c.DeleteAsOver(c.args[1]);
  }
  if (options.has_expiry()) {
    entry->expires_at_ms = expires_at_ms;
    c.Touch(c.args[1]);
    c.Notify(kNotifyGeneric, "expire", c.args[1]);
    c.Propagate({"PEXPIREAT", c.args[1], std::to_string(expires_at_ms)});
  } else if (options.persist && entry->expires_at_ms != kNoExpiry) {
    entry->expires_at_ms = kNoExpiry;
    c.Touch(c.args[1]);
    c.Notify(kNotifyGeneric, "persist", c.args[1]);
    c.Propagate({"PERSIST", c.args[1]});
  }
}

void MGet(Context& c) {
  std::vector<Value>& values = c.Array();
  values.reserve(c.args.size() - 1);
  for (const std::string_view key : c.args.subspan(1)) {
    const Entry* entry = c.Find(key);
    const auto* text = entry == nullptr ? nullptr : std::get_if<std::string>(&entry->data);
    Value& value = values.emplace_back();
    if (text == nullptr) continue;
    value.type = Value::Type::kString;
    value.text.assign(*text);
  }
}

void MSet(Context& c, bool only_new) {
  if (c.args.size() % 2 == 0) return c.ArityError();
  if (only_new) {
    for (std::size_t i = 1; i < c.args.size(); i += 2) {
      if (c.Find(c.args[i]) != nullptr) return c.Integer(std::int64_t{0});
    }
  }
  for (std::size_t i = 1; i < c.args.size(); i += 2) {
    Store(c, c.args[i], c.args[i + 1], false, kNoExpiry);
  }
  if (only_new) return c.Integer(std::int64_t{1});
  c.Ok();
}

// Replicas get the expiry that counts as an absolute time; all else stays as it was.
void PropagateMSetEx(Context& c, const SetOptions& options, std::int64_t expires_at_ms) {
  const bool absolute = !options.relative && !options.seconds;
  if (!options.has_expiry() || absolute || !c.journalled()) return;
  const std::string time = std::to_string(expires_at_ms);
  std::vector<std::string_view> effect(c.args.begin(), c.args.end());
  effect[options.expiry_at - 1] = "PXAT";
  effect[options.expiry_at] = time;
  c.Propagate(effect);
}

void MSetEx(Context& c) {
  constexpr std::int64_t kMost = std::numeric_limits<std::int32_t>::max();
  std::int64_t keys = 0;
  if (!ParseInteger(c.args[1], &keys) || keys < 1 || keys > kMost) {
    return c.Error("ERR invalid numkeys value or out of range");
  }
  const std::size_t end = 2 + 2 * static_cast<std::size_t>(keys);
  if (end > c.args.size()) return c.Error(kSyntax);
  SetOptions options;
  if (!ParseSetOptions(c, end, OptionsOf::kMSetEx, &options)) return;
  std::int64_t expires_at_ms = kNoExpiry;
  if (options.has_expiry() && !ReadExpiry(c, options, &expires_at_ms)) return;
  for (std::size_t i = 2; options.conditional() && i < end; i += 2) {
    if ((c.FindToWrite(c.args[i]) == nullptr) != options.nx) return c.Integer(std::int64_t{0});
  }
  for (std::size_t i = 2; i < end; i += 2) {
    Store(c, c.args[i], c.args[i + 1], options.keep_ttl, expires_at_ms);
    if (options.has_expiry()) c.Notify(kNotifyGeneric, "expire", c.args[i]);
  }
  PropagateMSetEx(c, options, expires_at_ms);
  c.Integer(std::int64_t{1});
}

constexpr HandlerRow kStringCommands[] = {
    {"get", [](Context& c) { ReplyString(c, c.args[1]); }},
    {"set", &SetCommand},
    {"setnx", &SetNx},
    {"setex", [](Context& c) { SetWithUnit(c, true); }},
    {"psetex", [](Context& c) { SetWithUnit(c, false); }},
    {"getset", &GetSet},
    {"getdel", &GetDel},
    {"getex", &GetEx},
    {"mget", &MGet},
    {"mset", [](Context& c) { MSet(c, false); }},
    {"msetex", &MSetEx},
    {"msetnx", [](Context& c) { MSet(c, true); }},
};

}  // namespace

std::span<const HandlerRow> StringCommands() { return kStringCommands; }

}  // namespace interlock::sim::redis
