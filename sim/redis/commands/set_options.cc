// SPDX-License-Identifier: MIT
#include "sim/redis/commands/set_options.h"

#include <limits>
#include <string>

#include "sim/redis/engine.h"
#include "sim/redis/text.h"

namespace interlock::sim::redis {

namespace {

constexpr TtlUnit kUnits[] = {
    {"ex", true, true}, {"px", false, true}, {"exat", true, false}, {"pxat", false, false}};

// A second expiry in another unit is an error; in the same unit it is fine, and the last one
// counts.
bool TakeExpiry(std::string_view word, std::string_view next, SetOptions* options) {
  const TtlUnit* const unit = FindTtlUnit(word);
  if (unit == nullptr) return false;
  if (next.data() == nullptr || options->keep_ttl || options->persist) return false;
  const bool other_unit = options->has_expiry() && (options->seconds != unit->seconds ||
                                                    options->relative != unit->relative);
  if (other_unit) return false;
  options->expiry = next;
  options->seconds = unit->seconds;
  options->relative = unit->relative;
  return true;
}

bool TakeFlag(std::string_view word, OptionsOf command, SetOptions* options) {
  if (command == OptionsOf::kGetEx) {
    if (!EqualsIgnoreCase(word, "persist") || options->has_expiry()) return false;
    options->persist = true;
    return true;
  }
  if (EqualsIgnoreCase(word, "nx") && !options->xx && !options->comparison) {
    options->nx = true;
  } else if (EqualsIgnoreCase(word, "xx") && !options->nx && !options->comparison) {
    options->xx = true;
  } else if (command == OptionsOf::kSet && EqualsIgnoreCase(word, "get")) {
    options->get = true;
  } else if (EqualsIgnoreCase(word, "keepttl") && !options->has_expiry()) {
    options->keep_ttl = true;
  } else {
    return false;
  }
  return true;
}

// At most one, and none beside NX or XX.
bool TakeComparison(const Context& c, std::string_view word, std::string_view next,
                    SetOptions* options) {
  if (next.data() == nullptr || options->conditional()) return false;
  options->comparison = FindComparison(c.dialect(), Comparing::kSet, word, next);
  return options->comparison.has_value();
}

}  // namespace

const TtlUnit* FindTtlUnit(std::string_view word) {
  for (const TtlUnit& unit : kUnits) {
    if (EqualsIgnoreCase(word, unit.name)) return &unit;
  }
  return nullptr;
}

bool ParseSetOptions(Context& c, std::size_t first, OptionsOf command, SetOptions* options) {
  for (std::size_t i = first; i < c.args.size(); ++i) {
    if (TakeFlag(c.args[i], command, options)) continue;
    const std::string_view next = i + 1 < c.args.size() ? c.args[i + 1] : std::string_view();
    const bool compares = command == OptionsOf::kSet && TakeComparison(c, c.args[i], next, options);
    if (!compares && !TakeExpiry(c.args[i], next, options)) {
      c.Error(kSyntax);
      return false;
    }
    ++i;
    if (!compares) options->expiry_at = i;
  }
  return true;
}

bool ReadExpiry(Context& c, const SetOptions& options, std::int64_t* expires_at_ms) {
  constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();
  std::int64_t value = 0;
  if (!c.ParseInt(options.expiry, &value)) return false;
  bool valid = value > 0 && (!options.seconds || value <= kMax / 1000);
  if (valid && options.seconds) value *= 1000;
  if (valid && options.relative) {
    const std::int64_t now = c.engine.now_ms();
    valid = now <= 0 || value <= kMax - now;
    if (valid) value += now;
    valid = valid && value > 0;
  }
  if (!valid) {
    c.Error("ERR invalid expire time in '" + std::string(c.command.name) + "' command");
    return false;
  }
  *expires_at_ms = value;
  return true;
}

}  // namespace interlock::sim::redis
