// SPDX-License-Identifier: MIT
#include "sim/redis/engine.h"
#include "sim/redis/text.h"

namespace interlock::sim::redis {

namespace {

void ScriptExists(Context& c) {
  for (const std::string_view sha : c.args.subspan(2)) {
    c.Array().push_back(IntegerValue(c.engine.scripting.Exists(sha) ? 1 : 0));
  }
}

void ScriptFlush(Context& c) {
  const bool known =
      c.args.size() == 2 || (c.args.size() == 3 && (EqualsIgnoreCase(c.args[2], "sync") ||
                                                    EqualsIgnoreCase(c.args[2], "async")));
  if (!known) return c.Error("ERR SCRIPT FLUSH only support SYNC|ASYNC option");
  c.engine.scripting.Flush();
  c.Ok();
}

// Either kind of running code is asked, and refuses the other's command.
void Kill(Context& c, LuaUse by) {
  const ScriptTurn& turn = c.engine.script_turn;
  if (!turn.running()) return c.Error("NOTBUSY No scripts in execution right now.");
  turn.function() != nullptr ? c.engine.libraries.Kill(c, by) : c.engine.scripting.Kill(c, by);
}

constexpr HandlerRow kScriptCommands[] = {
    {"eval", [](Context& c) { c.engine.scripting.Eval(c, false, false); }},
    {"evalsha", [](Context& c) { c.engine.scripting.Eval(c, true, false); }},
    {"eval_ro", [](Context& c) { c.engine.scripting.Eval(c, false, true); }},
    {"evalsha_ro", [](Context& c) { c.engine.scripting.Eval(c, true, true); }},
    {"script|load", [](Context& c) { c.engine.scripting.Load(c, c.args[2]); }},
    {"script|exists", &ScriptExists},
    {"script|flush", &ScriptFlush},
    {"script|show", [](Context& c) { c.engine.scripting.Show(c, c.args[2]); }},
    {"script|kill", [](Context& c) { Kill(c, LuaUse::kScripts); }},
    {"function|kill", [](Context& c) { Kill(c, LuaUse::kFunctions); }},
};

}  // namespace

std::span<const HandlerRow> ScriptCommands() { return kScriptCommands; }

}  // namespace interlock::sim::redis
