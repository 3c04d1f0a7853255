// SPDX-License-Identifier: MIT
//
// One run as one line of text, for chats, logs and CI output.
//
//   v2:<lock>:<scenario>:<class>:r<run seed, hex>:<crc>         a run as the campaign generated it
//   v2:<lock>:<scenario>:<class>:p<packed, base64url>:<crc>     workload, faults, choices
//
// A token of another major version, a damaged one, or one that names an unknown thing is refused
// with a sentence that says so; it is never mis-replayed. Tokens are for now, files are for keeps.
// Thread safety: pure functions.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include <interlock/result.h>

#include "scenarios/cases/synchrony.h"
#include "scenarios/cases/workload.h"
#include "sim/choices.h"

namespace interlock::scenarios {

struct PackedRun {
  Workload workload;
  sim::Tape tape;
  bool operator==(const PackedRun&) const = default;
};

struct ReplayToken {
  std::string lock;
  std::string scenario;
  SynchronyClass synchrony = SynchronyClass::kNone;
  std::variant<std::uint64_t, PackedRun> run;  ///< a run seed, or the run itself
};

std::string Encode(const ReplayToken& token);

/// The check sum (CRC-32) of all that stands before a token's last colon. Async-signal-safe.
std::uint32_t TokenCheckSum(std::string_view body);

/// kInvalidArgument with what is wrong. A packed run that cannot be run (a lease outside of 1 ms to
/// 24 hours, no clients, no permits, an unknown fault) is refused even if the check sum fits.
Result<ReplayToken> DecodeReplayToken(std::string_view text);
/// The packed run in the token; nullopt: it has none, or is refused.
std::optional<PackedRun> PackedRunIn(std::string_view token);

}  // namespace interlock::scenarios
