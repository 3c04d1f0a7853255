// SPDX-License-Identifier: MIT
#include "sim/redis/scripting/script_header.h"

#include <algorithm>

#include "sim/redis/command_table.h"
#include "sim/redis/text.h"

namespace interlock::sim::redis {

namespace {

constexpr ScriptFlag kScriptFlags[] = {
    {"no-writes", &ScriptHeader::no_writes},
    {"allow-oom", &ScriptHeader::allow_oom},
    {"allow-stale", &ScriptHeader::allow_stale},
    {"no-cluster", &ScriptHeader::no_cluster},
    {"allow-cross-slot-keys", &ScriptHeader::allow_cross_slot_keys},
};

// The text up to the next separator, which is dropped.
std::string_view TakeWord(std::string_view* text, std::string_view separators) {
  const std::size_t end = text->find_first_of(separators);
  const std::string_view word = text->substr(0, end);
  text->remove_prefix(end == std::string_view::npos ? text->size() : end + 1);
  return word;
}

void ReadFlags(std::string_view flags, ScriptHeader* header) {
  if (flags.empty()) return;
  while (header->error.empty()) {
    const bool last = flags.find(',') == std::string_view::npos;
    const std::string_view flag = TakeWord(&flags, ",");
    if (!SetScriptFlag(flag, header)) {
      header->error = "ERR Unexpected flag in script shebang: " + std::string(flag);
    }
    if (last) return;
  }
}

}  // namespace

ScriptHeader ParseScriptHeader(const Dialect& dialect, std::string_view body) {
  constexpr std::string_view kBlanks = " \t\r\v\f";
  ScriptHeader header;
  if (!body.starts_with("#!")) return header;
  header.present = true;
  header.length = body.find('\n');
  if (header.length == std::string_view::npos) {
    header.error = "ERR Invalid script shebang";
    return header;
  }
  std::string_view line = body.substr(0, header.length);
  header.unmodelled = line.find_first_of("\"'\\") != std::string_view::npos;
  line.remove_prefix(2);
  const std::string_view engine = TakeWord(&line, kBlanks);
  if (!dialect.valkey && engine != "lua") {
    header.error.assign(dialect.script->wrong_engine).append(engine);
    return header;
  }
  while (!line.empty() && header.error.empty()) {
    const std::string_view word = TakeWord(&line, kBlanks);
    if (word.empty()) continue;
    if (word.starts_with("flags=")) {
      ReadFlags(word.substr(6), &header);
    } else {
      header.error = "ERR Unknown lua shebang option: " + std::string(word);
    }
  }
  // Valkey takes the name in any case, and looks for it after the options.
  if (header.error.empty() && !EqualsIgnoreCase(engine, "lua")) {
    header.unknown_engine = true;
    header.error.assign(dialect.script->wrong_engine).append(engine).append("'");
  }
  return header;
}

std::span<const ScriptFlag> ScriptFlags() { return kScriptFlags; }

bool SetScriptFlag(std::string_view name, ScriptHeader* header) {
  for (const ScriptFlag& flag : kScriptFlags) {
    if (flag.name != name) continue;
    header->*flag.member = true;
    return true;
  }
  return false;
}

std::uint32_t CommandFlagsOf(const ScriptHeader& header, std::uint32_t flags) {
  flags &= ~(kStale | kDenyOom | kWrite | kMayReplicate);
  if (!header.no_writes) flags |= kWrite;
  if (!header.no_writes && !header.allow_oom) flags |= kDenyOom;
  if (header.allow_stale) flags |= kStale;
  return flags;
}

}  // namespace interlock::sim::redis
