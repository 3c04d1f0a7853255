// SPDX-License-Identifier: MIT
#include "scenarios/log/key_limits.h"

#include <algorithm>

namespace interlock::scenarios {
namespace {

bool Matches(const harness::AuxiliaryKey& pattern, std::string_view key) {
  const std::string_view text = pattern.key;
  if (!text.empty() && text.back() == '*') return key.starts_with(text.substr(0, text.size() - 1));
  return key == text;
}

}  // namespace

std::int64_t KeyLimits::Of(std::string_view key) const {
  std::int64_t allowed = lease_ms;
  for (const harness::AuxiliaryKey& pattern : auxiliary) {
    if (Matches(pattern, key)) allowed = std::max<std::int64_t>(allowed, pattern.max_ttl.count());
  }
  return allowed;
}

bool KeyLimits::Allow(std::string_view key, std::int64_t left_ms) const {
  return left_ms <= lease_ms ||
         std::ranges::any_of(auxiliary, [&](const harness::AuxiliaryKey& pattern) {
           return left_ms <= pattern.max_ttl.count() && Matches(pattern, key);
         });
}

std::optional<OutlivingKey> FindOutliving(std::string_view key,
                                          std::optional<std::int64_t> expires_at_ms,
                                          std::optional<std::int64_t> now_ms,
                                          const KeyLimits& limits) {
  std::optional<std::int64_t> left;
  if (expires_at_ms.has_value()) {
    if (!now_ms.has_value()) return std::nullopt;
    left = *expires_at_ms - *now_ms;
    if (limits.Allow(key, *left)) return std::nullopt;
  }
  const std::int64_t allowed = limits.Of(key);
  if (allowed == KeyLimits::kForEver) return std::nullopt;
  return OutlivingKey{.key = std::string(key), .left_ms = left, .allowed_ms = allowed};
}

std::optional<OutlivingKey> FindOutliving(const Ledger::Look& look, const KeyLimits& limits) {
  for (const SeenOwner& owner : look.owners) {
    if (owner.expires_at_ms == kNoDeadline) continue;  // then it is its key that has no TTL
    const std::int64_t left = owner.expires_at_ms - look.now_ms;
    if (left > limits.lease_ms) return OutlivingKey{.left_ms = left, .allowed_ms = limits.lease_ms};
  }
  return std::nullopt;
}

}  // namespace interlock::scenarios
