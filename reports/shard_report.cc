// SPDX-License-Identifier: MIT
#include "reports/shard_report.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "reports/escape.h"
#include "reports/json_limits.h"

namespace interlock::reports {
namespace {

using Json = nlohmann::ordered_json;
using Counts = std::vector<std::pair<std::string, std::uint64_t>>;

Json ToObject(const Counts& counts) {
  Json object = Json::object();
  for (const auto& [name, count] : counts) object[name] = count;
  return object;
}

Counts FromObject(const Json& object) {
  Counts counts;
  for (const auto& [name, count] : object.items()) {
    counts.emplace_back(name, count.get<std::uint64_t>());
  }
  return counts;
}

Json ToObject(const ShardBlock& block) {
  Json object = {{"lock", block.lock},
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
  Json properties = Json::array();
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
  return object;
}

SynchronyClass ClassOf(const std::string& word) {
  for (const SynchronyClass synchrony :
       {SynchronyClass::kNone, SynchronyClass::kBounded, SynchronyClass::kArbitrary}) {
    if (ToString(synchrony) == word) return synchrony;
  }
  throw Json::other_error::create(501, fmt::format("\"{}\" is no class", word), nullptr);
}

/// A whole number that is not negative; the library alone would convert any other one.
std::uint64_t Number(const Json& object, const char* key) {
  const Json& value = object.at(key);
  if (value.is_number_unsigned()) return value.get<std::uint64_t>();
  throw Json::other_error::create(501, fmt::format("{}: expected a whole number", key), nullptr);
}

ShardBlock BlockFrom(const Json& object) {
  ShardBlock block;
  block.lock = object.at("lock").get<std::string>();
  block.scenario = object.at("scenario").get<std::string>();
  block.synchrony = ClassOf(object.at("class").get<std::string>());
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
  for (const Json& one : object.at("properties")) {
    block.properties.push_back({one.at("property").get<std::string>(), Number(one, "exercised"),
                                Number(one, "violating_runs"),
                                one.at("violations").get<std::vector<std::uint64_t>>()});
  }
  block.goals = FromObject(object.at("goals"));
  block.struck = FromObject(object.at("struck"));
  block.stories = FromObject(object.at("stories"));
  block.updates = object.at("updates").get<std::uint64_t>();
  block.lost_updates = object.at("lost_updates").get<std::uint64_t>();
  return block;
}

ShardReport ReportFrom(const Json& object) {
  ShardReport report;
  const Json& tool = object.at("tool");
  report.tool.version = tool.at("version").get<std::string>();
  report.tool.commit = tool.at("commit").get<std::string>();
  report.tool.compiler = tool.at("compiler").get<std::string>();
  report.seed = Number(object, "seed");
  report.runs = Number(object, "runs");
  report.strategy = object.at("strategy").get<std::string>();
  report.lock = object.at("lock").get<std::string>();
  report.scenario = object.at("scenario").get<std::string>();
  report.index = Number(object, "index");
  report.total = Number(object, "total");
  if (object.at("status") != ToString(RunStatus::kComplete)) report.status = RunStatus::kPartial;
  for (const Json& block : object.at("blocks")) report.blocks.push_back(BlockFrom(block));
  return report;
}

}  // namespace

std::string ToJson(const ShardReport& report) {
  Json object = {{"schema", kShardSchema},
                 {"status", ToString(report.status)},
                 {"tool",
                  {{"version", report.tool.version},
                   {"commit", report.tool.commit},
                   {"compiler", report.tool.compiler}}},
                 {"seed", report.seed},
                 {"runs", report.runs},
                 {"strategy", report.strategy},
                 {"lock", report.lock},
                 {"scenario", report.scenario},
                 {"index", report.index},
                 {"total", report.total}};
  Json blocks = Json::array();
  for (const ShardBlock& block : report.blocks) blocks.push_back(ToObject(block));
  object["blocks"] = std::move(blocks);
  return object.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

ReadResult<ShardReport> ReadShardReport(std::string_view json) {
  ReadResult<ShardReport> result;
  if (NestsTooDeep(json)) {
    result.error = fmt::format("values are nested deeper than {} levels", kMaxJsonDepth);
    return result;
  }
  try {
    const Json object = Json::parse(json);
    const auto schema = object.at("schema").get<std::string>();
    if (schema == kShardSchema) {
      result.value = ReportFrom(object);
    } else {
      result.error = fmt::format("expected the schema {}, found {}", kShardSchema,
                                 SafeForTerminal(schema, true));
    }
  } catch (const Json::exception& error) {
    result.error = SafeForTerminal(error.what(), true);
  }
  return result;
}

}  // namespace interlock::reports
