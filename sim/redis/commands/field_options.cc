// SPDX-License-Identifier: MIT
#include "sim/redis/commands/field_options.h"

#include <limits>
#include <string>

#include "sim/redis/commands/field_list.h"
#include "sim/redis/engine.h"
#include "sim/redis/text.h"

namespace interlock::sim::redis {

namespace {

// False: it is no such word, or one that does not go with those before it.
bool TakeFlag(std::string_view word, bool getex, FieldOptions* options) {
  if (getex) {
    if (!EqualsIgnoreCase(word, "persist") || options->unit != nullptr) return false;
    options->persist = true;
  } else if (EqualsIgnoreCase(word, "nx") && !options->xx) {
    options->nx = true;
  } else if (EqualsIgnoreCase(word, "xx") && !options->nx) {
    options->xx = true;
  } else if (EqualsIgnoreCase(word, "fnx") && !options->fxx) {
    options->fnx = true;
  } else if (EqualsIgnoreCase(word, "fxx") && !options->fnx) {
    options->fxx = true;
  } else if (EqualsIgnoreCase(word, "keepttl") && options->unit == nullptr) {
    options->keep_ttl = true;
  } else {
    return false;
  }
  return true;
}

bool TakeTime(std::string_view word, std::size_t at, std::size_t end, FieldOptions* options) {
  const TtlUnit* const unit = FindTtlUnit(word);
  if (unit == nullptr || at == end || options->keep_ttl || options->persist) return false;
  if (options->unit != nullptr && options->unit != unit) return false;
  options->unit = unit;
  options->expiry_at = at;
  return true;
}

// The number of fields and the fields, from argument `at` on.
bool TakeFields(Context& c, std::size_t at, Arguments* fields) {
  std::int64_t count = 0;
  if (at + 2 >= c.args.size()) {
    c.ArityError();
  } else if (!ParseInteger(c.args[at], &count) || count < 1 ||
             count > std::numeric_limits<std::int32_t>::max()) {
    c.Error("ERR invalid number of fields");
  } else if (static_cast<std::size_t>(count) * 2 != c.args.size() - at - 1) {
    c.ArityError();
  } else {
    *fields = c.args.subspan(at + 1);
    return true;
  }
  return false;
}

}  // namespace

bool IsCondition(std::string_view word) {
  if (word.starts_with('f') || word.starts_with('F')) word.remove_prefix(1);
  return EqualsIgnoreCase(word, "nx") || EqualsIgnoreCase(word, "xx");
}

bool ParseFieldOptions(Context& c, std::size_t first, std::size_t end, bool getex,
                       FieldOptions* options) {
  for (std::size_t i = first; i < end; ++i) {
    if (TakeFlag(c.args[i], getex, options)) continue;
    if (!TakeTime(c.args[i], i + 1, end, options)) {
      c.Error(kSyntax);
      return false;
    }
    ++i;
  }
  return true;
}

bool ParseHSetEx(Context& c, FieldOptions* options, Arguments* fields,
                 std::int64_t* expires_at_ms) {
  const auto refuse = [&](const std::string& error) {
    c.Error(error);
    return false;
  };
  for (std::size_t i = 2; i < c.args.size(); ++i) {
    const std::string_view word = c.args[i];
    if (EqualsIgnoreCase(word, "fields")) return TakeFields(c, i + 1, fields);
    const TtlUnit* const unit = FindTtlUnit(word);
    if (EqualsIgnoreCase(word, "fnx") || EqualsIgnoreCase(word, "fxx")) {
      if (options->fnx || options->fxx) {
        return refuse("ERR Only one of FXX or FNX arguments can be specified");
      }
      (EqualsIgnoreCase(word, "fnx") ? options->fnx : options->fxx) = true;
    } else if (unit != nullptr || EqualsIgnoreCase(word, "keepttl")) {
      if (options->unit != nullptr || options->keep_ttl) {
        return refuse("ERR Only one of EX, PX, EXAT, PXAT or KEEPTTL arguments can be specified");
      }
      options->unit = unit;
      options->keep_ttl = unit == nullptr;
      if (unit == nullptr) continue;
      if (++i == c.args.size()) break;
      options->expiry_at = i;
      if (!ReadFieldExpiry(c, c.args[i], *unit, expires_at_ms)) return false;
    } else {
      return refuse(OneLine("ERR unknown argument: " + std::string(UntilNul(word))));
    }
  }
  c.ArityError();
  return false;
}

}  // namespace interlock::sim::redis
