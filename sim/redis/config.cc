// SPDX-License-Identifier: MIT
#include "sim/redis/config.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <limits>

#include "sim/redis/config_table.h"
#include "sim/redis/notifications.h"
#include "sim/redis/text.h"

namespace interlock::sim::redis {

namespace {

// Apart from the fixed ones.
constexpr std::string_view kUnacted[] = {
    "acllog-max-len",
    "active-expire-effort",
    "appenddirname",
    "appendfilename",
    "cluster-announce-bus-port",
    "cluster-announce-port",
    "cluster-announce-tls-port",
    "cluster-enabled",
    "databases",
    "dbfilename",
    "dir",
    "latency-monitor-threshold",
    "lfu-decay-time",
    "lfu-log-factor",
    "maxclients",
    "maxmemory-eviction-tenacity",
    "oom-score-adj",
    "protected-mode",
    "proto-max-bulk-len",
    "rdbcompression",
    "replica-announce-port",
    "replica-ignore-maxmemory",
    "sanitize-dump-payload",
    "shutdown-on-sigint",
    "shutdown-on-sigterm",
    "shutdown-timeout",
    "slowlog-log-slower-than",
    "slowlog-max-len",
    "stream-node-max-bytes",
    "stream-node-max-entries",
    "tcp-keepalive",
    "timeout",
};

std::vector<std::string_view> Split(std::string_view text, std::string_view separator) {
  std::vector<std::string_view> parts;
  while (!text.empty()) {
    const std::size_t end = text.find(separator);
    parts.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + separator.size());
    if (text.empty()) parts.emplace_back();
  }
  return parts;
}

std::string RangeText(std::int64_t min, std::int64_t max) {
  return "argument must be between " + std::to_string(min) + " and " + std::to_string(max) +
         " inclusive";
}

// Parses like Redis: no sign, numbers too large become the largest, and products wrap.
bool ParseMemory(std::string_view text, std::uint64_t* out) {
  constexpr std::size_t kMaxDigits = 127;
  const std::size_t digits = std::min(text.find_first_not_of("0123456789"), text.size());
  const std::string unit = ToLower(text.substr(digits));
  struct Unit {
    std::string_view name;
    std::uint64_t factor;
  };
  constexpr Unit kUnits[] = {{"", 1},        {"b", 1},        {"k", 1000},       {"kb", 1 << 10},
                             {"m", 1000000}, {"mb", 1 << 20}, {"g", 1000000000}, {"gb", 1 << 30}};
  const auto* const at = std::find_if(std::begin(kUnits), std::end(kUnits),
                                      [&](const Unit& row) { return row.name == unit; });
  if (at == std::end(kUnits) || digits > kMaxDigits) return false;
  *out = std::strtoull(std::string(text.substr(0, digits)).c_str(), nullptr, 10) * at->factor;
  return true;
}

bool SetMemory(const Parameter& parameter, std::string_view value, std::int64_t* out,
               std::string* reason) {
  std::uint64_t bytes = 0;
  if (!ParseMemory(value, &bytes)) {
    *reason = "argument must be a memory value";
    return false;
  }
  const bool fits = bytes >= static_cast<std::uint64_t>(parameter.min) &&
                    bytes <= static_cast<std::uint64_t>(parameter.max);
  if (parameter.kind == Parameter::Kind::kMemory && !fits) {
    *reason = RangeText(parameter.min, parameter.max);
    return false;
  }
  *out = static_cast<std::int64_t>(bytes);
  return true;
}

bool SetNumber(const Parameter& parameter, std::string_view value, std::int64_t* out,
               std::string* reason) {
  if (!ParseInteger(value, out)) {
    *reason = "argument couldn't be parsed into an integer";
    return false;
  }
  if (*out >= parameter.min && *out <= parameter.max) return true;
  *reason = RangeText(parameter.min, parameter.max);
  return false;
}

bool SetFlag(std::string_view value, std::int64_t* out, std::string* reason) {
  *out = EqualsIgnoreCase(value, "yes") ? 1 : 0;
  if (*out == 1 || EqualsIgnoreCase(value, "no")) return true;
  *reason = "argument must be 'yes' or 'no'";
  return false;
}

bool SetChoice(const Parameter& parameter, std::string_view value, std::int64_t* out,
               std::string* reason) {
  const std::vector<std::string_view> choices = Split(parameter.choices, ", ");
  const std::string lower = ToLower(value);
  const auto at = std::find(choices.begin(), choices.end(), lower);
  if (at == choices.end()) {
    *reason = "argument(s) must be one of the following: " + std::string(parameter.choices);
    return false;
  }
  *out = at - choices.begin();
  return true;
}

// "default" cannot be combined with others.
bool SetChoices(const Parameter& parameter, std::string_view value, std::string* out,
                std::string* reason) {
  std::vector<bool> chosen(Split(parameter.choices, ", ").size());
  const std::vector<std::string_view> words = Split(value, " ");
  std::int64_t index = 0;
  if (words.empty() && !SetChoice(parameter, "", &index, reason)) return false;
  for (const std::string_view word : words) {
    if (!SetChoice(parameter, word, &index, reason)) return false;
    chosen[static_cast<std::size_t>(index)] = true;
  }
  if (chosen[1] && chosen[2]) {
    *reason = "shutdown options SAVE and NOSAVE can't be used simultaneously";
    return false;
  }
  for (std::size_t i = 1; i < chosen.size(); ++i) {
    if (!chosen[i]) continue;
    if (!out->empty()) out->push_back(' ');
    out->append(Split(parameter.choices, ", ")[i]);
  }
  if (out->empty()) *out = "default";
  return true;
}

bool SetSavePoints(std::string_view value, std::vector<SavePoint>* out, std::string* reason) {
  std::vector<std::int64_t> numbers;
  bool valid = true;
  for (const std::string_view word : Split(value, " ")) {
    const std::string text(word);
    char* end = nullptr;
    numbers.push_back(std::strtoll(text.c_str(), &end, 10));
    const bool is_seconds = numbers.size() % 2 == 1;
    valid = valid && *end == '\0' && numbers.back() >= (is_seconds ? 1 : 0);
  }
  if (!valid || numbers.size() % 2 != 0) {
    *reason = "Invalid save parameters";
    return false;
  }
  out->clear();
  for (std::size_t i = 0; i < numbers.size(); i += 2) {
    out->push_back({numbers[i], numbers[i + 1]});
  }
  return true;
}

std::string FormatSavePoints(const std::vector<SavePoint>& points) {
  std::string text;
  for (const SavePoint& point : points) {
    if (!text.empty()) text.push_back(' ');
    text.append(std::to_string(point.seconds)).append(" ").append(std::to_string(point.changes));
  }
  return text;
}

std::string FormatNumber(const Parameter& parameter, std::int64_t number) {
  switch (parameter.kind) {
    case Parameter::Kind::kFlag:
      return number != 0 ? "yes" : "no";
    case Parameter::Kind::kChoice:
      return std::string(Split(parameter.choices, ", ")[static_cast<std::size_t>(number)]);
    case Parameter::Kind::kBigMemory:
      return std::to_string(static_cast<std::uint64_t>(number));
    default:
      return std::to_string(number);
  }
}

// The value that a real server uses once it is set.
std::int64_t Adjusted(const Parameter& parameter, std::int64_t number) {
  constexpr std::int64_t kMaxHz = 500;
  constexpr std::int64_t kMinBacklog = 16384;
  if (parameter.name == "hz") return std::clamp<std::int64_t>(number, 1, kMaxHz);
  if (parameter.name == "repl-backlog-size") return std::max(number, kMinBacklog);
  return number;
}

bool ParseValue(const Parameter& parameter, std::string_view value, std::int64_t* number,
                std::string* reason) {
  switch (parameter.kind) {
    case Parameter::Kind::kFlag:
      if (!SetFlag(value, number, reason)) return false;
      if (parameter.name != "activedefrag" || *number == 0) return true;
      *reason =
          "Active defragmentation cannot be enabled: it requires a Redis server compiled with a "
          "modified Jemalloc like the one shipped by default with the Redis source distribution";
      return false;
    case Parameter::Kind::kChoice:
      return SetChoice(parameter, value, number, reason);
    case Parameter::Kind::kMemory:
    case Parameter::Kind::kBigMemory:
      return SetMemory(parameter, value, number, reason);
    default:
      return SetNumber(parameter, value, number, reason);
  }
}

}  // namespace

