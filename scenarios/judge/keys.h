// SPDX-License-Identifier: MIT
//
// Keys (LK011): (a) after any command, no key lacks a TTL or has a longer one than allowed; (b)
// once a client was told a definite outcome, no ownership entry unknown to it is left to run out
// its TTL; (c) everything left at the end disappears within the lease, or declared auxiliary keys
// within their own limits.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include <interlock/harness/lock.h>

#include "scenarios/judge/ledger.h"
#include "scenarios/log/history.h"
#include "sim/redis/server.h"

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

/// (a), after a command of `client`, at server time `now_ms`; nullopt: the server's clock was set,
/// so only keys without any TTL are judged. Returns true, and reports it, if the key lives too
/// long.
bool JudgeTtl(std::string_view key, std::optional<std::int64_t> expires_at_ms,
              std::optional<std::int64_t> now_ms, const KeyLimits& limits, int client,
              VirtualTime now, std::vector<Violation>& violations);

/// (a) for ownership entries that carry deadlines of their own, such as members of a sorted set.
void JudgeDeadlines(const Ledger::Look& look, const KeyLimits& limits, int client, VirtualTime now,
                    std::vector<Violation>& violations);

/// (b), after the run.
void JudgeOrphans(const History& history, std::vector<Violation>& violations);

/// (c), after the run, at server time `now_ms`.
void JudgeLeftovers(const std::vector<sim::redis::Server::KeyInfo>& keys, std::int64_t now_ms,
                    const KeyLimits& limits, const History& history,
                    std::vector<Violation>& violations);

}  // namespace interlock::scenarios
