// SPDX-License-Identifier: MIT
//
// The CONFIG command, based on config.h.
#include "sim/redis/config.h"

#include <set>

#include "sim/redis/engine.h"
#include "sim/redis/text.h"

namespace interlock::sim::redis {

namespace {

void ConfigGet(Context& c) {
  ParametersByName matches;
  for (const std::string_view pattern : c.args.subspan(2)) {
    matches.merge(MatchParameters(c.dialect(), pattern));
  }
  std::vector<Value>& elements = c.Map();
  for (const auto& [name, parameter] : matches) {
    elements.push_back(StringValue(name));
    elements.push_back(StringValue(FormatParameter(c.engine.config(), *parameter)));
  }
}

void Fail(Context& c, std::string_view name, std::string_view reason) {
  c.Error(OneLine("ERR CONFIG SET failed (possibly related to argument '" +
                  std::string(UntilNul(name)) + "') - " + std::string(reason)));
}

// Whether all may be set, checked before any is; reports the first that may not.
bool MaySet(Context& c) {
  std::set<std::string> seen;  // Two names of one parameter are not duplicates.
  for (std::size_t i = 2; i < c.args.size(); i += 2) {
    const Parameter* parameter = FindParameter(c.dialect(), c.args[i]);
    if (parameter == nullptr) {
      c.Error(OneLine("ERR Unknown option or number of arguments for CONFIG SET - '" +
                      std::string(UntilNul(c.args[i])) + "'"));
      return false;
    }
    std::string_view refusal;
    if ((parameter->traits & kImmutableParameter) != 0) {
      refusal = "can't set immutable config";
    } else if ((parameter->traits & kProtectedParameter) != 0) {
      refusal = "can't set protected config";
    } else if (!seen.insert(ToLower(c.args[i])).second) {
      refusal = "duplicate parameter";
    }
    if (refusal.empty()) continue;
    Fail(c, c.args[i], refusal);
    return false;
  }
  return true;
}

void ConfigSet(Context& c) {
  if (c.args.size() % 2 != 0) return c.Error(kSyntax);
  if (!MaySet(c)) return;
  Config changed = c.engine.config();
  for (std::size_t i = 2; i < c.args.size(); i += 2) {
    const Parameter& parameter = *FindParameter(c.dialect(), c.args[i]);
    // The possible values are not known, so any other text may be another value.
    const std::string before = FormatParameter(changed, parameter);
    const bool fixed = (parameter.traits & kFixedParameter) != 0 && before != c.args[i + 1];
    std::string reason;
    if (!SetParameter(parameter, c.args[i + 1], &changed, &reason)) {
      return Fail(c, ToLower(c.args[i]), reason);
    }
    if (fixed || (!IsActedUpon(parameter) && FormatParameter(changed, parameter) != before)) {
      return c.Unmodelled("CONFIG SET " + std::string(parameter.name));
    }
  }
  c.engine.SetConfig(changed);
  c.Ok();
}

void ConfigRewrite(Context& c) { c.Error("ERR The server is running without a config file"); }

constexpr HandlerRow kConfigCommands[] = {
    {"config|get", &ConfigGet},
    {"config|set", &ConfigSet},
    {"config|rewrite", &ConfigRewrite},
};

}  // namespace

std::span<const HandlerRow> ConfigCommands() { return kConfigCommands; }

}  // namespace interlock::sim::redis
