// SPDX-License-Identifier: MIT
//
// INFO, MEMORY USAGE and CONFIG RESETSTAT.
#include <set>

#include "sim/redis/commands/info_section.h"
#include "sim/redis/engine.h"
#include "sim/redis/text.h"

namespace interlock::sim::redis {

namespace {

void InfoCommand(Context& c) {
  std::set<std::string> wanted;
  for (const std::string_view word : c.args.subspan(1)) wanted.insert(ToLower(word));
  const bool everything = wanted.count("all") != 0 || wanted.count("everything") != 0;
  const bool defaults = wanted.empty() || wanted.count("default") != 0;
  std::string text;
  for (const InfoSectionRow& section : InfoSections()) {
    if (!c.dialect().IsIn(section.in)) continue;
    const bool printed = everything || (defaults && section.by_default) ||
                         wanted.count(std::string(section.name)) != 0;
    if (!printed) continue;
    if (!text.empty()) text += "\r\n";
    text.append("# ").append(section.title).append("\r\n").append(section.print(c.engine));
  }
  c.Verbatim(text);
}

// By the same estimate as the memory limit.
void MemoryUsage(Context& c) {
  if (c.args.size() == 5 && EqualsIgnoreCase(c.args[3], "samples")) {
    std::int64_t samples = 0;
    if (!c.ParseInt(c.args[4], &samples)) return;
    if (samples < 0) return c.Error(kSyntax);
  } else if (c.args.size() != 3) {
    return c.Error(kSyntax);
  }
  const Entry* entry = c.keyspace().Peek(c.database(), c.args[2]);
  if (entry != nullptr) c.Integer(EstimateSize(c.args[2], *entry));
}

void ResetStatistics(Context& c) {
  c.engine.statistics.Reset();
  c.Ok();
}

constexpr HandlerRow kInfoCommands[] = {
    {"info", &InfoCommand},
    {"memory|usage", &MemoryUsage},
    {"config|resetstat", &ResetStatistics},
};

}  // namespace

std::span<const HandlerRow> InfoCommands() { return kInfoCommands; }

}  // namespace interlock::sim::redis
