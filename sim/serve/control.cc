// SPDX-License-Identifier: MIT
#include "sim/serve/control.h"

#include <charconv>
#include <variant>
#include <vector>

#include <fmt/format.h>

#include "sim/redis/reply.h"
#include "sim/serve/words.h"

namespace interlock::sim::serve {
namespace {

using redis::ArrayValue;
using redis::ErrorValue;
using redis::IntegerValue;
using redis::StatusValue;
using redis::StringValue;
using redis::Value;

constexpr std::string_view kNamespace = "INTERLOCK.";

constexpr std::string_view kHelp =
    R"(Control commands (any client may send them; with --requirepass and --allow-remote
together it gives the password first; each takes effect at once):
INTERLOCK.CLOCK NOW              the server's clock, Unix time in ms; so do the others answer
INTERLOCK.CLOCK ADVANCE ms       moves it on; what falls due in between happens in order
INTERLOCK.CLOCK SET unix_ms      sets it, backwards too
INTERLOCK.CLOCK RATE x           runs x times as fast as real time (0 < x <= 1000000), once it
                                 runs: a controlled clock needs RUN, too
INTERLOCK.CLOCK FREEZE | RUN     stops it, lets it go on
INTERLOCK.FAULT DELAY ms [count] [TO client-name] [CMD command]
                                 the next count (default 1, or ALWAYS) commands are executed ms
                                 later, even if the client hangs up meanwhile; only those of
                                 clients of that name, only that command: SET, or CLIENT SETNAME,
                                 client|setname. What a client sends to set its connection up
                                 counts, so name the CMD; what a script calls does not, only its
                                 EVAL or EVALSHA
INTERLOCK.FAULT ERROR text ...   answers "-text" instead of executing; inside MULTI, EXEC then
                                 answers EXECABORT
INTERLOCK.FAULT DROPREPLY ...    executes, then the connection is silent for good
INTERLOCK.FAULT RESETBEFORE ...  breaks the connection instead of executing
INTERLOCK.FAULT RESETAFTER ...   executes, then breaks the connection before the reply
INTERLOCK.FAULT HALFOPEN id      the connection of this CLIENT ID is silent for good; the server
                                 still takes the client for alive
INTERLOCK.FAULT STALL ms         the server stands still for ms; its clock goes on
INTERLOCK.FAULT CRASH [ms]       breaks all connections, loses what only memory held, and refuses
                                 service for ms, or until RESTART (SAVE, save and appendonly say
                                 what is on disk)
INTERLOCK.FAULT POWERLOSS [ms]   the same, and what was not synced to disk is lost too
INTERLOCK.FAULT RESTART          up again; without a CRASH before it, a crash and a start at once
INTERLOCK.FAULT CLEAR [number]   disarms one fault, or all of them, and ends stalls and delays
INTERLOCK.FAULT LIST             the armed faults, each with its number; a stall; a down time
INTERLOCK.HELP                   this text
Delays, stalls and down times are measured by the server's clock. A key is gone one ms after its
TTL, as in Redis. Steer over a plain connection (no database, name, password or RESP3): while the
server is down or stalls, only control commands are answered, not what sets a connection up.
SHUTDOWN stops a server that is down, too.
)";

Value Usage(std::string_view what) {
  return ErrorValue(fmt::format("ERR usage: {}; see INTERLOCK.HELP", what));
}

std::string MsRange() { return fmt::format("from 0 to {} (a century)", kLongestMs); }

Value HelpValue() {
  std::vector<Value> lines;
  std::string_view rest = Control::HelpText();
  while (!rest.empty()) {
    const std::size_t end = rest.find('\n');
    lines.push_back(StatusValue(rest.substr(0, end)));
    rest.remove_prefix(end + 1);
  }
  return ArrayValue(std::move(lines));
}

std::optional<double> ParseRate(std::string_view text) {
  double rate = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), rate);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  if (!(rate > 0 && rate <= ServeClock::kFastest)) return std::nullopt;
  return rate;
}

std::int64_t ToMs(std::int64_t us) { return us >= 0 ? us / 1000 : (us - 999) / 1000; }

Value WaitForScript() {
  return ErrorValue("ERR a script is running: end it first (SCRIPT KILL), then crash the server");
}

}  // namespace

std::string_view Control::HelpText() { return kHelp; }

bool Control::Owns(const redis::Argv& argv) {
  const std::string_view name = argv[0];
  return name.size() > kNamespace.size() && name[kNamespace.size() - 1] == '.' &&
         SameWord(name.substr(0, kNamespace.size()), kNamespace);
}

Value Control::Execute(const redis::Argv& argv) {
  const std::string_view name = std::string_view(argv[0]).substr(kNamespace.size());
  const Words words = Words(argv).subspan(1);
  if (SameWord(name, "CLOCK")) return Clock(words);
  if (SameWord(name, "FAULT")) return Fault(words);
  if (SameWord(name, "HELP")) return HelpValue();
  return ErrorValue(
      fmt::format("ERR unknown control command '{}'; INTERLOCK.HELP lists them", argv[0]));
}

