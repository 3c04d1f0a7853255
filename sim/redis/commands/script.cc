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

void ScriptKill(Context& c) {
  if (!c.engine.script_turn.running()) return c.Error("NOTBUSY No scripts in execution right now.");
  c.engine.scripting.Kill(c);
}

// Functions are not modelled, so there are never any: answers as without them.
void FunctionFlush(Context& c) {
  const bool known =
      c.args.size() == 2 || (c.args.size() == 3 && (EqualsIgnoreCase(c.args[2], "sync") ||
                                                    EqualsIgnoreCase(c.args[2], "async")));
  if (!known) return c.Error("ERR FUNCTION FLUSH only supports SYNC|ASYNC option");
  c.Ok();
}

constexpr HandlerRow kScriptCommands[] = {
    {"eval", [](Context& c) { c.engine.scripting.Eval(c, false, false); }},
    {"evalsha", [](Context& c) { c.engine.scripting.Eval(c, true, false); }},
    {"eval_ro", [](Context& c) { c.engine.scripting.Eval(c, false, true); }},
    {"evalsha_ro", [](Context& c) { c.engine.scripting.Eval(c, true, true); }},
    {"script|load", [](Context& c) { c.engine.scripting.Load(c, c.args[2]); }},
    {"script|exists", &ScriptExists},
    {"script|flush", &ScriptFlush},
    {"script|kill", &ScriptKill},
    {"function|flush", &FunctionFlush},
};

}  // namespace

std::span<const HandlerRow> ScriptCommands() { return kScriptCommands; }

}  // namespace interlock::sim::redis
