// SPDX-License-Identifier: MIT
#include "sim/redis/commands/expire_options.h"

#include <string>

#include "sim/redis/engine.h"
#include "sim/redis/text.h"

namespace interlock::sim::redis {

bool ParseExpireOptions(Context& c, std::span<const std::string_view> words, ExpireOptions* o) {
  for (const std::string_view word : words) {
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

}  // namespace interlock::sim::redis
