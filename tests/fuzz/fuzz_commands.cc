// SPDX-License-Identifier: MIT
//
// Several clients, time and hang-ups as a text of lines, so that an input can be read and written
// by hand; what is none of these is skipped:
//
//   1 SET k "a b" PX 100    client 1 (to 4) sends this; written as redis-cli takes it
//   +250                    the clock moves so many ms (or back: -250), and timers run
//   x 2                     client 2 hangs up; its next command comes on a new connection
//   e                       expired keys are deleted, as by Redis' cron
//
// Claims: one reply for every command, unless the client is blocked; every reply is well-formed; no
// empty container is kept; KEYS and DBSIZE agree; Reset leaves nothing behind: the same input on
// the same server gives the same replies.
#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "sim/redis/resp.h"
#include "sim/redis/server.h"
#include "sim/redis/text.h"
#include "tests/fuzz/checks.h"

namespace interlock::fuzz {
namespace {

using sim::redis::Argv;
using sim::redis::ClientId;
using sim::redis::Server;
using sim::redis::ToText;
using sim::redis::Value;

constexpr std::int64_t kStartMs = 1'700'000'000'000;
constexpr std::int64_t kLongestStepMs = 10'000'000'000;
constexpr int kProbeEvery = 16;

// How many replies it gets cannot be foretold: none or one for each channel, and messages.
bool MakesRepliesUncountable(const Argv& argv) {
  const std::string name = sim::redis::ToLower(argv[0]);
  return name.find("subscribe") != std::string::npos || name == "monitor" ||
         (name == "client" && argv.size() > 1 && sim::redis::ToLower(argv[1]) == "reply");
}

// False for some commands that do not.
bool LetsNothingExpire(const Argv& argv) {
  for (const std::string& argument : argv) {
    const std::string text = sim::redis::ToLower(argument);
    for (const char* part : {"ex", "px", "restore"}) {
      if (text.find(part) != std::string::npos) return false;
    }
  }
  return true;
}

class Play final : private sim::redis::Sink {
 public:
  explicit Play(Server* server) : server_(*server) {}

  /// Everything that was sent to anybody.
  std::string Run(std::string_view text) {
    server_.SetSink(this);
    server_.SetUnmodelledIsError(true);
    server_.SetTime(now_ms_ * 1000);
    int steps = 0;
    while (!text.empty()) {
      const std::size_t end = std::min(text.find('\n'), text.size());
      Step(text.substr(0, end));
      text.remove_prefix(std::min(end + 1, text.size()));
      CheckReplyCounts();
      if (++steps % kProbeEvery == 0) Probe();
    }
    Probe();
    for (Slot& slot : slots_) HangUp(&slot);
    return std::move(transcript_);
  }

 private:
  struct Slot {
    ClientId client = 0;  // 0: not connected.
    int unanswered = 0;
    bool countable = true;
  };

  void OnReply(ClientId client, Value& value) override {
    CheckEncoding(value, server_.ProtocolOf(client));
    if (client == probe_) {
      probed_ = value;
      return;
    }
    transcript_.append(std::to_string(client)).append(" ").append(ToText(value)).append("\n");
    for (Slot& slot : slots_) {
      if (slot.client == client) --slot.unanswered;
    }
  }
  void OnClosed(ClientId client) override {
    transcript_.append(std::to_string(client)).append(" closed\n");
    for (Slot& slot : slots_) {
      if (slot.client == client) slot = Slot();
    }
  }

  void Step(std::string_view line) {
    if (line.empty()) return;
    if (line[0] >= '1' && line[0] <= '4') {
      Send(&slots_[static_cast<std::size_t>(line[0] - '1')], line.substr(1));
    } else if (line[0] == '+' || line[0] == '-') {
      MoveClock(line);
    } else if (line.size() == 3 && line[0] == 'x' && line[2] >= '1' && line[2] <= '4') {
      HangUp(&slots_[static_cast<std::size_t>(line[2] - '1')]);
    } else if (line == "e") {
      server_.RunActiveExpiry();
    }
  }

