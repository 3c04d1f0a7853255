// SPDX-License-Identifier: MIT
#include "sim/redis/commands/client_conditions.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <string>

#include "sim/redis/commands/client_filter.h"
#include "sim/redis/commands/client_list.h"
#include "sim/redis/engine.h"
#include "sim/redis/text.h"

namespace interlock::sim::redis {

namespace {

struct ConditionRow {
  std::string_view what;
  bool older = false;  // Without NOT- it is not handled here.
  bool negatable = true;
};
constexpr ConditionRow kConditions[] = {
    {"addr", true}, {"capa"},        {"db"},       {"flags"},   {"id"},   {"idle", false, false},
    {"ip"},         {"laddr", true}, {"lib-name"}, {"lib-ver"}, {"name"}, {"type", true},
    {"user", true},
};

constexpr std::string_view kClientFlagLetters = "OSMPxbtRBdcuAUreTIiEN";
constexpr std::string_view kCapabilityLetters = "r";

const ConditionRow* FindCondition(std::string_view word, bool* negated) {
  *negated = word.size() > 4 && EqualsIgnoreCase(word.substr(0, 4), "not-");
  if (*negated) word.remove_prefix(4);
  for (const ConditionRow& row : kConditions) {
    if (!EqualsIgnoreCase(word, row.what)) continue;
    return (*negated ? row.negatable : !row.older) ? &row : nullptr;
  }
  return nullptr;
}

bool FailWith(Context& c, const std::string& error) {
  c.Error(OneLine(error));
  return false;
}

// As many numbers as there are: what is none begins the next condition.
bool TakeConditionIds(Context& c, Arguments* left, std::vector<ClientId>* ids) {
  std::int64_t id = 0;
  *left = left->subspan(1);
  for (; !left->empty() && ParseInteger(left->front(), &id); *left = left->subspan(1)) {
    if (id <= 0) return FailWith(c, "ERR client-id should be greater than 0");
    ids->push_back(static_cast<ClientId>(id));
  }
  return true;
}

bool ParseConditionDatabase(Context& c, ClientCondition* condition) {
  const std::string name = condition->negated ? "NOT-DB" : "DB";
  std::int64_t& number = condition->number;
  if (!ParseInteger(condition->value, &number) ||
      number < std::numeric_limits<std::int32_t>::min() ||
      number > std::numeric_limits<std::int32_t>::max()) {
    return FailWith(c, "ERR " + name + " is not an integer or out of range");
  }
  if (number >= 0 && number < kDatabases) return true;
  return FailWith(
      c, "ERR " + name + " number should be between 0 and " + std::to_string(kDatabases - 1));
}

bool ParseConditionLetters(Context& c, std::string_view known, const ClientCondition& condition) {
  if (condition.value.find_first_not_of(known) == std::string_view::npos) return true;
  return FailWith(c, "ERR Unknown " + std::string(condition.what) + " found in the " +
                         (condition.negated ? "NOT-" + ToUpper(condition.what) : "provided") +
                         " filter: " + std::string(UntilNul(condition.value)));
}

bool ParseConditionValue(Context& c, ClientCondition* condition) {
  if (condition->what == "db") return ParseConditionDatabase(c, condition);
  if (condition->what == "flags") return ParseConditionLetters(c, kClientFlagLetters, *condition);
  if (condition->what == "capa") return ParseConditionLetters(c, kCapabilityLetters, *condition);
  if (condition->what == "user" && condition->value != "default") {
    return FailWith(c, "ERR No such user '" + std::string(UntilNul(condition->value)) + "'");
  }
  if (condition->what == "type") {
    std::optional<ClientType> type;
    return ParseClientType(c, condition->value, &type);
  }
  if (condition->what != "idle") return true;
  if (!c.ParseInt(condition->value, &condition->number,
                  "ERR idle is not an integer or out of range")) {
    return false;
  }
  return condition->number > 0 || FailWith(c, "ERR idle should be greater than 0");
}

// Without the brackets of an IPv6 address. What has no port is no such address.
bool HasIp(std::string_view address, std::string_view ip) {
  if (address.starts_with('[')) address.remove_prefix(1);
  if (!address.starts_with(ip)) return false;
  address.remove_prefix(ip.size());
  if (address.starts_with(']')) address.remove_prefix(1);
  return address.starts_with(':') && !address.substr(1).starts_with('0');
}

bool IsMet(const Context& c, const ClientCondition& condition, const Client& client) {
  const std::string_view what = condition.what;
  const std::string_view value = condition.value;
  const auto is_named = [](std::string_view name, std::string_view wanted) {
    return !name.empty() && name == wanted;
  };
  if (what == "id") {
    return std::find(condition.ids.begin(), condition.ids.end(), client.id) != condition.ids.end();
  }
  if (what == "addr") return HasAddress(client, UntilNul(value));
  if (what == "laddr") return LocalAddress(c.engine, client) == UntilNul(value);
  if (what == "name") return is_named(client.name, UntilNul(value));
  if (what == "lib-name") return is_named(client.library, value);
  if (what == "lib-ver") return is_named(client.library_version, value);
  if (what == "db") return client.database == condition.number;
  if (what == "ip") return HasIp(client.address, value);
  if (what == "type") return IsOfType(client, value);
  if (what == "capa") return value.empty() || client.follows_redirects;
  if (what == "flags") {
    return value.find_first_not_of(ClientFlags(c.engine, client)) == std::string_view::npos;
  }
  if (what == "idle") {
    constexpr std::int64_t kMsPerSecond = 1000;
    return c.engine.now_ms() / kMsPerSecond - client.last_command_ms / kMsPerSecond >=
           condition.number;
  }
  return true;  // There is one user.
}

}  // namespace

bool TakeClientCondition(Context& c, Arguments* left, ClientConditions* conditions) {
  bool negated = false;
  const ConditionRow* const row = FindCondition(left->front(), &negated);
  if (row == nullptr || (left->size() == 1 && row->what != "id")) return false;
  // A later one replaces an earlier one; but ids are added.
  auto at = std::find_if(conditions->begin(), conditions->end(), [&](const ClientCondition& one) {
    return one.what == row->what && one.negated == negated;
  });
  if (at == conditions->end()) at = conditions->insert(at, {row->what, negated, {}, 0, {}});
  if (row->what == "id") return TakeConditionIds(c, left, &at->ids);
  at->value = (*left)[1];
  *left = left->subspan(2);
  return ParseConditionValue(c, &*at);
}

bool HasAddress(const Client& client, std::string_view address) {
  return !address.empty() && client.address == address;
}

bool MeetsAll(const Context& c, const ClientConditions& conditions, const Client& client) {
  return std::all_of(conditions.begin(), conditions.end(), [&](const ClientCondition& condition) {
    return IsMet(c, condition, client) != condition.negated;
  });
}

}  // namespace interlock::sim::redis