const Config& FreshConfig() {
  static const Config fresh = [] {
    Config config;
    std::string reason;
    for (const Parameter& parameter : Parameters()) {
      SetParameter(parameter, parameter.fresh, &config, &reason);
    }
    config.others.clear();
    return config;
  }();
  return fresh;
}

const Parameter* FindParameter(const Dialect& dialect, std::string_view name) {
  std::string wanted = ToLower(name);
  for (const ParameterAlias& row : ParameterAliases()) {
    if (row.alias == wanted) wanted = row.name;
  }
  for (const Parameter& parameter : Parameters()) {
    if (parameter.name == wanted && dialect.IsIn(parameter.in)) return &parameter;
  }
  return nullptr;
}

bool IsActedUpon(const Parameter& parameter) {
  if ((parameter.traits & (kFixedParameter | kHiddenParameter)) != 0) return false;
  return std::find(std::begin(kUnacted), std::end(kUnacted), parameter.name) == std::end(kUnacted);
}

std::string FormatParameter(const Config& config, const Parameter& parameter) {
  if (parameter.kind == Parameter::Kind::kSave) return FormatSavePoints(config.save);
  if (parameter.kind == Parameter::Kind::kNotify)
    return FormatNotifyClasses(config.notify_keyspace_events);
  if (parameter.number != nullptr) return FormatNumber(parameter, config.*parameter.number);
  if (parameter.text != nullptr) return config.*parameter.text;
  const auto at = config.others.find(parameter.name);
  return at == config.others.end() ? std::string(parameter.fresh) : at->second;
}

