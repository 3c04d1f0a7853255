// SPDX-License-Identifier: MIT
#include "sim/redis/commands/client_filter.h"

#include <algorithm>
#include <string>

#include "sim/redis/commands/client_list.h"
#include "sim/redis/engine.h"
#include "sim/redis/text.h"

namespace interlock::sim::redis {

namespace {

struct ClientTypeRow {
  std::string_view name;
  ClientType type;
  bool valkey = false;  ///< only there
};
constexpr ClientTypeRow kClientTypes[] = {
    {"normal", ClientType::kNormal},   {"slave", ClientType::kReplica},
    {"replica", ClientType::kReplica}, {"pubsub", ClientType::kPubSub},
    {"master", ClientType::kMaster},   {"primary", ClientType::kMaster, true}};

ClientType TypeOf(const Client& client) {
  if (client.from_master) return ClientType::kMaster;
  const bool subscribed = client.subscribed() || !client.shard_channels.empty();
  return subscribed ? ClientType::kPubSub : ClientType::kNormal;
}

constexpr std::string_view kNotPositive = "ERR client-id should be greater than 0";

bool Fail(Context& c, std::string_view error) {
  c.Error(error);
  return false;
}

// As many numbers as there are: what is none begins the next condition.
bool TakeIds(Context& c, Arguments* left, ClientFilter* filter) {
  filter->ids.clear();
  std::int64_t id = 0;
  std::size_t used = 1;
  for (; used < left->size() && ParseInteger((*left)[used], &id); ++used) {
    if (id <= 0) return Fail(c, kNotPositive);
    filter->ids.push_back(static_cast<ClientId>(id));
  }
  if (used == 1) return Fail(c, kSyntax);
  *left = left->subspan(used);
  return true;
}

bool ParseId(Context& c, std::string_view text, ClientFilter* filter) {
  std::int64_t id = 0;
  if (!c.ParseInt(text, &id, kNotPositive)) return false;
  if (id <= 0) return Fail(c, kNotPositive);
  filter->ids = {static_cast<ClientId>(id)};
  return true;
}

bool ParseAge(Context& c, std::string_view text, ClientFilter* filter) {
  if (!c.ParseInt(text, &filter->least_age_s, "ERR maxage is not an integer or out of range")) {
    return false;
  }
  return filter->least_age_s > 0 || Fail(c, "ERR maxage should be greater than 0");
}

bool ParseCondition(Context& c, std::string_view name, std::string_view value, ClientFilter* f) {
  if (EqualsIgnoreCase(name, "id")) return ParseId(c, value, f);
  if (EqualsIgnoreCase(name, "maxage") && c.dialect().since_72) return ParseAge(c, value, f);
  if (EqualsIgnoreCase(name, "type")) return ParseClientType(c, value, &f->type);
  if (EqualsIgnoreCase(name, "addr")) {
    f->address = value;
  } else if (EqualsIgnoreCase(name, "laddr")) {
    f->local_address = value;
  } else if (EqualsIgnoreCase(name, "user")) {
    if (value == "default") return true;
    return Fail(c, OneLine("ERR No such user '" + std::string(UntilNul(value)) + "'"));
  } else if (EqualsIgnoreCase(name, "skipme") &&
             (EqualsIgnoreCase(value, "yes") || EqualsIgnoreCase(value, "no"))) {
    f->skip_me = EqualsIgnoreCase(value, "yes");
  } else {
    return Fail(c, kSyntax);
  }
  return true;
}

bool ParseConditions(Context& c, ClientFilter* filter) {
  Arguments left = c.args.subspan(2);
  while (!left.empty()) {
    if (c.dialect().more_client_filters) {
      if (TakeClientCondition(c, &left, &filter->newer)) continue;
      if (c.reply.type == Value::Type::kError) return false;
    }
    if (left.size() == 1) return Fail(c, kSyntax);
    if (c.dialect().valkey && EqualsIgnoreCase(left[0], "id")) {
      if (!TakeIds(c, &left, filter)) return false;
      continue;
    }
    if (!ParseCondition(c, left[0], left[1], filter)) return false;
    left = left.subspan(2);
  }
  return true;
}

}  // namespace

bool ParseClientType(Context& c, std::string_view text, std::optional<ClientType>* type) {
  for (const ClientTypeRow& row : kClientTypes) {
    if (!EqualsIgnoreCase(text, row.name) || (row.valkey && !c.dialect().valkey)) continue;
    *type = row.type;
    return true;
  }
  return Fail(c, OneLine("ERR Unknown client type '" + std::string(UntilNul(text)) + "'"));
}

bool IsOfType(const Client& client, std::string_view type) {
  for (const ClientTypeRow& row : kClientTypes) {
    if (EqualsIgnoreCase(type, row.name)) return TypeOf(client) == row.type;
  }
  return false;
}

bool ParseListFilter(Context& c, ClientFilter* filter) {
  if (c.args.size() == 3) return Fail(c, kSyntax);
  if (c.dialect().valkey) return ParseConditions(c, filter);
  if (c.args.size() == 4 && EqualsIgnoreCase(c.args[2], "type")) {
    return ParseClientType(c, c.args[3], &filter->type);
  }
  return c.args.size() == 2 || Fail(c, kSyntax);
}

bool ParseKillFilter(Context& c, ClientFilter* filter) { return ParseConditions(c, filter); }

bool Matches(const Context& c, const ClientFilter& filter, const Client& client) {
  constexpr std::int64_t kMsPerSecond = 1000;
  const std::int64_t age_s = (c.engine.now_ms() - client.connected_ms) / kMsPerSecond;
  return (filter.ids.empty() ||
          std::find(filter.ids.begin(), filter.ids.end(), client.id) != filter.ids.end()) &&
         (!filter.address || HasAddress(client, *filter.address)) &&
         (!filter.local_address || LocalAddress(c.engine, client) == *filter.local_address) &&
         (!filter.type || TypeOf(client) == *filter.type) && MeetsAll(c, filter.newer, client) &&
         age_s >= filter.least_age_s && !(client.id == c.client.id && filter.skip_me);
}

}  // namespace interlock::sim::redis
