// SPDX-License-Identifier: MIT
//
// OBJECT: how a real server would store the value, with its default limits.
#include <limits>

#include "sim/redis/commands/object_encoding.h"
#include "sim/redis/engine.h"
#include "sim/redis/text.h"

namespace interlock::sim::redis {

namespace {

constexpr std::int64_t kSharedIntegers = 10000;

bool IsIntegerEncoded(const Entry& entry, std::int64_t* number) {
  const auto* text = std::get_if<std::string>(&entry.data);
  const bool as_number = entry.form == StringForm::kShortest || entry.form == StringForm::kCopied;
  return text != nullptr && as_number && ParseInteger(*text, number);
}

// How long a text beside its object may be. Valkey keeps the key there, too, and the time of its
// expiry, whose place stays when the expiry goes.
std::size_t LongestEmbedded(const Dialect& dialect, std::size_t key, bool expires) {
  constexpr std::size_t kLongest = 44;
  constexpr std::size_t kLongestShortKey = 31;
  constexpr std::size_t kExpiry = 8;
  if (!dialect.valkey) return kLongest;
  std::size_t taken = key;
  const bool short_key = key <= kLongestShortKey;
  if (dialect.IsIn(kValkeyFrom90) && !short_key) taken += 2;
  if (expires && (dialect.IsIn(kValkeyFrom90) || short_key)) taken += kExpiry;
  const std::size_t room = dialect.IsIn(kValkeyFrom90) ? 113 : 41;
  return room > taken ? room - taken : 0;
}

std::optional<std::string_view> StringEncoding(const Dialect& dialect, std::string_view key,
                                               const Entry& entry) {
  std::int64_t number = 0;
  if (IsIntegerEncoded(entry, &number)) return "int";
  if (entry.form == StringForm::kRaw) return "raw";
  const std::size_t length = std::get<std::string>(entry.data).size();
  if (length > LongestEmbedded(dialect, key.size(), false)) return "raw";
  if (length <= LongestEmbedded(dialect, key.size(), true)) return "embstr";
  if (entry.expires_at_ms != kNoExpiry) return "raw";
  return std::nullopt;
}

}  // namespace

std::optional<std::string_view> EncodingOf(const Dialect& dialect, std::string_view key,
                                           const Entry& entry) {
  if (std::holds_alternative<std::string>(entry.data)) return StringEncoding(dialect, key, entry);
  if (const auto* list = std::get_if<List>(&entry.data)) {
    if (list->form == List::Form::kQuicklist) return "quicklist";
    if (list->form == List::Form::kEither) return std::nullopt;
    return "listpack";
  }
  if (const auto* hash = std::get_if<Hash>(&entry.data)) {
    if (!hash->compact()) return "hashtable";
    return hash->has_room_for_ttls() ? "listpackex" : "listpack";
  }
  if (const auto* set = std::get_if<Set>(&entry.data)) {
    return set->of_integers() ? "intset" : set->compact() ? "listpack" : "hashtable";
  }
  return std::get<SortedSet>(entry.data).compact() ? "listpack" : "skiplist";
}

StringForm FormOfArgument(const Context& c) {
  const bool as_text = c.client.in_script && c.dialect().scripts_keep_texts;
  return as_text ? StringForm::kText : StringForm::kShortest;
}

// Small integers are shared by all their users, but COPY makes an object of its own.
std::int64_t ReferencesTo(const Entry& entry) {
  if (entry.form == StringForm::kCopied) return 1;
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
  const Entry* entry = Look(c);
  if (entry == nullptr) return;
  if (const auto encoding = EncodingOf(c.dialect(), c.args[2], *entry)) return c.String(*encoding);
  c.Unmodelled("OBJECT ENCODING of a " + std::string(TypeName(entry->data)) +
               " that depends on its past");
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
  };
  for (const std::string_view line : kLines) c.Array().push_back(StatusValue(line));
  c.Array().push_back(StatusValue(c.dialect().last_line_of_help()));
}

constexpr HandlerRow kObjectCommands[] = {
    {"object|encoding", &ObjectEncoding}, {"object|freq", &ObjectFreq},
    {"object|help", &ObjectHelp},         {"object|idletime", &ObjectIdleTime},
    {"object|refcount", &ObjectRefCount},
};

}  // namespace

std::span<const HandlerRow> ObjectCommands() { return kObjectCommands; }

}  // namespace interlock::sim::redis
