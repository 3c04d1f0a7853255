// SPDX-License-Identifier: MIT
//
// The members of an event's details, for whatever goes through all of them: writing, reading, and
// moving instants. A visitor has Time (an instant; kOpen: none), Length, and Value for all else.
#pragma once

#include <variant>

#include "scenarios/log/details.h"

namespace interlock::scenarios {

template <typename Visitor>
class DetailsVisitor {
 public:
  explicit DetailsVisitor(Visitor& visitor) : to_(visitor) {}

  void operator()(std::monostate& /*none*/) {}
  void operator()(AskDetails& of) {
    to_.Value("ask", of.ask);
    to_.Value("shared", of.shared);
    to_.Value("stopped", of.stopped);
    to_.Value("beside", of.beside);
    to_.Length("patience_ns", of.patience);
    to_.Time("due_ns", of.due);
    to_.Value("commands", of.commands);
  }
  void operator()(AnswerDetails& of) {
    to_.Value("status", of.status);
    to_.Value("error", of.error);
    to_.Value("commands", of.commands);
  }
  void operator()(GrantDetails& of) {
    to_.Value("token", of.token);
    to_.Value("fencing_token", of.fencing_token);
    to_.Time("valid_until_ns", of.valid_until);
    to_.Time("sent_ns", of.sent);
    to_.Value("commands", of.commands);
  }
  void operator()(ExtendedDetails& of) {
    to_.Value("status", of.status);
    to_.Time("valid_until_ns", of.valid_until);
  }
  void operator()(ValidDetails& of) {
    to_.Value("valid", of.valid);
    to_.Time("valid_until_ns", of.valid_until);
  }
  void operator()(EndDetails& of) {
    to_.Value("operation", of.operation);
    to_.Value("commands", of.commands);
    to_.Value("exit_code", of.exit_code);
  }
  void operator()(ToldDetails& of) { to_.Value("told", of.told); }
  void operator()(LimitDetails& of) { to_.Value("limit", of.limit); }
  void operator()(HolderDetails& of) { to_.Value("token", of.token); }
  void operator()(PartyDetails& of) { to_.Value("party", of.party); }
  void operator()(StopDetails& of) { to_.Length("length_ns", of.length); }
  void operator()(AccessDetails& of) { to_.Value("fencing_token", of.fencing_token); }
  void operator()(SendDetails& of) {
    to_.Value("connection", of.connection);
    to_.Value("command", of.command);
    to_.Value("bytes", of.bytes);
  }
  void operator()(ReplyDetails& of) {
    to_.Value("connection", of.connection);
    to_.Value("reply", of.reply);
    to_.Value("text", of.text);
  }
  void operator()(WokenDetails& of) { to_.Value("by", of.by); }
  void operator()(OwnerDetails& of) {
    to_.Value("token", of.token);
    to_.Length("left_ns", of.left);
    to_.Value("expired", of.expired);
  }
  void operator()(KeyDetails& of) {
    to_.Value("key", of.key);
    to_.Value("by_value", of.by_value);
  }
  void operator()(FaultDetails& of) {
    to_.Value("fault", of.fault);
    to_.Time("until_ns", of.until);
  }

 private:
  Visitor& to_;
};

template <typename Visitor>
void VisitDetails(EventDetails& details, Visitor& visitor) {
  std::visit(DetailsVisitor<Visitor>(visitor), details);
}

}  // namespace interlock::scenarios
