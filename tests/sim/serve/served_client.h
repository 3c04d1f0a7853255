// SPDX-License-Identifier: MIT
//
// What a client of `interlock serve` is answered, in few words.
#pragma once

#include <cstdint>
#include <string>

#include "sim/redis/resp.h"
#include "tests/redis/differential/wire_client.h"

namespace interlock::scenarios::testing {

/// The text of the answer.
inline std::string Ask(interlock::testing::WireClient& client, const sim::redis::Argv& argv) {
  return sim::redis::ToText(client.Call(argv));
}

inline std::int64_t AskNumber(interlock::testing::WireClient& client,
                              const sim::redis::Argv& argv) {
  return client.Call(argv).integer;
}

/// The server has hung up, by an end of file or a reset.
inline bool HasEnded(interlock::testing::WireClient& client) {
  while (!client.closed()) {
    if (!client.Read().has_value()) break;
  }
  return client.closed();
}

}  // namespace interlock::scenarios::testing
