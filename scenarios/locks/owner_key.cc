// SPDX-License-Identifier: MIT
#include "scenarios/locks/owner_key.h"

#include <cstdint>
#include <optional>
#include <utility>

namespace interlock::scenarios {

std::vector<harness::Owner> OwnersAt(const harness::ServerView& server, std::string_view key) {
  std::vector<harness::Owner> owners;
  std::optional<std::string> token = server.String(key);
  if (token)
    owners.push_back({std::move(*token), server.ExpiresAtMs(key), false, harness::LastMs::kOwned});
  return owners;
}

std::vector<harness::Owner> MembersAt(const harness::ServerView& server, std::string_view key) {
  std::vector<harness::Owner> owners;
  for (auto& [token, score] : server.SortedSet(key)) {
    const auto expires_at_ms = static_cast<std::int64_t>(score);
    if (expires_at_ms >= server.NowMs())
      owners.push_back({token, expires_at_ms, false, harness::LastMs::kOwned});
  }
  return owners;
}

std::vector<harness::Owner> WriterAndReadersAt(const harness::ServerView& server,
                                               const std::string& key) {
  std::vector<harness::Owner> owners = OwnersAt(server, key);
  for (harness::Owner& reader : MembersAt(server, key + ":readers")) {
    reader.shared = true;
    owners.push_back(std::move(reader));
  }
  return owners;
}

}  // namespace interlock::scenarios
