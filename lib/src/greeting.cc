// SPDX-License-Identifier: MIT
#include "src/greeting.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

namespace interlock {
namespace {

// What the server may stop saying by itself; every other refusal is the fault of the options.
bool IsPassing(std::string_view error) {
  constexpr std::array<std::string_view, 8> kPassing = {
      "LOADING", "BUSY",     "MASTERDOWN",  "DENIED",
      "MISCONF", "TRYAGAIN", "CLUSTERDOWN", "ERR max number of clients"};
  return std::any_of(kPassing.begin(), kPassing.end(),
                     [&](std::string_view prefix) { return error.starts_with(prefix); });
}

Status Judge(std::string_view command, const Reply& reply, const std::string& endpoint) {
  if (!reply.IsError()) return Status();
  const std::string_view error = reply.text;
  if (command == "PING" && (error.starts_with("NOPERM") || error.starts_with("MISCONF"))) {
    return Status();
  }
  const bool quotes_password = command == "AUTH" && !error.starts_with("ERR max") &&
                               !error.starts_with("ERR AUTH <password> called without any");
  const std::string_view shown = quotes_password ? error.substr(0, error.find(' ')) : error;
  return Status(
      IsPassing(error) ? StatusCode::kUnavailable : StatusCode::kInvalidArgument,
      endpoint + ": the server refused " + std::string(command) + ": " + std::string(shown));
}

}  // namespace

// All commands go out at once, however many there are. With neither credentials nor database a PING
// shows whether the server takes commands at all.
Status Greet(Connection& connection, const HiredisOptions& options, const std::string& endpoint,
             MonotonicTime deadline) {
  const std::string database = std::to_string(options.database);
  std::vector<std::vector<std::string_view>> commands;
  if (!options.password.empty()) {
    commands.push_back({"AUTH"});
    if (!options.user.empty()) commands.back().push_back(options.user);
    commands.back().push_back(options.password);
  }
  if (options.database != 0) commands.push_back({"SELECT", database});
  if (commands.empty()) commands.push_back({"PING"});
  for (const auto& command : commands) {
    if (Status sent = connection.Send(command, deadline); !sent.ok()) {
      return Status(StatusCode::kUnavailable, sent.message());
    }
  }
  for (const auto& command : commands) {
    const Result<Reply> reply = connection.Receive(deadline);
    // Nothing that could matter was asked for, so a lost reply is no unknown outcome here.
    if (!reply.ok()) return Status(StatusCode::kUnavailable, reply.status().message());
    if (Status ready = Judge(command.front(), *reply, endpoint); !ready.ok()) return ready;
  }
  return Status();
}

}  // namespace interlock
