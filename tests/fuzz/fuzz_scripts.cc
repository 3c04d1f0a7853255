// SPDX-License-Identifier: MIT
//
// Hostile scripts, as script_grammar.h makes them of bytes: the first says how a script is run, and
// the rest become scripts until there are no more. Claims: a script gets one reply, which is
// well-formed; the server then answers PING, runs another script, and has the memory for one that
// needs half of what it may have; a script that another client kills ends; the same scripts get the
// same replies on the server after Reset, where each runs in Lua from its beginning.
//
// With INTERLOCK_SHOW_SCRIPTS in the environment the scripts are printed with what they get.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sim/redis/engine.h"
#include "sim/redis/server.h"
#include "tests/fuzz/checks.h"
#include "tests/fuzz/script_grammar.h"

namespace interlock::fuzz {
namespace {

using sim::redis::Argv;
using sim::redis::ClientId;
using sim::redis::Server;
using sim::redis::ToText;
using sim::redis::Value;

constexpr std::int64_t kStartUs = 1'700'000'000'000'000;
constexpr std::size_t kMemory = std::size_t{8} << 20;
constexpr int kMostScripts = 3;
// A killer lets a script run for so many steps of its handler first.
constexpr int kPatience = 8;

// How a script runs: until somebody kills it, or until the server has enough of it, which takes ten
// times as long.
enum Mode : std::size_t { kKilled, kLimited };
constexpr std::size_t kLimitedIn = 8;

class Play final : private sim::redis::Sink {
 public:
  explicit Play(Server* server) : server_(*server) {}

  /// Everything that was answered.
  std::string Run(std::string_view bytes) {
    ByteChoices choices(bytes);
    const auto mode = choices.Below(kLimitedIn) + 1 == kLimitedIn ? kLimited : kKilled;
    server_.SetSink(this);
    server_.SetUnmodelledIsError(true);
    server_.SetTime(now_us_);
    if (mode == kKilled) server_.SetLongScriptHandler([this] { OnLongScript(); });
    client_ = server_.Connect();
    other_ = server_.Connect();
    for (int i = 0; i < kMostScripts && (i == 0 || !choices.empty()); ++i) {
      RunOne(HostileScript(&choices, ScriptKind::kAnything), mode);
    }
    server_.SetLongScriptHandler({});
    for (const ClientId client : {client_, other_}) server_.Disconnect(client);
    return std::move(transcript_);
  }

 private:
  void OnReply(ClientId client, Value& value) override {
    CheckEncoding(value, server_.ProtocolOf(client));
    transcript_.append(std::to_string(client)).append(" ").append(ToText(value)).append("\n");
    replies_.emplace_back(client, std::move(value));
  }
  void OnClosed(ClientId) override { Check(false, "nobody is closed", transcript_); }

  // Read-only, so that it can be killed at any time.
  void RunOne(const std::string& script, Mode mode) {
    steps_ = 0;
    script_ = script;
    const bool shown = std::getenv("INTERLOCK_SHOW_SCRIPTS") != nullptr;
    if (shown) std::fprintf(stderr, "%s\n", script.c_str());
    const Value reply =
        Ask(client_, {mode == kKilled ? "EVAL_RO" : "EVAL", script, "1", "key", "argument"});
    if (shown) std::fprintf(stderr, "=> %s\n", ToText(reply).substr(0, 500).c_str());
    steps_ = -10 * kPatience;  // Nobody kills these.
    Expect(client_, {"PING"}, "PONG");
    Expect(other_, {"EVAL", "return 2", "0"}, "(integer) 2");
    Expect(client_, {"EVAL", "local t={} for i=1,1e5 do t[i]=i end return #t", "0"},
           "(integer) 100000");
  }

  void OnLongScript() {
    now_us_ += 1'000'000;
    server_.SetTime(now_us_);
    if (++steps_ < kPatience) return;
    if (steps_ == kPatience) {
      const Value refused = Ask(other_, {"PING"});
      Check(refused.type == Value::Type::kError && refused.text.starts_with("BUSY"),
            "others hear that a script is busy", script_);
    }
    Expect(other_, {"SCRIPT", "KILL"}, "OK");
    Check(steps_ < 10 * kPatience, "a killed script ends", script_);
  }

  Value Ask(ClientId client, const Argv& argv) {
    // Inside of a long script the replies of others come before its own.
    server_.Execute(client, argv);
    Check(!replies_.empty() && replies_.back().first == client, "a command gets its reply",
          script_);
    Value value = std::move(replies_.back().second);
    replies_.pop_back();
    return value;
  }

  void Expect(ClientId client, const Argv& argv, std::string_view text) {
    const std::string got = ToText(Ask(client, argv));
    Check(got == text, "the server still serves", script_ + "\n" + ToText(argv) + "\n" + got);
  }

  Server& server_;
  std::int64_t now_us_ = kStartUs;
  ClientId client_ = 0;
  ClientId other_ = 0;
  int steps_ = 0;
  std::string script_;
  std::vector<std::pair<ClientId, Value>> replies_;
  std::string transcript_;
};

}  // namespace
}  // namespace interlock::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace interlock::fuzz;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  interlock::sim::redis::Server server;
  server.SetScriptMemory(kMemory);
  const std::string first = Play(&server).Run(bytes);
  server.Reset();
  server.engine().runs_all_in_lua = true;
  const std::string second = Play(&server).Run(bytes);
  Check(first == second, "the same scripts give the same replies", first + "\nor\n" + second);
  return 0;
}
