// SPDX-License-Identifier: MIT
//
// OBJECT: how a real server would store the value, with its default limits.
#include <limits>

#include "sim/redis/commands/object_encoding.h"
#include "sim/redis/engine.h"
#include "sim/redis/text.h"

namespace interlock::sim::redis {

namespace {

constexpr std::size_t kLongestEmbedded = 44;
constexpr std::int64_t kSharedIntegers = 10000;

bool IsIntegerEncoded(const Entry& entry, std::int64_t* number) {
  const auto* text = std::get_if<std::string>(&entry.data);
  return text != nullptr && entry.form == StringForm::kShortest && ParseInteger(*text, number);
}

std::string_view StringEncoding(const Entry& entry) {
  std::int64_t number = 0;
  if (IsIntegerEncoded(entry, &number)) return "int";
  const bool embedded = entry.form != StringForm::kRaw &&
                        std::get<std::string>(entry.data).size() <= kLongestEmbedded;
  return embedded ? "embstr" : "raw";
}

}  // namespace

std::string_view EncodingOf(const Entry& entry) {
  if (std::holds_alternative<std::string>(entry.data)) return StringEncoding(entry);
  if (std::holds_alternative<List>(entry.data)) return "quicklist";
  if (const auto* hash = std::get_if<Hash>(&entry.data)) {
    if (!hash->compact()) return "hashtable";
    return hash->has_room_for_ttls() ? "listpackex" : "listpack";
  }
  if (const auto* set = std::get_if<Set>(&entry.data)) {
    return set->compact() ? "intset" : "hashtable";
  }
  return std::get<SortedSet>(entry.data).compact() ? "listpack" : "skiplist";
}

// Small integers are shared by all their users.
std::int64_t ReferencesTo(const Entry& entry) {
  std::int64_t number = 0;
  const bool shared = IsIntegerEncoded(entry, &number) && number >= 0 && number < kSharedIntegers;
  return shared ? std::numeric_limits<std::int32_t>::max() : 1;
}

bool SharesNoIntegers(const Config& config) {
  const std::int64_t policy = config.maxmemory_policy;
  return config.maxmemory != 0 && (policy == kVolatileLru || policy == kVolatileLfu ||
                                   policy == kAllkeysLru || policy == kAllkeysLfu);
}

namespace {

// The key, without touching it; the reply is nil if it is missing.
Entry* Look(Context& c) { return c.keyspace().Find(c.database(), c.args[2]); }

void ObjectEncoding(Context& c) {
  if (const Entry* entry = Look(c)) c.String(EncodingOf(*entry));
}

bool CountsAccesses(const Context& c) {
  const std::int64_t policy = c.engine.config().maxmemory_policy;
  return policy == kVolatileLfu || policy == kAllkeysLfu;
}

void ObjectFreq(Context& c) {
  if (Look(c) == nullptr) return;
  if (CountsAccesses(c)) return c.Unmodelled("OBJECT FREQ");
  c.Error(
      "ERR An LFU maxmemory policy is not selected, access frequency not tracked. Please note that "
      "when switching between policies at runtime LRU and LFU data will take some time to adjust.");
}

// Redis records accesses in whole seconds.
void ObjectIdleTime(Context& c) {
  const Entry* entry = Look(c);
  if (entry != nullptr && CountsAccesses(c)) {
    c.Error(
        "ERR An LFU maxmemory policy is selected, idle time not tracked. Please note that when "
        "switching between policies at runtime LRU and LFU data will take some time to adjust.");
  } else if (entry != nullptr) {
    c.Integer(c.engine.now_ms() / 1000 - entry->accessed_ms / 1000);
  }
}

void ObjectRefCount(Context& c) {
  const Entry* entry = Look(c);
  if (entry == nullptr) return;
  if (c.dialect().valkey) return c.Integer(std::int64_t{1});  // It keeps a value with its key.
  const std::int64_t references = ReferencesTo(*entry);
  if (references != 1 && SharesNoIntegers(c.engine.config())) {
    return c.Unmodelled("OBJECT REFCOUNT of a small integer under an LRU or LFU policy");
  }
  c.Integer(references);
}

void ObjectHelp(Context& c) {
  constexpr std::string_view kLines[] = {
      "OBJECT <subcommand> [<arg> [value] [opt] ...]. Subcommands are:",
      "ENCODING <key>",
      "    Return the kind of internal representation used in order to store the value",
      "    associated with a <key>.",
      "FREQ <key>",
      "    Return the access frequency index of the <key>. The returned integer is",
      "    proportional to the logarithm of the recent access frequency of the key.",
      "IDLETIME <key>",
      "    Return the idle time of the <key>, that is the approximated number of",
      "    seconds elapsed since the last access to the key.",
      "REFCOUNT <key>",
      "    Return the number of references of the value associated with the specified",
      "    <key>.",
      "HELP",
      "    Prints this help.",
  };
  for (const std::string_view line : kLines) c.Array().push_back(StatusValue(line));
}

constexpr HandlerRow kObjectCommands[] = {
    {"object|encoding", &ObjectEncoding}, {"object|freq", &ObjectFreq},
    {"object|help", &ObjectHelp},         {"object|idletime", &ObjectIdleTime},
    {"object|refcount", &ObjectRefCount},
};

}  // namespace

std::span<const HandlerRow> ObjectCommands() { return kObjectCommands; }

}  // namespace interlock::sim::redis
