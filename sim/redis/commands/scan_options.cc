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
  const bool blank = !text.empty() && (text[0] == ' ' || (text[0] >= '\t' && text[0] <= '\r'));
  if (!blank && *end == '\0' && errno != ERANGE) return true;
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

bool ParseScanOptions(Context& c, std::size_t first, bool takes_type, ScanOptions* options) {
  for (std::size_t i = first; i < c.args.size(); i += 2) {
    const std::string_view word = c.args[i];
    const bool has_value = i + 1 < c.args.size();
    bool valid = has_value;
    if (has_value && EqualsIgnoreCase(word, "count")) {
      if (!c.ParseInt(c.args[i + 1], &options->count)) return false;
      valid = options->count >= 1;
    } else if (has_value && EqualsIgnoreCase(word, "match")) {
      options->pattern = c.args[i + 1];
    } else if (has_value && takes_type && EqualsIgnoreCase(word, "type")) {
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
