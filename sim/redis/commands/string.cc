// SPDX-License-Identifier: MIT
#include <limits>

#include "sim/redis/commands/set_options.h"
#include "sim/redis/engine.h"
#include "sim/redis/text.h"

namespace interlock::sim::redis {

namespace {

constexpr std::size_t kMaxString = std::size_t{512} << 20;  // proto-max-bulk-len

// Puts a string under the key, whatever was there.
void Store(Context& c, std::string_view key, std::string_view value, bool keep_ttl,
           std::int64_t expires_at_ms) {
  Entry* entry = c.Find(key);
  if (entry == nullptr) {
    c.keyspace().Add(c.database(), key, std::string(value), expires_at_ms);
  } else {
    if (auto* text = std::get_if<std::string>(&entry->data)) {
      text->assign(value);
    } else {
      entry->data = std::string(value);
    }
    if (!keep_ttl || expires_at_ms != kNoExpiry) entry->expires_at_ms = expires_at_ms;
  }
  c.Touch(key);
}

// The reply of GET. False: the type was wrong.
bool ReplyString(Context& c, std::string_view key) {
  std::string* text = nullptr;
  if (!c.Get(key, &text)) return false;
  if (text == nullptr) {
    c.Nil();
  } else {
    c.String(*text);
  }
  return true;
}

void Set(Context& c) {
  SetOptions options;
  if (!ParseSetOptions(c, 3, false, &options)) return;
  std::int64_t expires_at_ms = kNoExpiry;
  if (options.has_expiry() && !ReadExpiry(c, options, &expires_at_ms)) return;
  if (options.get && !ReplyString(c, c.args[1])) return;
  const bool found = c.Find(c.args[1]) != nullptr;
  if ((options.nx && found) || (options.xx && !found)) {
    if (!options.get) c.Nil();
    return;
  }
  Store(c, c.args[1], c.args[2], options.keep_ttl, expires_at_ms);
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
  c.Ok();
}

void SetNx(Context& c) {
  if (c.Find(c.args[1]) != nullptr) return c.Integer(std::int64_t{0});
  Store(c, c.args[1], c.args[2], false, kNoExpiry);
  c.Integer(std::int64_t{1});
}

void GetSet(Context& c) {
  if (ReplyString(c, c.args[1])) Store(c, c.args[1], c.args[2], false, kNoExpiry);
}

void GetDel(Context& c) {
  if (!ReplyString(c, c.args[1]) || c.reply.type == Value::Type::kNil) return;
  c.Remove(c.args[1]);
  c.Touch(c.args[1]);
}

void GetEx(Context& c) {
  SetOptions options;
  if (!ParseSetOptions(c, 2, true, &options)) return;
  if (!ReplyString(c, c.args[1]) || c.reply.type == Value::Type::kNil) return;
  std::int64_t expires_at_ms = kNoExpiry;
  if (options.has_expiry() && !ReadExpiry(c, options, &expires_at_ms)) return;
  Entry& entry = *c.Find(c.args[1]);
  if (options.has_expiry()) {
    entry.expires_at_ms = expires_at_ms;
    if (!options.relative && expires_at_ms <= c.engine.now_ms()) c.Remove(c.args[1]);
    c.Touch(c.args[1]);
  } else if (options.persist && entry.expires_at_ms != kNoExpiry) {
    entry.expires_at_ms = kNoExpiry;
    c.Touch(c.args[1]);
  }
}

void Append(Context& c) {
  std::string* text = nullptr;
  if (!c.Get(c.args[1], &text)) return;
  if (text == nullptr) text = &c.Create<std::string>(c.args[1]);
  if (text->size() + c.args[2].size() > kMaxString) {
    return c.Error("ERR string exceeds maximum allowed size (proto-max-bulk-len)");
  }
  text->append(c.args[2]);
  c.Touch(c.args[1]);
  c.Integer(text->size());
}

void StrLen(Context& c) {
  std::string* text = nullptr;
  if (c.Get(c.args[1], &text)) c.Integer(text == nullptr ? std::size_t{0} : text->size());
}

void MGet(Context& c) {
  for (const std::string_view key : c.args.subspan(1)) {
    const Entry* entry = c.Find(key);
    const auto* text = entry == nullptr ? nullptr : std::get_if<std::string>(&entry->data);
    c.Array().push_back(text == nullptr ? NilValue() : StringValue(*text));
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

void Increase(Context& c, std::int64_t by) {
  std::string* text = nullptr;
  if (!c.Get(c.args[1], &text)) return;
  std::int64_t number = 0;
  if (text != nullptr && !c.ParseInt(*text, &number)) return;
  if (__builtin_add_overflow(number, by, &number)) return c.Error(kOverflow);
  if (text == nullptr) text = &c.Create<std::string>(c.args[1]);
  *text = std::to_string(number);
  c.Touch(c.args[1]);
  c.Integer(number);
}

void IncrBy(Context& c) {
  std::int64_t by = 0;
  if (c.ParseInt(c.args[2], &by)) Increase(c, by);
}

void DecrBy(Context& c) {
  std::int64_t by = 0;
  if (!c.ParseInt(c.args[2], &by)) return;
  if (by == std::numeric_limits<std::int64_t>::min()) {
    return c.Error("ERR decrement would overflow");
  }
  Increase(c, -by);
}

constexpr HandlerRow kRows[] = {
    {"get", [](Context& c) { ReplyString(c, c.args[1]); }},
    {"set", &Set},
    {"setnx", &SetNx},
    {"setex", [](Context& c) { SetWithUnit(c, true); }},
    {"psetex", [](Context& c) { SetWithUnit(c, false); }},
    {"getset", &GetSet},
    {"getdel", &GetDel},
    {"getex", &GetEx},
    {"append", &Append},
    {"strlen", &StrLen},
    {"mget", &MGet},
    {"mset", [](Context& c) { MSet(c, false); }},
    {"msetnx", [](Context& c) { MSet(c, true); }},
    {"incr", [](Context& c) { Increase(c, 1); }},
    {"decr", [](Context& c) { Increase(c, -1); }},
    {"incrby", &IncrBy},
    {"decrby", &DecrBy},
};

}  // namespace

std::span<const HandlerRow> StringCommands() { return kRows; }

}  // namespace interlock::sim::redis
