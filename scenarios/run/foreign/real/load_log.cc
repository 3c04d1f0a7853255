// SPDX-License-Identifier: MIT
#include "scenarios/run/foreign/real/load_log.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "scenarios/run/foreign/words.h"
#include "sim/redis/text.h"

namespace interlock::scenarios::drive {
namespace {

using sim::redis::Argv;
using sim::redis::Value;

/// Whether the command blocks in the server until another client acts.
bool Sleeps(std::string_view command) {
  constexpr std::array<std::string_view, 8> kSleeping = {
      "blpop", "brpop", "blmove", "blmpop", "brpoplpush", "bzpopmin", "bzpopmax", "bzmpop"};
  return std::ranges::count(kSleeping, command) > 0;
}

bool IsNil(const Value& value) {
  return value.type == Value::Type::kNil || value.type == Value::Type::kNilArray;
}

}  // namespace

LoadLog::LoadLog(int clients, Runtime& runtime)
    : runtime_(runtime), clients_(static_cast<std::size_t>(clients)) {}

void LoadLog::Note(int client, EventKind kind, EventDetails details, int resource) {
  const VirtualTime now = runtime_.Now().time_since_epoch();
  events_.push_back({now, now, client, resource, kind, std::move(details)});
}

int LoadLog::Number(const std::string& section) {
  return sections_.try_emplace(section, static_cast<int>(sections_.size())).first->second;
}

void LoadLog::OnPassed(const Parked& command) {
  const Argv& argv = *command.argv;
  if (const auto section = Enters(argv)) return Enter(command.client, *section);
  if (const auto section = Leaves(argv)) return Leave(command.client, *section);
  if (IsReport(argv)) return;
  Client& client = Of(command.client);
  if (client.doing == Doing::kNothing) Ask(command.client);
  if (client.doing == Doing::kReleasing) client.release_sent = true;
  SendDetails details{.connection = static_cast<int>(command.of_client), .command = argv.front()};
  for (const std::string& word : argv) details.bytes += static_cast<std::int64_t>(word.size());
  Note(command.client, EventKind::kSend, std::move(details));
  client.sent[command.of_client].push_back(sim::redis::ToLower(argv.front()));
}

void LoadLog::OnReply(const Parked& to, const Value& reply, bool /*ordered*/) {
  Client& client = Of(to.client);
  auto& sent = client.sent[to.of_client];
  if (sent.empty()) return;  // a further reply to one command
  const std::string command = std::move(sent.front());
  sent.pop_front();
  const bool error = reply.type == Value::Type::kError;
  Note(to.client, EventKind::kReply,
       ReplyDetails{static_cast<int>(to.of_client), error ? ReplyKind::kError : ReplyKind::kReply});
  if (Sleeps(command) && !error && !IsNil(reply)) {
    Note(to.client, EventKind::kWoken, WokenDetails{command});
  }
  const bool again = error && reply.text.starts_with("NOSCRIPT");
  if (client.doing == Doing::kReleasing && client.release_sent && !again) Released(to.client);
}

void LoadLog::OnMessage(int client) { Note(client, EventKind::kWoken, WokenDetails{"message"}); }

void LoadLog::Ask(int client) {
  Of(client).doing = Doing::kAsking;
  Of(client).ask = events_.size();
  Note(client, EventKind::kAsk, AskDetails{.ask = scenarios::Ask::kWait});
}

void LoadLog::Enter(int client, const std::string& section) {
  Client& one = Of(client);
  if (one.doing == Doing::kInside) return;
  if (one.doing == Doing::kReleasing) Released(client);
  if (one.doing == Doing::kNothing) Ask(client);  // without a command: it has the lock still
  const int resource = Number(section);
  events_[one.ask].resource = resource;  // which was not known before
  one.doing = Doing::kInside;
  one.section = section;
  ++entries_;
  Note(client, EventKind::kGranted, GrantDetails{}, resource);
  Note(client, EventKind::kEnter, {}, resource);
}

void LoadLog::Leave(int client, const std::string& section) {
  Client& one = Of(client);
  if (one.doing != Doing::kInside || one.section != section) return;
  one.doing = Doing::kReleasing;
  one.release_sent = false;
  Note(client, EventKind::kLeave, {}, Number(section));
  Note(client, EventKind::kRelease, {}, Number(section));
}

void LoadLog::Released(int client) {
  Client& one = Of(client);
  one.doing = Doing::kNothing;
  Note(client, EventKind::kReleased, AnswerDetails{.status = StatusCode::kOk}, Number(one.section));
}

EventLog LoadLog::TakeFrom(MonotonicTime began) {
  EventLog log = std::move(events_);
  for (LogEvent& event : log) CountFrom(began.time_since_epoch(), event);
  return log;
}

}  // namespace interlock::scenarios::drive
