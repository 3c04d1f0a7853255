// SPDX-License-Identifier: MIT
//
// What an event says beside its kind (event.h): one structure for each form that this takes.
// Each goes through its members for a visitor, see VisitDetails. Thread safety: plain data.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

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

  void Visit(auto& to) {
    to.Value("ask", ask);
    to.Value("shared", shared);
    to.Value("stopped", stopped);
    to.Value("beside", beside);
    to.Length("patience_ns", patience);
    to.Time("due_ns", due);
    to.Value("commands", commands);
  }
};

struct AnswerDetails {
  StatusCode status = StatusCode::kOk;
  std::string error = {};      ///< what an error said
  std::uint64_t commands = 0;  ///< sent by the client so far

  void Visit(auto& to) {
    to.Value("status", status);
    to.Value("error", error);
    to.Value("commands", commands);
  }
};

struct GrantDetails {
  std::string token = {};  ///< the owner's; empty: it shows none
  std::optional<std::uint64_t> fencing_token = {};
  VirtualTime valid_until = kOpen;  ///< as its client believes
  VirtualTime sent = kOpen;         ///< before the client's last command was sent; kOpen: not known
  std::uint64_t commands = 0;       ///< sent by the client so far

  void Visit(auto& to) {
    to.Value("token", token);
    to.Value("fencing_token", fencing_token);
    to.Time("valid_until_ns", valid_until);
    to.Time("sent_ns", sent);
    to.Value("commands", commands);
  }
};

struct ExtendedDetails {
  StatusCode status = StatusCode::kOk;
  VirtualTime valid_until = kOpen;

  void Visit(auto& to) {
    to.Value("status", status);
    to.Time("valid_until_ns", valid_until);
  }
};

struct ValidDetails {
  bool valid = false;
  VirtualTime valid_until = kOpen;  ///< as it had been told before

  void Visit(auto& to) {
    to.Value("valid", valid);
    to.Time("valid_until_ns", valid_until);
  }
};

struct EndDetails {
  int operation = 0;           ///< kDied: index of the one that its plan was at
  std::uint64_t commands = 0;  ///< sent by the client so far
  int exit_code = 0;           ///< kEnded: of its process

  void Visit(auto& to) {
    to.Value("operation", operation);
    to.Value("commands", commands);
    to.Value("exit_code", exit_code);
  }
};

struct ToldDetails {
  bool told = false;  ///< in time
  void Visit(auto& to) { to.Value("told", told); }
};

struct LimitDetails {
  int limit = 0;
  void Visit(auto& to) { to.Value("limit", limit); }
};

struct HolderDetails {
  std::string token = {};
  void Visit(auto& to) { to.Value("token", token); }
};

struct PartyDetails {
  int party = 0;
  void Visit(auto& to) { to.Value("party", party); }
};

struct StopDetails {
  Duration length{};
  void Visit(auto& to) { to.Length("length_ns", length); }
};

struct AccessDetails {
  std::uint64_t fencing_token = 0;
  void Visit(auto& to) { to.Value("fencing_token", fencing_token); }
};

struct SendDetails {
  int connection = 0;  ///< number among the client's
  std::string command = {};
  std::int64_t bytes = 0;  ///< of its arguments

  void Visit(auto& to) {
    to.Value("connection", connection);
    to.Value("command", command);
    to.Value("bytes", bytes);
  }
};

/// The outcome of a command; errors are the server's own.
enum class ReplyKind : std::uint8_t { kReply, kError, kNone };

struct ReplyDetails {
  int connection = 0;
  ReplyKind reply = ReplyKind::kReply;
  std::string text = {};  ///< what it says, where that is logged

  void Visit(auto& to) {
    to.Value("connection", connection);
    to.Value("reply", reply);
    to.Value("text", text);
  }
};

struct WokenDetails {
  std::string by = {};  ///< the blocked command, or "message"
  void Visit(auto& to) { to.Value("by", by); }
};

struct OwnerDetails {
  std::string token = {};
  Duration left{};       ///< kProlonged: what was left of its time
  bool expired = false;  ///< kFreed

  void Visit(auto& to) {
    to.Value("token", token);
    to.Length("left_ns", left);
    to.Value("expired", expired);
  }
};

struct KeyDetails {
  std::string key = {};
  bool by_value = false;  ///< it is still there, but the time that is written in it has passed

  void Visit(auto& to) {
    to.Value("key", key);
    to.Value("by_value", by_value);
  }
};

struct FaultDetails {
  std::string fault = {};  ///< in words
  VirtualTime until = kOpen;

  void Visit(auto& to) {
    to.Value("fault", fault);
    to.Time("until_ns", until);
  }
};

}  // namespace interlock::scenarios
