// SPDX-License-Identifier: MIT
//
// FUNCTION, FCALL and FCALL_RO.
#include "sim/redis/engine.h"
#include "sim/redis/rdb/library_payload.h"
#include "sim/redis/text.h"

namespace interlock::sim::redis {

namespace {

// Redis' answer where the number of arguments is checked by the subcommand itself.
void SubcommandArityError(Context& c) {
  c.Error(OneLine("ERR unknown subcommand or wrong number of arguments for '" +
                  std::string(UntilNul(c.args[1]).substr(0, 128)) + "'. Try FUNCTION HELP."));
}

void Load(Context& c) {
  bool replace = false;
  for (const std::string_view option : c.args.subspan(2, c.args.size() - 3)) {
    if (!EqualsIgnoreCase(option, "replace")) {
      return c.Error(OneLine("ERR Unknown option given: " + std::string(UntilNul(option))));
    }
    replace = true;
  }
  c.engine.libraries.Load(c, c.args.back(), replace);
}

void Delete(Context& c) {
  if (!c.engine.libraries.Delete(c.args[2])) return c.Error("ERR Library not found");
  c.Ok();
}

void Flush(Context& c) {
  if (c.args.size() > 3) return SubcommandArityError(c);
  const bool known = c.args.size() == 2 || EqualsIgnoreCase(c.args[2], "sync") ||
                     EqualsIgnoreCase(c.args[2], "async");
  if (!known) return c.Error("ERR FUNCTION FLUSH only supports SYNC|ASYNC option");
  c.engine.libraries.Flush();
  c.Ok();
}

void DumpLibraries(Context& c) {
  c.String(WriteLibraries(c.engine.libraries.Texts(), c.dialect()));
}

void RestoreLibraries(Context& c) {
  using Restoring = Libraries::Restoring;
  if (c.args.size() > 4) return SubcommandArityError(c);
  Restoring policy = Restoring::kAppend;
  if (c.args.size() == 4 && EqualsIgnoreCase(c.args[3], "replace")) {
    policy = Restoring::kReplace;
  } else if (c.args.size() == 4 && EqualsIgnoreCase(c.args[3], "flush")) {
    policy = Restoring::kFlush;
  } else if (c.args.size() == 4 && !EqualsIgnoreCase(c.args[3], "append")) {
    return c.Error(
        "ERR Wrong restore policy given, value should be either FLUSH, APPEND or REPLACE.");
  }
  c.engine.libraries.Restore(c, c.args[2], policy);
}

void ListLibraries(Context& c) {
  bool with_code = false;
  bool has_pattern = false;
  std::string pattern;
  for (std::size_t i = 2; i < c.args.size(); ++i) {
    if (!with_code && EqualsIgnoreCase(c.args[i], "withcode")) {
      with_code = true;
    } else if (!has_pattern && EqualsIgnoreCase(c.args[i], "libraryname")) {
      if (++i == c.args.size()) return c.Error("ERR library name argument was not given");
      has_pattern = true;
      pattern = ToLower(c.args[i]);
    } else {
      return c.Error(OneLine("ERR Unknown argument " + std::string(UntilNul(c.args[i]))));
    }
  }
  c.EmptyArray();
  for (const auto& [name, library] : c.engine.libraries.all()) {
    if (has_pattern && !GlobMatch(pattern, ToLower(name))) continue;
    c.Array().push_back(c.engine.libraries.Describe(name, with_code));
  }
}

// A script that is no function does not let it answer.
void Stats(Context& c) {
  const ScriptTurn& turn = c.engine.script_turn;
  if (turn.running() && turn.function() == nullptr) return c.Error(turn.busy_text());
  Value running;
  if (const ScriptTurn::Function* function = turn.function()) {
    std::vector<Value> command;
    for (const std::string& word : function->command) command.push_back(StringValue(word));
    running = MapValue({StringValue("name"), StringValue(function->name), StringValue("command"),
                        ArrayValue(std::move(command)), StringValue("duration_ms"),
                        IntegerValue(turn.duration_ms())});
  }
  const Libraries& libraries = c.engine.libraries;
  const auto count = [](std::size_t number) {
    return IntegerValue(static_cast<std::int64_t>(number));
  };
  Value lua = MapValue({StringValue("libraries_count"), count(libraries.all().size()),
                        StringValue("functions_count"), count(libraries.function_count())});
  c.Map() = {StringValue("running_script"), std::move(running), StringValue("engines"),
             MapValue({StringValue("LUA"), std::move(lua)})};
}

void Help(Context& c) {
  const bool newest = c.dialect().since_72;
  constexpr std::string_view kLines[] = {
      "FUNCTION <subcommand> [<arg> [value] [opt] ...]. Subcommands are:",
      "LOAD [REPLACE] <FUNCTION CODE>",
      "    Create a new library with the given library name and code.",
      "DELETE <LIBRARY NAME>",
      "    Delete the given library.",
      "LIST [LIBRARYNAME PATTERN] [WITHCODE]",
      "    Return general information on all the libraries:",
      "    * Library name",
      "    * The engine used to run the Library",
      "    * Library description",
      "    * Functions list",
      "    * Library code (if WITHCODE is given)",
      "    It also possible to get only function that matches a pattern using LIBRARYNAME "
      "argument.",
      "STATS",
      "    Return information about the current function running:",
      "    * Function name",
      "    * Command used to run the function",
      "    * Duration in MS that the function is running",
      "    If no function is running, return nil",
      "    In addition, returns a list of available engines.",
      "KILL",
      "    Kill the current running function.",
      "FLUSH [ASYNC|SYNC]",
      "    Delete all the libraries.",
      "    When called without the optional mode argument, the behavior is determined by the",
      "    lazyfree-lazy-user-flush configuration directive. Valid modes are:",
      "    * ASYNC: Asynchronously flush the libraries.",
      "    * SYNC: Synchronously flush the libraries.",
      "DUMP",
      "    Return a serialized payload representing the current libraries, can be restored using "
      "FUNCTION RESTORE command",
      "RESTORE <PAYLOAD> [FLUSH|APPEND|REPLACE]",
      "    Restore the libraries represented by the given payload, it is possible to give a "
      "restore policy to",
      "    control how to handle existing libraries (default APPEND):",
      "    * FLUSH: delete all existing libraries.",
      "    * APPEND: appends the restored libraries to the existing libraries. On collision, "
      "abort.",
      "    * REPLACE: appends the restored libraries to the existing libraries, On collision, "
      "replace the old",
      "      libraries with the new libraries (notice that even on this option there is a chance "
      "of failure",
      "      in case of functions name collision with another library).",
      "HELP",
  };
  for (const std::string_view line : kLines) {
    if (newest && line == "    * Library description") continue;
    c.Array().push_back(StatusValue(line));
  }
  c.Array().push_back(StatusValue(c.dialect().last_line_of_help()));
}

constexpr HandlerRow kFunctionCommands[] = {
    {"fcall", [](Context& c) { c.engine.libraries.Call(c, false); }},
    {"fcall_ro", [](Context& c) { c.engine.libraries.Call(c, true); }},
    {"function|delete", &Delete},
    {"function|dump", &DumpLibraries},
    {"function|flush", &Flush},
    {"function|help", &Help},
    {"function|list", &ListLibraries},
    {"function|load", &Load},
    {"function|restore", &RestoreLibraries},
    {"function|stats", &Stats},
};

}  // namespace

std::span<const HandlerRow> FunctionCommands() { return kFunctionCommands; }

}  // namespace interlock::sim::redis
