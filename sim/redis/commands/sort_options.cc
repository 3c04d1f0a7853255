// SPDX-License-Identifier: MIT
//
// Redis reads patterns as C strings: stars and arrows after a NUL do not count.
#include "sim/redis/commands/sort_options.h"

#include <string>

#include "sim/redis/cluster_view.h"
#include "sim/redis/commands/hash_fields.h"
#include "sim/redis/engine.h"
#include "sim/redis/text.h"

namespace interlock::sim::redis {

namespace {

bool HasStar(std::string_view pattern) {
  return UntilNul(pattern).find('*') != std::string_view::npos;
}

// The slot of all keys that are formed by the pattern; nullopt: there is no telling.
std::optional<std::size_t> SlotOfPattern(std::string_view pattern) {
  const std::size_t special = pattern.find_first_of("*?[\\");
  const std::size_t open = pattern.find('{');
  if (open != std::string_view::npos) {
    const std::size_t close = pattern.find('}', open);
    if (close < special && close != open + 1) return KeySlot(pattern);
  }
  if (special != std::string_view::npos) return std::nullopt;
  return KeySlot(pattern);
}

// Redis 7.0 has no patterns at all in a Cluster.
bool AllowedInCluster(Context& c, std::string_view option, std::string_view pattern) {
  if (!c.engine.cluster.enabled()) return true;
  const bool newer = c.dialect().since_72;
  if (newer && (pattern == "#" || SlotOfPattern(pattern) == KeySlot(c.args[1]))) return true;
  c.Error(std::string("ERR ")
              .append(option)
              .append(" option of SORT denied in Cluster mode")
              .append(newer ? " when keys formed by the pattern may be in different slots." : "."));
  return false;
}

// Consumes one option; the number of its words, or 0 after an error.
std::size_t ParseOption(Context& c, Arguments words, SortOptions* options) {
  const auto is = [&](std::string_view name, std::size_t needed) {
    return words.size() >= needed && EqualsIgnoreCase(words[0], name);
  };
  if (is("asc", 1) || is("desc", 1)) {
    options->descending = EqualsIgnoreCase(words[0], "desc");
    return 1;
  }
  if (is("alpha", 1)) {
    options->alphabetic = true;
    return 1;
  }
  if (is("limit", 3)) {
    return c.ParseInt(words[1], &options->offset) && c.ParseInt(words[2], &options->count) ? 3 : 0;
  }
  if (is("store", 2) && (c.command.flags & kWrite) != 0) {
    options->store = words[1];
    return 2;
  }
  if (is("by", 2)) {
    options->by = words[1];
    if (!HasStar(words[1])) {
      options->unsorted = true;
      return 2;
    }
    return AllowedInCluster(c, "BY", words[1]) ? 2 : 0;
  }
  if (is("get", 2)) {
    options->gets.push_back(words[1]);
    return AllowedInCluster(c, "GET", words[1]) ? 2 : 0;
  }
  c.Error(kSyntax);
  return 0;
}

}  // namespace

bool ParseSortOptions(Context& c, SortOptions* options) {
  for (std::size_t i = 2; i < c.args.size();) {
    const std::size_t used = ParseOption(c, c.args.subspan(i), options);
    if (used == 0) return false;
    i += used;
  }
  return true;
}

std::optional<std::string_view> FindBySortPattern(Context& c, std::string_view pattern,
                                                  std::string_view element) {
  if (pattern == "#") return element;
  const std::string_view text = UntilNul(pattern);
  const std::size_t star = text.find('*');
  if (star == std::string_view::npos) return std::nullopt;
  const std::size_t arrow = text.find("->", star);
  const bool of_hash = arrow != std::string_view::npos && arrow + 2 < text.size();
  std::string key(pattern.substr(0, star));
  key.append(element);
  key.append(pattern.substr(star + 1, of_hash ? arrow - star - 1 : std::string_view::npos));
  Entry* entry = c.FindToRead(key);
  if (entry == nullptr) return std::nullopt;
  if (!of_hash) {
    const auto* value = std::get_if<std::string>(&entry->data);
    return value == nullptr ? std::nullopt : std::optional<std::string_view>(*value);
  }
  FieldFinder finder(c, key, std::get_if<Hash>(&entry->data));
  const std::string* value = finder.Find(pattern.substr(arrow + 2));
  finder.Settle();  // Deletes a field that is over, if at all, and then there is no value.
  return value == nullptr ? std::nullopt : std::optional<std::string_view>(*value);
}

}  // namespace interlock::sim::redis
