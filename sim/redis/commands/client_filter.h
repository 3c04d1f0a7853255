// SPDX-License-Identifier: MIT
//
// Which clients CLIENT LIST and CLIENT KILL mean.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "sim/redis/commands/client_conditions.h"
#include "sim/redis/context.h"

namespace interlock::sim::redis {

enum class ClientType : std::uint8_t { kNormal, kReplica, kPubSub, kMaster };

/// False, with an error as reply, if it is none.
bool ParseClientType(Context& c, std::string_view text, std::optional<ClientType>* type);
/// REQUIRES: ParseClientType.
bool IsOfType(const Client& client, std::string_view type);

struct ClientFilter {
  std::vector<ClientId> ids;  ///< one of them; empty: any
  std::optional<std::string_view> address;
  std::optional<std::string_view> local_address;
  std::optional<ClientType> type;
  std::int64_t least_age_s = 0;
  bool skip_me = false;
  ClientConditions newer;
};

/// Reads what follows CLIENT LIST: a type or nothing in Redis, any conditions in Valkey. False: the
/// error is the reply.
bool ParseListFilter(Context& c, ClientFilter* filter);
/// Reads what follows CLIENT KILL in its newer form. False: the error is the reply.
bool ParseKillFilter(Context& c, ClientFilter* filter);

bool Matches(const Context& c, const ClientFilter& filter, const Client& client);

}  // namespace interlock::sim::redis
