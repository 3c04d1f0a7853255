// SPDX-License-Identifier: MIT
#include "scenarios/locks/owner_key.h"

#include <optional>
#include <string>
#include <utility>

namespace interlock::scenarios {

std::vector<harness::Owner> OwnersAt(const harness::ServerView& server, std::string_view key) {
  std::vector<harness::Owner> owners;
  std::optional<std::string> token = server.String(key);
  if (token)
    owners.push_back({std::move(*token), server.ExpiresAtMs(key), false, harness::LastMs::kOwned});
  return owners;
}

}  // namespace interlock::scenarios
