// SPDX-License-Identifier: MIT
//
// Keys (LK011): (a) no key without a TTL, or with a longer one than it may have, after any command;
// (b) no ownership entry that its client
// does not know of stays until its TTL after the client was told a definite outcome, (c) at the end
// nothing is left that will not go away within the lease, but for declared auxiliary keys within
// their own.
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

/// How long keys may live at most, in ms from any command on.
struct KeyLimits {
  std::int64_t lease_ms = 0;
  std::vector<harness::AuxiliaryKey> auxiliary;  ///< what is none of them is an ownership key
  /// kForEver: it needs no TTL.
  std::int64_t Of(std::string_view key) const;
  /// The same as whether that is no less than `left_ms`, without a look at all that it may be.
  bool Allow(std::string_view key, std::int64_t left_ms) const;
  static constexpr std::int64_t kForEver = std::chrono::milliseconds::max().count();
};

/// (a), after a command of `client`, at server time `now_ms`; nullopt: the server's clock was set,
/// and only what has no TTL at all is judged. True: the key lives too long, and is reported.
bool JudgeTtl(std::string_view key, std::optional<std::int64_t> expires_at_ms,
              std::optional<std::int64_t> now_ms, const KeyLimits& limits, int client,
              VirtualTime now, std::vector<Violation>& violations);
/// The same of all keys; the first such one is reported.
void JudgeTtls(const std::vector<sim::redis::Server::KeyInfo>& keys,
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

struct Property;
extern const Property kKeysProperty;

}  // namespace interlock::scenarios
