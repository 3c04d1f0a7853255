// SPDX-License-Identifier: MIT
//
// The server as a whole: TIME, DBSIZE, FLUSHALL, WAIT, SHUTDOWN.
#include <array>
#include <charconv>
#include <cstdint>
#include <limits>
#include <string_view>

#include "sim/redis/engine.h"
#include "sim/redis/text.h"

namespace interlock::sim::redis {

namespace {

void Time(Context& c) {
  constexpr std::int64_t kSecond = 1'000'000;
  std::array<char, 20> seconds;
  std::array<char, 20> microseconds;
  const auto print = [](std::int64_t number, std::array<char, 20>& to) {
    const char* const end = std::to_chars(to.data(), to.data() + to.size(), number).ptr;
    return std::string_view(to.data(), end);
  };
  c.Pair(print(c.engine.now_us / kSecond, seconds), print(c.engine.now_us % kSecond, microseconds));
}

void Flush(Context& c, bool all) {
  const bool known =
      c.args.size() == 1 || (c.args.size() == 2 && (EqualsIgnoreCase(c.args[1], "sync") ||
                                                    EqualsIgnoreCase(c.args[1], "async")));
  if (!known) return c.Error(kSyntax);
  for (int database = 0; database < kDatabases; ++database) {
    if (all || database == c.database()) c.keyspace().Clear(database);
  }
  c.engine.tracking.OnFlushed();
  if (c.engine.cluster.enabled()) c.engine.cluster.migrations().OnFlush();
  const bool waits = c.dialect().flushes_in_background && !c.client.must_not_block &&
                     (c.args.size() == 1 || EqualsIgnoreCase(c.args[1], "sync"));
  if (waits) c.engine.TellCaller(c.client.id);
  c.Ok();
}

// A shutdown never waits, so there is none to abort.
void Shutdown(Context& c) {
  bool save = false;
  bool nosave = false;
  bool abort = false;
  bool other = false;
  for (const std::string_view option : c.args.subspan(1)) {
    if (EqualsIgnoreCase(option, "save")) {
      save = true;
    } else if (EqualsIgnoreCase(option, "nosave")) {
      nosave = true;
    } else if (EqualsIgnoreCase(option, "abort")) {
      abort = true;
    } else if (EqualsIgnoreCase(option, "now") || EqualsIgnoreCase(option, "force")) {
      other = true;
    } else {
      return c.Error(kSyntax);
    }
  }
  if ((save && nosave) || (abort && (save || nosave || other))) return c.Error(kSyntax);
  if (abort) return c.Error("ERR No shutdown in progress.");
  if (!nosave && c.engine.script_turn.busy()) return c.Error(c.engine.script_turn.busy_text());
  if (!c.engine.shutdown) return c.Unmodelled("SHUTDOWN");
  const bool saves = save || (!nosave && !c.engine.config().save.empty());
  if (!c.engine.persistence.Shutdown(saves)) {
    return c.Error("ERR Errors trying to SHUTDOWN. Check logs.");
  }
  c.silent = true;
  c.engine.shutdown();
}

constexpr HandlerRow kServerCommands[] = {
    {"time", &Time},
    {"dbsize", [](Context& c) { c.Integer(c.keyspace().keys(c.database()).size()); }},
    {"flushdb", [](Context& c) { Flush(c, false); }},
    {"flushall", [](Context& c) { Flush(c, true); }},
    {"shutdown", &Shutdown},
};

}  // namespace

std::span<const HandlerRow> ServerCommands() { return kServerCommands; }

}  // namespace interlock::sim::redis