  void Send(Slot* slot, std::string_view line) {
    sim::redis::RequestParser parser;
    parser.Feed(line);
    parser.Feed("\n");
    if (parser.Next(true) != sim::redis::RequestParser::Outcome::kCommand) return;
    const Argv& argv = parser.command();
    if (IsTooCostly(argv)) return;
    if (slot->client == 0) slot->client = server_.Connect();
    if (MakesRepliesUncountable(argv)) slot->countable = false;
    immortal_ = immortal_ && LetsNothingExpire(argv);
    ++slot->unanswered;
    server_.Execute(slot->client, argv);
  }

  void HangUp(Slot* slot) {
    if (slot->client != 0) server_.Disconnect(slot->client);
    *slot = Slot();
  }

  void MoveClock(std::string_view line) {
    std::int64_t step_ms = 0;
    const std::string_view digits = line.substr(1);
    std::from_chars(digits.data(), digits.data() + digits.size(), step_ms);
    step_ms = std::min(std::max<std::int64_t>(step_ms, 0), kLongestStepMs);
    now_ms_ += line[0] == '+' ? step_ms : -step_ms;
    server_.SetTime(now_ms_ * 1000);
    server_.RunTimers();
  }

  void CheckReplyCounts() {
    for (const Slot& slot : slots_) {
      if (slot.client == 0 || !slot.countable) continue;
      const bool waits = server_.IsBlocked(slot.client);
      Check(waits ? slot.unanswered > 0 : slot.unanswered == 0,
            "every command gets one reply, unless its client is blocked", transcript_);
    }
  }

  // The reply to a command on a connection of its own; nothing while the server stands still.
  std::optional<Value> Ask(const Argv& argv) {
    probed_.reset();
    server_.Execute(probe_, argv);
    return std::move(probed_);
  }

  void Probe() {
    probe_ = server_.Connect();
    const std::optional<Value> size = Ask({"DBSIZE"});
    const std::optional<Value> keys = size ? Ask({"KEYS", "*"}) : std::nullopt;
    if (keys && keys->type == Value::Type::kArray) {
      const auto count = static_cast<std::int64_t>(keys->elements.size());
      Check(immortal_ ? size->integer == count : size->integer >= count,
            "DBSIZE counts the keys that KEYS names, and dead ones", transcript_);
      Check(keys->elements.size() == server_.PeekKeys(0).size(), "KEYS names the live keys",
            transcript_);
      for (const Server::KeyInfo& info : server_.PeekKeys(0)) CheckNotEmpty(info.key);
    }
    server_.Disconnect(probe_);
    probe_ = 0;
  }

  void CheckNotEmpty(const std::string& key) {
    const std::optional<Value> type = Ask({"TYPE", key});
    if (!type || type->type != Value::Type::kStatus) return;
    const std::array<std::pair<const char*, const char*>, 4> lengths = {
        {{"list", "LLEN"}, {"hash", "HLEN"}, {"set", "SCARD"}, {"zset", "ZCARD"}}};
    for (const auto& [name, command] : lengths) {
      if (type->text != name) continue;
      const std::optional<Value> length = Ask({command, key});
      Check(length && (length->type != Value::Type::kInteger || length->integer > 0),
            "an empty container is no key", key);
    }
  }

  Server& server_;
  std::array<Slot, 4> slots_;
  ClientId probe_ = 0;
  std::optional<Value> probed_;
  bool immortal_ = true;  // No key has ever had a TTL.
  std::int64_t now_ms_ = kStartMs;
  std::string transcript_;
};

void CheckFresh(Server* server) {
  server->Reset();
  Check(server->time_us() == 0, "Reset puts the clock back");
  Check(!server->unmodelled().has_value(), "Reset forgets what was not modelled");
  Check(!server->NextTimerUs().has_value(), "Reset leaves no timer");
  for (int database = 0; database < 16; ++database) {
    Check(server->PeekKeys(database).empty(), "Reset leaves no key");
  }
}

}  // namespace
}  // namespace interlock::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace interlock::fuzz;
  interlock::sim::redis::Server server;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const std::string first = Play(&server).Run(text);
  CheckFresh(&server);
  const std::string second = Play(&server).Run(text);
  CheckFresh(&server);
  Check(first == second, "the same input gives the same replies", first + "\nor\n" + second);
  return 0;
}
