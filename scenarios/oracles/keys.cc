// SPDX-License-Identifier: MIT
#include "scenarios/oracles/keys.h"

#include <algorithm>

#include <fmt/format.h>

#include "scenarios/oracles/words.h"

namespace interlock::scenarios {
namespace {

bool Matches(const harness::AuxiliaryKey& pattern, std::string_view key) {
  const std::string_view text = pattern.key;
  if (!text.empty() && text.back() == '*') return key.starts_with(text.substr(0, text.size() - 1));
  return key == text;
}

/// The client was told that the entry may be there, or its request had not ended before the entry
/// did, or the command was held up in the network: nobody can clean up what has not happened yet.
bool IsAccountedFor(const History& history, const ServerHold& entry) {
  for (const Delay& delay : history.delays) {
    if (delay.client == entry.client && delay.interval.from <= entry.granted &&
        entry.granted <= delay.interval.to) {
      return true;
    }
  }
  const auto unknown = [](StatusCode code) { return Status(code).outcome() == Outcome::kUnknown; };
  for (const Attempt& attempt : history.attempts) {
    if (attempt.client != entry.client || attempt.asked > entry.granted) continue;
    if (attempt.answered >= entry.promised_until || unknown(attempt.answer)) return true;
  }
  return false;
}

const ClientHold* FindClientHold(const History& history, const ServerHold& entry) {
  for (const ClientHold& hold : history.holds) {
    if (hold.client == entry.client && hold.token == entry.token) return &hold;
  }
  return nullptr;
}

}  // namespace

void JudgeKeyHasTtl(const std::vector<sim::redis::Server::KeyInfo>& keys, int client,
                    VirtualTime now, std::vector<Violation>& violations) {
  for (const auto& key : keys) {
    if (key.expires_at_ms.has_value()) continue;
    violations.push_back(
        {Judged::kKeys, now, client,
         fmt::format("after a command of {} the key \"{}\" has no TTL", Client(client), key.key)});
    return;
  }
}

void JudgeOrphans(const History& history, std::vector<Violation>& violations) {
  for (const ServerHold& entry : history.server_holds) {
    if (entry.token.empty() || history.crashed[static_cast<std::size_t>(entry.client)] != kOpen) {
      continue;
    }
    if (entry.end == ServerHoldEnd::kReleased || entry.end == ServerHoldEnd::kForeign) continue;
    const ClientHold* hold = FindClientHold(history, entry);
    if (hold == nullptr) {
      if (IsAccountedFor(history, entry)) continue;
      violations.push_back(
          {Judged::kKeys, entry.granted, entry.client,
           fmt::format("the server keeps an ownership entry of {} from {} to its "
                       "TTL; {} was told that it holds nothing",
                       Client(entry.client), Instant(entry.granted), Client(entry.client))});
      return;
    }
    const bool told_released =
        hold->release_returned != kOpen &&
        (hold->release_status == StatusCode::kOk || hold->release_status == StatusCode::kNotOwner ||
         hold->release_status == StatusCode::kLeaseLost);
    if (told_released && hold->release_returned < entry.promised_until) {
      violations.push_back({Judged::kKeys, hold->release_returned, entry.client,
                            fmt::format("{} ended its release at {}, yet its ownership entry stays "
                                        "until {}",
                                        Client(entry.client), Instant(hold->release_returned),
                                        Instant(entry.promised_until))});
      return;
    }
  }
}

void JudgeLeftovers(const std::vector<sim::redis::Server::KeyInfo>& keys, std::int64_t now_ms,
                    const std::vector<harness::AuxiliaryKey>& auxiliary, const History& history,
                    std::vector<Violation>& violations) {
  const std::int64_t lease_ms = history.lease.count() / 1'000'000;
  for (const auto& key : keys) {
    std::int64_t allowed = lease_ms;
    for (const harness::AuxiliaryKey& pattern : auxiliary) {
      if (Matches(pattern, key.key))
        allowed = std::max<std::int64_t>(allowed, pattern.max_ttl.count());
    }
    if (key.expires_at_ms.has_value() && *key.expires_at_ms - now_ms <= allowed) continue;
    violations.push_back(
        {Judged::kKeys, history.end, -1,
         fmt::format("at the end the key \"{}\" is left with {}, longer than the {} "
                     "ms that it may live",
                     key.key,
                     key.expires_at_ms.has_value()
                         ? fmt::format("{} ms to live", *key.expires_at_ms - now_ms)
                         : std::string("no TTL"),
                     allowed)});
    return;
  }
}

}  // namespace interlock::scenarios
