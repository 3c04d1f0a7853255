// SPDX-License-Identifier: MIT
#include "sim/redis/commands/scan_options.h"

#include <cerrno>
#include <cstdlib>

#include "sim/redis/context.h"
#include "sim/redis/text.h"

namespace interlock::sim::redis {

bool ParseScanCursor(Context& c, std::string_view text, std::uint64_t* cursor) {
  char* end = nullptr;
  errno = 0;
  *cursor = std::strtoul(text.data(), &end, 10);
  bool refused = false;
  if (c.dialect().since_72) {
    const std::string_view seen = UntilNul(text);
    std::int64_t number = 0;
    const bool whole = c.dialect().IsIn(kValkeyFrom90);
    refused = seen.empty() || (ParseInteger(whole ? text : seen, &number) && number < 0);
  } else if (!text.empty()) {
    refused = text[0] == ' ' || (text[0] >= '\t' && text[0] <= '\r');
  }
  if (!refused && *end == '\0' && errno != ERANGE) return true;
  c.Error("ERR invalid cursor");
  return false;
}

// Only Valkey asks.
bool IsKnownType(Context& c, std::string_view type) {
  static constexpr std::string_view kTypes[] = {"string", "list", "set", "zset", "hash", "stream"};
  const bool known = std::any_of(std::begin(kTypes), std::end(kTypes), [&](std::string_view name) {
    return EqualsIgnoreCase(type, name);
  });
  if (known || !c.dialect().valkey) return true;
  c.Error(OneLine("ERR unknown type name '" + std::string(UntilNul(type)) + "'"));
  return false;
}

// An option of newer servers, without a value. False: the word is none.
bool TakeNamesOnly(Context& c, std::string_view word, ScanOf what, ScanOptions* options) {
  const bool values = c.dialect().since_72 && EqualsIgnoreCase(word, "novalues");
  const bool scores = c.dialect().valkey && EqualsIgnoreCase(word, "noscores");
  if (!values && !scores) return false;
  options->names_only = what == (values ? ScanOf::kHash : ScanOf::kSortedSet);
  if (!options->names_only) {
    c.Error(values ? "ERR NOVALUES option can only be used in HSCAN"
                   : "ERR NOSCORES option can only be used in ZSCAN");
  }
  return true;
}

bool ParseScanOptions(Context& c, std::size_t first, ScanOf what, ScanOptions* options) {
  for (std::size_t i = first; i < c.args.size(); i += 2) {
    const std::string_view word = c.args[i];
    if (TakeNamesOnly(c, word, what, options)) {
      if (c.reply.type == Value::Type::kError) return false;
      --i;
      continue;
    }
    const bool has_value = i + 1 < c.args.size();
    bool valid = has_value;
    if (has_value && EqualsIgnoreCase(word, "count")) {
      if (!c.ParseInt(c.args[i + 1], &options->count)) return false;
      valid = options->count >= 1;
    } else if (has_value && EqualsIgnoreCase(word, "match")) {
      options->pattern = c.args[i + 1];
    } else if (has_value && what == ScanOf::kKeys && EqualsIgnoreCase(word, "type")) {
      options->type = c.args[i + 1];
      if (!IsKnownType(c, options->type)) return false;
    } else {
      valid = false;
    }
    if (!valid) {
      c.Error(kSyntax);
      return false;
    }
  }
  return true;
}

}  // namespace interlock::sim::redis
