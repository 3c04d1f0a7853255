// SPDX-License-Identifier: MIT
//
// The conditions that Valkey has added to CLIENT LIST and CLIENT KILL since 9.0: NAME, IP, FLAGS
// ... and, of these and the older ones, what must not be (NOT-ID). Source: servers and their
// answers. Thread safety: plain data.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "sim/redis/context.h"

namespace interlock::sim::redis {

struct ClientCondition {
  std::string_view what;  ///< "name", "id" ...
  bool negated = false;
  std::string_view value;     ///< as given; the command's words outlive it
  std::int64_t number = 0;    ///< the value of IDLE and DB
  std::vector<ClientId> ids;  ///< of ID
};
using ClientConditions = std::vector<ClientCondition>;

/// Takes one condition from the front of `left`, if it is one of these. Returns false if it is
/// none, or, with an error as reply, if it is wrong.
bool TakeClientCondition(Context& c, Arguments* left, ClientConditions* conditions);

/// No client has an empty one, not even one that is in this program and has none.
bool HasAddress(const Client& client, std::string_view address);
bool MeetsAll(const Context& c, const ClientConditions& conditions, const Client& client);

}  // namespace interlock::sim::redis
