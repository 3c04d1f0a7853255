// SPDX-License-Identifier: MIT
//
// Commands on whole keys of any type: DEL, EXISTS, TYPE, RENAME, COPY, MOVE, SWAPDB.
#include <limits>
#include <optional>

#include "sim/redis/commands/hash_fields.h"
#include "sim/redis/engine.h"
#include "sim/redis/text.h"

namespace interlock::sim::redis {

namespace {

constexpr std::string_view kSameObject = "ERR source and destination objects are the same";
constexpr std::string_view kNoSuchDatabase = "ERR DB index is out of range";

void Del(Context& c) {
  std::int64_t deleted = 0;
  for (const std::string_view key : c.args.subspan(1)) {
    // On a writable replica DEL counts an expired key.
    c.keyspace().Find(c.database(), key);
    if (!c.keyspace().Remove(c.database(), key)) continue;
    c.Touch(key);
    c.Notify(kNotifyGeneric, "del", key);
    ++deleted;
  }
  c.Integer(deleted);
}

// A key named twice counts twice.
void Exists(Context& c) {
  std::int64_t present = 0;
  for (const std::string_view key : c.args.subspan(1)) present += c.Glance(key) != nullptr ? 1 : 0;
  c.Integer(present);
}

void TouchKeys(Context& c) {
  std::int64_t present = 0;
  for (const std::string_view key : c.args.subspan(1)) {
    Entry* const entry = c.Find(key);
    if (entry == nullptr) continue;
    ++present;
    entry->accessed_ms = c.keyspace().now_ms();  // Even under CLIENT NO-TOUCH.
  }
  c.Integer(present);
}

void TypeCommand(Context& c) {
  const Entry* entry = c.Glance(c.args[1]);
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
    Entry moved = std::move(*entry);
    c.keyspace().Insert(c.database(), target, std::move(moved));
    c.Remove(source);
    c.Touch(source);
    c.Touch(target, 0);  // One change in all.
    c.Notify(kNotifyGeneric, "rename_from", source);
    c.Notify(kNotifyGeneric, "rename_to", target);
  }
  if (only_new) return c.Integer(std::int64_t{source != target ? 1 : 0});
  c.Ok();
}

// On failure replies an error and returns false.
bool ParseDatabase(Context& c, std::string_view text, int* database) {
  std::int64_t index = 0;
  if (!c.ParseInt(text, &index)) return false;
  if (index < std::numeric_limits<std::int32_t>::min() ||
      index > std::numeric_limits<std::int32_t>::max()) {
    c.Error("ERR value is out of range, value must between -2147483648 and 2147483647");
    return false;
  }
  if (index < 0 || index >= kDatabases) {
    c.Error(kNoSuchDatabase);
    return false;
  }
  *database = static_cast<int>(index);
  return true;
}

void Move(Context& c) {
  if (c.engine.cluster.enabled()) return c.Error("ERR MOVE is not allowed in cluster mode");
  const int from = c.database();
  const std::string_view key = c.args[1];
  int to = 0;
  if (!ParseDatabase(c, c.args[2], &to)) return;
  if (to == from) return c.Error(kSameObject);
  c.Integer(std::int64_t{0});
  Entry* entry = c.Find(key);
  if (entry == nullptr || c.keyspace().FindToWrite(to, key) != nullptr) return;
  c.keyspace().Insert(to, key, std::move(*entry));
  c.Remove(key);
  c.Touch(key);
  c.keyspace().Touch(to, key, 0);  // One change in all.
  c.Notify(kNotifyGeneric, "move_from", key);
  c.engine.events.Publish(kNotifyGeneric, "move_to", to, key);
  c.Integer(std::int64_t{1});
}

void Copy(Context& c) {
  int to = c.database();
  bool replace = false;
  for (std::size_t i = 3; i < c.args.size(); ++i) {
    if (EqualsIgnoreCase(c.args[i], "replace")) {
      replace = true;
    } else if (EqualsIgnoreCase(c.args[i], "db") && i + 1 < c.args.size()) {
      if (!ParseDatabase(c, c.args[++i], &to)) return;
    } else {
      return c.Error(kSyntax);
    }
  }
  const std::string_view target = c.args[2];
  if (to != 0 && c.engine.cluster.enabled()) {
    return c.Error("ERR Copying to another database is not allowed in cluster mode");
  }
  if (to == c.database() && c.args[1] == target) return c.Error(kSameObject);
  c.Integer(std::int64_t{0});
  const Entry* entry = c.FindToRead(c.args[1]);
  if (entry == nullptr) return;
  if (c.keyspace().FindToWrite(to, target) != nullptr) {
    if (!replace) return;
    c.keyspace().Remove(to, target);
  }
  Entry copy = *entry;
  if (copy.form == StringForm::kShortest) copy.form = StringForm::kCopied;
  if (auto* hash = std::get_if<Hash>(&copy.data); hash != nullptr && c.dialect().valkey) {
    RemoveHidden(c, hash);  // The copy is a hash even without a field.
  }
  c.keyspace().Insert(to, target, std::move(copy));
  c.keyspace().Touch(to, target);
  c.engine.events.Publish(kNotifyGeneric, "copy_to", to, target);
  c.Integer(std::int64_t{1});
}

std::optional<int> ParseSwapped(Context& c, std::string_view text, std::string_view error) {
  std::int64_t index = 0;
  if (!c.ParseInt(text, &index, error)) return std::nullopt;
  if (index >= std::numeric_limits<std::int32_t>::min() &&
      index <= std::numeric_limits<std::int32_t>::max()) {
    return static_cast<int>(index);
  }
  c.Error(error);
  return std::nullopt;
}

void SwapDb(Context& c) {
  if (c.engine.cluster.enabled()) return c.Error("ERR SWAPDB is not allowed in cluster mode");
  const std::optional<int> first = ParseSwapped(c, c.args[1], "ERR invalid first DB index");
  if (!first) return;
  const std::optional<int> second = ParseSwapped(c, c.args[2], "ERR invalid second DB index");
  if (!second) return;
  for (const int index : {*first, *second}) {
    if (index < 0 || index >= kDatabases) return c.Error(kNoSuchDatabase);
  }
  c.keyspace().Swap(*first, *second);
  c.engine.blocking.MarkReadyKeys(*first);
  c.engine.blocking.MarkReadyKeys(*second);
  c.propagation = Context::Propagation::kAlways;
  c.Ok();
}

constexpr HandlerRow kKeyCommands[] = {
    {"del", &Del},
    {"unlink", &Del},
    {"exists", &Exists},
    {"touch", &TouchKeys},
    {"type", &TypeCommand},
    {"rename", [](Context& c) { Rename(c, false); }},
    {"renamenx", [](Context& c) { Rename(c, true); }},
    {"move", &Move},
    {"copy", &Copy},
    {"swapdb", &SwapDb},
};

}  // namespace

std::span<const HandlerRow> KeyCommands() { return kKeyCommands; }

}  // namespace interlock::sim::redis
