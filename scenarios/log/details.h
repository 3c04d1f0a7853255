// SPDX-License-Identifier: MIT
//
// What an event says beside its kind (event.h): one structure for each form that this takes.
// visit_details.h goes through their members. Thread safety: plain data.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>

#include <interlock/result.h>

#include "scenarios/cases/workload.h"
#include "scenarios/log/mishaps.h"

namespace interlock::scenarios {

struct AskDetails {
  Ask ask = Ask::kTry;
  bool shared = false;         ///< as a reader
  bool stopped = false;        ///< its wait was asked to stop before it began
  bool beside = false;         ///< of a request for several resources, this is not the first
  Duration patience{};         ///< kWaitFor: how long it will wait
  VirtualTime due = kOpen;     ///< when it was due to ask; kOpen: when it did
  std::uint64_t commands = 0;  ///< sent by the client before
};

struct AnswerDetails {
  StatusCode status = StatusCode::kOk;
  std::string error = {};      ///< what an error said
  std::uint64_t commands = 0;  ///< sent by the client so far
};

struct GrantDetails {
  std::string token = {};  ///< the owner's; empty: it shows none
  std::optional<std::uint64_t> fencing_token = {};
  VirtualTime valid_until = kOpen;  ///< as its client believes
  VirtualTime sent = kOpen;         ///< before the client's last command was sent; kOpen: not known
  std::uint64_t commands = 0;       ///< sent by the client so far
};

struct ExtendedDetails {
  StatusCode status = StatusCode::kOk;
  VirtualTime valid_until = kOpen;
};

struct ValidDetails {
  bool valid = false;
  VirtualTime valid_until = kOpen;  ///< as it had been told before
};

struct EndDetails {
  int operation = 0;           ///< kDied: index of the one that its plan was at
  std::uint64_t commands = 0;  ///< sent by the client so far
  int exit_code = 0;           ///< kEnded: of its process
};

struct ToldDetails {
  bool told = false;  ///< in time
};

struct LimitDetails {
  int limit = 0;
};

struct HolderDetails {
  std::string token = {};
};

struct PartyDetails {
  int party = 0;
};

struct StopDetails {
  Duration length{};
};

struct AccessDetails {
  std::uint64_t fencing_token = 0;
};

struct SendDetails {
  int connection = 0;  ///< number among the client's
  std::string command = {};
  std::int64_t bytes = 0;  ///< of its arguments
};

/// The outcome of a command; errors are the server's own.
enum class ReplyKind : std::uint8_t { kReply, kError, kNone };

struct ReplyDetails {
  int connection = 0;
  ReplyKind reply = ReplyKind::kReply;
  std::string text = {};  ///< what it says, where that is logged
};

struct WokenDetails {
  std::string by = {};  ///< the blocked command, or "message"
};

struct OwnerDetails {
  std::string token = {};
  Duration left{};       ///< kProlonged: what was left of its time
  bool expired = false;  ///< kFreed
};

struct KeyDetails {
  std::string key = {};
  bool by_value = false;  ///< it is still there, but the time that is written in it has passed
};

struct FaultDetails {
  std::string fault = {};  ///< in words
  VirtualTime until = kOpen;
};

using EventDetails =
    std::variant<std::monostate, AskDetails, AnswerDetails, GrantDetails, ExtendedDetails,
                 ValidDetails, EndDetails, ToldDetails, LimitDetails, HolderDetails, PartyDetails,
                 StopDetails, AccessDetails, SendDetails, ReplyDetails, WokenDetails, OwnerDetails,
                 KeyDetails, FaultDetails>;

}  // namespace interlock::scenarios
