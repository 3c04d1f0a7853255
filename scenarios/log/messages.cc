// SPDX-License-Identifier: MIT
#include "scenarios/log/messages.h"

#include <cstddef>
#include <map>
#include <utility>

namespace interlock::scenarios {
namespace {

using reports::MessagePart;
using sim::TraceKind;

MessagePart PartOf(TraceKind kind) {
  switch (kind) {
    case TraceKind::kSend:
      return MessagePart::kSend;
    case TraceKind::kExecute:
      return MessagePart::kExecute;
    case TraceKind::kReply:
      return MessagePart::kReply;
    case TraceKind::kReceive:
      return MessagePart::kReceive;
    default:
      return MessagePart::kNone;
  }
}

}  // namespace

std::vector<MessageEnd> MessagesOf(const std::vector<sim::TraceEvent>& events) {
  std::vector<MessageEnd> ends(events.size());
  std::map<std::pair<int, std::uint64_t>, std::uint64_t> messages;  // by process and command
  std::map<std::uint64_t, std::size_t> departed;                    // by message, if in flight
  for (std::size_t i = 0; i < events.size(); ++i) {
    const MessagePart part = PartOf(events[i].kind);
    if (part == MessagePart::kNone || events[i].command == 0) continue;
    const std::pair key(events[i].process, events[i].command);
    const std::uint64_t message = messages.try_emplace(key, messages.size() + 1).first->second;
    const bool departs = part == MessagePart::kSend || part == MessagePart::kReply;
    ends[i] = {part, message, departs};
    if (departs) {
      departed[message] = i;
    } else if (const auto from = departed.find(message); from != departed.end()) {
      ends[from->second].lost = false;
      departed.erase(from);
    }
  }
  return ends;
}

}  // namespace interlock::scenarios
