// SPDX-License-Identifier: MIT
//
// How long a lock's keys and ownership entries may live, and the first that lives longer.
//
// Thread safety: plain data.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <interlock/harness/lock.h>

#include "scenarios/log/ledger.h"

namespace interlock::scenarios {

/// The longest that keys may live, in ms after any command.
struct KeyLimits {
  std::int64_t lease_ms = 0;
  std::vector<harness::AuxiliaryKey> auxiliary;  ///< keys not among these are ownership keys
  /// kForEver: the key needs no TTL.
  std::int64_t Of(std::string_view key) const;
  /// Whether Of(key) >= left_ms, without searching `auxiliary` when the lease suffices.
  bool Allow(std::string_view key, std::int64_t left_ms) const;
  static constexpr std::int64_t kForEver = std::chrono::milliseconds::max().count();
};

/// After a command of the client a key, or an ownership entry, had longer to live than it may.
struct OutlivingKey {
  VirtualTime at{};
  int client = -1;
  int resource = -1;                         ///< of the entry; a key may belong to any
  std::optional<std::string> key = {};       ///< nullopt: an entry that has a deadline of its own
  std::optional<std::int64_t> left_ms = {};  ///< nullopt: it has no TTL
  std::int64_t allowed_ms = 0;
};

/// The key, if it lives too long at server time `now_ms`; nullopt for that: the server's clock was
/// set, so only keys without any TTL are looked at.
std::optional<OutlivingKey> FindOutliving(std::string_view key,
                                          std::optional<std::int64_t> expires_at_ms,
                                          std::optional<std::int64_t> now_ms,
                                          const KeyLimits& limits);
/// The first ownership entry that carries a deadline of its own, such as a member of a sorted set,
/// and lives too long.
std::optional<OutlivingKey> FindOutliving(const Ledger::Look& look, const KeyLimits& limits);

}  // namespace interlock::scenarios