bool SetParameter(const Parameter& parameter, std::string_view value, Config* config,
                  std::string* reason) {
  std::string text;
  std::int64_t number = 0;
  switch (parameter.kind) {
    case Parameter::Kind::kSave:
      return SetSavePoints(value, &config->save, reason);
    case Parameter::Kind::kNotify:
      if (ParseNotifyClasses(value, &config->notify_keyspace_events)) return true;
      *reason = "Invalid event class character. Use 'Ag$lshzxeKEtmdn'.";
      return false;
    case Parameter::Kind::kText:
      text = value;
      break;
    case Parameter::Kind::kChoices:
      if (!SetChoices(parameter, value, &text, reason)) return false;
      break;
    default:
      if (!ParseValue(parameter, value, &number, reason)) return false;
      number = Adjusted(parameter, number);
      text = FormatNumber(parameter, number);
  }
  if (parameter.number != nullptr) {
    config->*parameter.number = number;
  } else if (parameter.text != nullptr) {
    config->*parameter.text = std::move(text);
  } else {
    config->others[parameter.name] = std::move(text);
  }
  return true;
}

bool CaselessOrder::operator()(std::string_view one, std::string_view other) const {
  return ToLower(one) < ToLower(other);
}

ParametersByName MatchParameters(const Dialect& dialect, std::string_view pattern) {
  ParametersByName matches;
  if (pattern.find_first_of("*?[") == std::string_view::npos) {
    if (const Parameter* parameter = FindParameter(dialect, pattern)) matches[pattern] = parameter;
    return matches;
  }
  const std::string glob = ToLower(pattern);
  for (const Parameter& parameter : Parameters()) {
    if ((parameter.traits & kHiddenParameter) != 0 || !dialect.IsIn(parameter.in)) continue;
    if (GlobMatch(glob, parameter.name)) matches[parameter.name] = &parameter;
  }
  for (const ParameterAlias& row : ParameterAliases()) {
    if (GlobMatch(glob, row.alias)) matches[row.alias] = FindParameter(dialect, row.name);
  }
  return matches;
}

}  // namespace interlock::sim::redis
