// SPDX-License-Identifier: MIT
#include "reports/shard_report.h"

#include <fmt/format.h>

#include "reports/escape.h"
#include "reports/json_limits.h"
#include "reports/json_words.h"

namespace interlock::reports {
namespace {

using ShardJson = WordsJson;
using Counts = std::vector<std::pair<std::string, std::uint64_t>>;

ShardJson ToObject(const Counts& counts) {
  ShardJson object = ShardJson::object();
  for (const auto& [name, count] : counts) object[name] = count;
  return object;
}

Counts FromObject(const ShardJson& object) {
  Counts counts;
  for (const auto& [name, count] : object.items()) {
    counts.emplace_back(name, count.get<std::uint64_t>());
  }
  return counts;
}

ShardJson ToObject(const ShardCrash& crash) {
  return {
      {"index", crash.index}, {"what", crash.what}, {"hung", crash.hung}, {"token", crash.token}};
}

ShardJson ToObject(const ShardBlock& block) {
  ShardJson object = {{"lock", block.lock},
                      {"scenario", block.scenario},
                      {"class", ToString(block.synchrony)},
                      {"first", block.first},
                      {"runs", block.runs},
                      {"runs_with_faults", block.runs_with_faults},
                      {"commands", block.commands},
                      {"double_runs", block.double_runs},
                      {"divergences", block.divergences},
                      {"inconclusive", block.inconclusive},
                      {"first_inconclusive", block.first_inconclusive},
                      {"virtual_ns", block.virtual_ns},
                      {"hash", block.hash}};
  ShardJson properties = ShardJson::array();
  for (const ShardProperty& one : block.properties) {
    properties.push_back({{"property", one.property},
                          {"exercised", one.exercised},
                          {"violating_runs", one.violating_runs},
                          {"violations", one.violations}});
  }
  object["properties"] = std::move(properties);
  object["goals"] = ToObject(block.goals);
  object["struck"] = ToObject(block.struck);
  object["stories"] = ToObject(block.stories);
  object["updates"] = block.updates;
  object["lost_updates"] = block.lost_updates;
  if (block.endless) object["endless"] = true;
  if (!block.shared_statics.empty()) object["shared_statics"] = block.shared_statics;
  if (block.crash) object["crash"] = ToObject(*block.crash);
  return object;
}

/// A non-negative integer; the JSON library alone would convert any other number.
std::uint64_t Number(const ShardJson& object, const char* key) {
  const ShardJson& value = object.at(key);
  if (value.is_number_unsigned()) return value.get<std::uint64_t>();
  throw ShardJson::other_error::create(501, fmt::format("{}: expected a whole number", key),
                                       nullptr);
}

std::optional<ShardCrash> CrashFrom(const ShardJson& object) {
  if (!object.contains("crash")) return std::nullopt;
  const ShardJson& crash = object.at("crash");
  return ShardCrash{Number(crash, "index"), crash.at("what").get<std::string>(),
                    crash.at("hung").get<bool>(), crash.at("token").get<std::string>()};
}

ShardBlock BlockFrom(const ShardJson& object) {
  ShardBlock block;
  block.lock = object.at("lock").get<std::string>();
  block.scenario = object.at("scenario").get<std::string>();
  block.synchrony = ClassFrom(object);
  block.first = Number(object, "first");
  block.runs = Number(object, "runs");
  block.runs_with_faults = Number(object, "runs_with_faults");
  block.commands = Number(object, "commands");
  block.double_runs = Number(object, "double_runs");
  block.divergences = Number(object, "divergences");
  block.inconclusive = Number(object, "inconclusive");
  block.first_inconclusive = object.at("first_inconclusive").get<std::string>();
  block.virtual_ns = object.at("virtual_ns").get<std::int64_t>();
  block.hash = Number(object, "hash");
  for (const ShardJson& one : object.at("properties")) {
    block.properties.push_back({one.at("property").get<std::string>(), Number(one, "exercised"),
                                Number(one, "violating_runs"),
                                one.at("violations").get<std::vector<std::uint64_t>>()});
  }
  block.goals = FromObject(object.at("goals"));
  block.struck = FromObject(object.at("struck"));
  block.stories = FromObject(object.at("stories"));
  block.updates = object.at("updates").get<std::uint64_t>();
  block.lost_updates = object.at("lost_updates").get<std::uint64_t>();
  if (object.contains("endless")) block.endless = object.at("endless").get<bool>();
  if (object.contains("shared_statics")) {
    block.shared_statics = object.at("shared_statics").get<std::vector<std::string>>();
  }
  block.crash = CrashFrom(object);
  return block;
}

ShardJson ToObject(const ShardExploration& one) {
  ShardJson object = {{"lock", one.lock},
                      {"complete", one.complete},
                      {"states", one.states},
                      {"runs", one.runs},
                      {"divergences", one.divergences},
                      {"inconclusive", one.inconclusive},
                      {"exercised", ToObject(one.exercised)},
                      {"reductions", one.reductions},
                      {"violated", one.violated},
                      {"what", one.what},
                      {"token", one.token}};
  if (one.crash) object["crash"] = ToObject(*one.crash);
  return object;
}

ShardExploration ExplorationFrom(const ShardJson& object) {
  ShardExploration one;
  one.lock = object.at("lock").get<std::string>();
  one.complete = object.at("complete").get<bool>();
  one.states = Number(object, "states");
  one.runs = Number(object, "runs");
  one.divergences = Number(object, "divergences");
  one.inconclusive = object.at("inconclusive").get<std::string>();
  one.exercised = FromObject(object.at("exercised"));
  one.reductions = object.at("reductions").get<std::vector<std::string>>();
  one.violated = object.at("violated").get<std::string>();
  one.what = object.at("what").get<std::string>();
  one.token = object.at("token").get<std::string>();
  one.crash = CrashFrom(object);
  return one;
}

ShardReport ReportFrom(const ShardJson& object) {
  ShardReport report;
  const ShardJson& tool = object.at("tool");
  report.tool.version = tool.at("version").get<std::string>();
  report.tool.commit = tool.at("commit").get<std::string>();
  report.tool.compiler = tool.at("compiler").get<std::string>();
  report.seed = Number(object, "seed");
  report.runs = Number(object, "runs");
  report.least_hunt = Number(object, "least_hunt");
  report.explores = object.at("explores").get<bool>();
  report.strategy = object.at("strategy").get<std::string>();
  report.lock = object.at("lock").get<std::string>();
  report.scenario = object.at("scenario").get<std::string>();
  report.index = Number(object, "index");
  report.total = Number(object, "total");
  if (object.at("status") != ToString(RunStatus::kComplete)) report.status = RunStatus::kPartial;
  for (const ShardJson& block : object.at("blocks")) report.blocks.push_back(BlockFrom(block));
  for (const ShardJson& one : object.at("explorations")) {
    report.explorations.push_back(ExplorationFrom(one));
  }
  return report;
}

}  // namespace

std::string ToJson(const ShardReport& report) {
  ShardJson object = {{"schema", kShardSchema},
                      {"status", ToString(report.status)},
                      {"tool",
                       {{"version", report.tool.version},
                        {"commit", report.tool.commit},
                        {"compiler", report.tool.compiler}}},
                      {"seed", report.seed},
                      {"runs", report.runs},
                      {"least_hunt", report.least_hunt},
                      {"explores", report.explores},
                      {"strategy", report.strategy},
                      {"lock", report.lock},
                      {"scenario", report.scenario},
                      {"index", report.index},
                      {"total", report.total}};
  ShardJson blocks = ShardJson::array();
  for (const ShardBlock& block : report.blocks) blocks.push_back(ToObject(block));
  object["blocks"] = std::move(blocks);
  ShardJson explorations = ShardJson::array();
  for (const ShardExploration& one : report.explorations) explorations.push_back(ToObject(one));
  object["explorations"] = std::move(explorations);
  return object.dump(1, ' ', false, ShardJson::error_handler_t::replace) + "\n";
}

std::string ToLine(const ShardBlock& block) { return OnOneLine(ToObject(block)); }

std::string ToLine(const ShardExploration& exploration) { return OnOneLine(ToObject(exploration)); }

ReadResult<ShardBlock> ReadBlock(std::string_view line) { return ReadWith(line, BlockFrom); }

ReadResult<ShardExploration> ReadExploration(std::string_view line) {
  return ReadWith(line, ExplorationFrom);
}

ReadResult<ShardReport> ReadShardReport(std::string_view json) {
  ReadResult<ShardReport> result;
  if (NestsTooDeep(json)) {
    result.error = fmt::format("values are nested deeper than {} levels", kMaxJsonDepth);
    return result;
  }
  try {
    const ShardJson object = ShardJson::parse(json);
    const auto schema = object.at("schema").get<std::string>();
    if (schema == kShardSchema) {
      result.value = ReportFrom(object);
    } else {
      result.error = fmt::format("expected the schema {}, found {}", kShardSchema,
                                 SafeForTerminal(schema, true));
    }
  } catch (const ShardJson::exception& error) {
    result.error = SafeForTerminal(error.what(), true);
  }
  return result;
}

}  // namespace interlock::reports