Value Control::Clock(Words words) {
  const std::string_view what = words.empty() ? std::string_view() : words[0];
  const std::int64_t real_us = target_.RealUs();
  if (words.size() == 1 && SameWord(what, "NOW")) {
    return IntegerValue(ToMs(clock_.Now(real_us)));
  }
  if (words.size() == 1 && SameWord(what, "FREEZE")) {
    clock_.Freeze(real_us);
  } else if (words.size() == 1 && SameWord(what, "RUN")) {
    clock_.Run(real_us);
  } else if (words.size() == 2 && SameWord(what, "ADVANCE")) {
    const auto us = MillisecondsToUs(words[1]);
    if (!us) return Usage("INTERLOCK.CLOCK ADVANCE ms, " + MsRange());
    clock_.Advance(real_us, *us);
  } else if (words.size() == 2 && SameWord(what, "SET")) {
    constexpr std::int64_t kLimitMs = INT64_MAX / 4000;
    const auto ms = WholeNumber(words[1]);
    if (!ms || *ms > kLimitMs || *ms < 0) {
      return Usage(fmt::format("INTERLOCK.CLOCK SET unix_ms, from 0 to {}", kLimitMs));
    }
    clock_.Set(real_us, *ms * 1000);
  } else if (words.size() == 2 && SameWord(what, "RATE")) {
    const auto rate = ParseRate(words[1]);
    if (!rate) return Usage("INTERLOCK.CLOCK RATE x, with 0 < x <= 1000000");
    clock_.SetRate(real_us, *rate);
  } else {
    return Usage("INTERLOCK.CLOCK NOW|ADVANCE ms|SET unix_ms|RATE x|FREEZE|RUN");
  }
  target_.ClockMoved();
  return IntegerValue(ToMs(NowUs()));
}

Value Control::Fault(Words words) {
  if (words.empty()) return Usage("INTERLOCK.FAULT kind ...");
  if (CommandFaultPlan::Knows(words[0])) {
    const auto armed = faults_.Arm(words);
    if (const auto* error = std::get_if<std::string>(&armed)) return ErrorValue(*error);
    return IntegerValue(std::get<std::int64_t>(armed));
  }
  if (SameWord(words[0], "CLEAR")) return Clear(words);
  if (SameWord(words[0], "LIST") && words.size() == 1) return List();
  return ServerFault(words);
}

Value Control::ServerFault(Words words) {
  if (SameWord(words[0], "HALFOPEN")) {
    const auto id = words.size() == 2 ? WholeNumber(words[1]) : std::nullopt;
    if (!id || *id < 1) return Usage("INTERLOCK.FAULT HALFOPEN client-id");
    if (target_.HalfOpen(static_cast<redis::ClientId>(*id))) return StatusValue("OK");
    return ErrorValue("ERR No such client ID");
  }
  if (SameWord(words[0], "STALL")) {
    const auto us = words.size() == 2 ? MillisecondsToUs(words[1]) : std::nullopt;
    if (!us) return Usage("INTERLOCK.FAULT STALL ms, " + MsRange());
    target_.StallUntil(NowUs() + *us);
    return StatusValue("OK");
  }
  const bool power_lost = SameWord(words[0], "POWERLOSS");
  if (power_lost || SameWord(words[0], "CRASH")) {
    const auto us = words.size() == 2 ? MillisecondsToUs(words[1]) : std::nullopt;
    if (words.size() > 2 || (words.size() == 2 && !us)) {
      return Usage("INTERLOCK.FAULT CRASH|POWERLOSS [ms], " + MsRange());
    }
    std::optional<std::int64_t> until_us;
    if (us) until_us = NowUs() + *us;
    return target_.Crash(power_lost, until_us) ? StatusValue("OK") : WaitForScript();
  }
  if (SameWord(words[0], "RESTART") && words.size() == 1) {
    return target_.Restart() ? StatusValue("OK") : WaitForScript();
  }
  return ErrorValue(fmt::format("ERR unknown fault '{}'; INTERLOCK.HELP lists them", words[0]));
}

Value Control::Clear(Words words) {
  if (words.size() == 1) {
    faults_.Clear();
    target_.EndStall();
    return StatusValue("OK");
  }
  const auto number = words.size() == 2 ? WholeNumber(words[1]) : std::nullopt;
  if (!number) return Usage("INTERLOCK.FAULT CLEAR [number]");
  if (faults_.Clear(*number)) return StatusValue("OK");
  return ErrorValue(
      fmt::format("ERR no fault {} is armed; INTERLOCK.FAULT LIST shows them", *number));
}

Value Control::List() const {
  std::vector<Value> lines;
  for (const std::string& line : faults_.List()) lines.push_back(StringValue(line));
  if (const auto until_us = target_.stalled_until_us()) {
    const std::int64_t left_us = *until_us - NowUs();
    lines.push_back(StringValue(fmt::format("STALL {} ms left", ToMs(left_us))));
  }
  if (const auto until_us = target_.down_until_us()) {
    lines.push_back(StringValue(fmt::format("DOWN {} ms left", ToMs(*until_us - NowUs()))));
  } else if (target_.down()) {
    lines.push_back(StringValue("DOWN until RESTART"));
  }
  return ArrayValue(std::move(lines));
}

}  // namespace interlock::sim::serve
