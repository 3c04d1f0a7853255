// SPDX-License-Identifier: MIT
#include "sim/redis/commands/field_list.h"

#include <limits>
#include <string>

#include "sim/redis/engine.h"
#include "sim/redis/text.h"

namespace interlock::sim::redis {

bool ParseFieldsAt(Context& c, std::size_t at, std::string_view wrong_count, Arguments* fields) {
  std::int64_t count = 0;
  if (!EqualsIgnoreCase(c.args[at], "fields")) {
    c.Error("ERR Mandatory argument FIELDS is missing or not at the right position");
  } else if (!ParseInteger(c.args[at + 1], &count) || count <= 0) {
    c.Error(wrong_count);
  } else if (static_cast<std::uint64_t>(count) != c.args.size() - at - 2) {
    c.Error("ERR The `numfields` parameter must match the number of arguments");
  } else {
    *fields = c.args.subspan(at + 2);
    return true;
  }
  return false;
}

bool FindFields(Context& c, std::size_t first, std::size_t* at) {
  for (std::size_t i = first; i + 1 < c.args.size(); ++i) {
    if (!EqualsIgnoreCase(c.args[i], "fields")) continue;
    *at = i;
    return true;
  }
  c.Error(kFieldMismatch);
  return false;
}

bool ParseFieldsAfter(Context& c, std::size_t at, std::size_t size, std::string_view mismatch,
                      Arguments* fields) {
  std::int64_t count = 0;
  if (!c.ParseInt(c.args[at + 1], &count)) return false;
  *fields = c.args.subspan(at + 2);
  // The product wraps around, so that HSETEX takes -2^63+1 for 1.
  const bool same = count != 0 && static_cast<std::uint64_t>(count) * size == fields->size();
  if (same && fields->empty()) {
    c.Unmodelled("HSETEX without fields");
  } else if (!same) {
    c.Error(mismatch);
  }
  return same && !fields->empty();
}

bool ParseHashFields(Context& c, std::string_view mismatch, Arguments* fields, Hash** hash) {
  if (!c.dialect().valkey) {
    return c.Get(c.args[1], hash) && ParseFieldsAt(c, 2, kNoFieldCount, fields);
  }
  if (!EqualsIgnoreCase(c.args[2], "fields")) {
    c.Error(kSyntax);
    return false;
  }
  return ParseFieldsAfter(c, 2, 1, mismatch, fields) && c.Get(c.args[1], hash);
}

bool ReadFieldExpiry(Context& c, std::string_view text, const TtlUnit& unit,
                     std::int64_t* expires_at_ms) {
  const bool valkey = c.dialect().valkey;
  const std::int64_t most =
      valkey ? std::numeric_limits<std::int64_t>::max() : (std::int64_t{1} << 46) - 1;
  std::int64_t value = 0;
  if (!c.ParseInt(text, &value)) return false;
  if (value < 0 && !valkey) {
    c.Error("ERR invalid expire time, must be >= 0");
    return false;
  }
  const std::int64_t scale = unit.seconds ? 1000 : 1;
  const std::int64_t base = unit.relative ? c.engine.now_ms() : 0;
  if (value < 0 || value > most / scale || (base > 0 && value * scale > most - base)) {
    c.Error("ERR invalid expire time in '" + std::string(c.command.name) + "' command");
    return false;
  }
  *expires_at_ms = value * scale + base;
  return true;
}

}  // namespace interlock::sim::redis
