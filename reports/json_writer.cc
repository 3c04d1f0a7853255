// SPDX-License-Identifier: MIT
#include "reports/json_writer.h"

#include <fmt/format.h>

#include <cstddef>
#include <nlohmann/json.hpp>
#include <utility>

#include "reports/confidence.h"
#include "reports/json_limits.h"
#include "reports/json_text.h"
#include "reports/record.h"

namespace interlock::reports {
namespace {

std::string Hex(std::uint64_t value) { return fmt::format("{:#x}", value); }

void Member(JsonText& json, std::string_view key, std::string_view value) {
  json.Key(key);
  json.String(value);
}

void Member(JsonText& json, std::string_view key, std::uint64_t value) {
  json.Key(key);
  json.Unsigned(value);
}

void Member(JsonText& json, std::string_view key, std::chrono::milliseconds value) {
  json.Key(key);
  json.Seconds(value);
}

void Nullable(JsonText& json, std::string_view key, const std::optional<std::string>& value) {
  json.Key(key);
  value ? json.String(*value) : json.Null();
}

void Member(JsonText& json, std::string_view key, const std::vector<std::string>& values) {
  json.Key(key);
  json.BeginArray();
  for (const std::string& value : values) json.String(value);
  json.EndArray();
}

void WriteTool(JsonText& json, const ToolInfo& tool) {
  json.Key("tool");
  json.BeginObject();
  Member(json, "version", tool.version);
  Member(json, "commit", tool.commit);
  Member(json, "compiler", tool.compiler);
  json.EndObject();
}

void WriteTotals(JsonText& json, const Totals& totals) {
  json.Key("totals");
  json.BeginObject();
  Member(json, "runs", totals.runs);
  Member(json, "runs_with_faults", totals.runs_with_faults);
  Member(json, "commands", totals.commands);
  Member(json, "virtual_seconds", totals.virtual_time);
  if (totals.wall_time) Member(json, "wall_seconds", *totals.wall_time);
  Member(json, "double_runs", totals.double_runs);
  Member(json, "divergences", totals.divergences);
  if (totals.states > 0) Member(json, "states", totals.states);
  json.EndObject();
}

void WriteProof(JsonText& json, const Proof& proof) {
  json.Key("proof");
  json.BeginObject();
  Member(json, "bound", proof.bound);
  Member(json, "states", proof.states);
  if (!proof.reductions.empty()) Member(json, "reductions", proof.reductions);
  json.EndObject();
}

void WriteSize(JsonText& json, std::string_view name, const Size& size) {
  json.Key(name);
  json.BeginObject();
  Member(json, "clients", size.clients);
  Member(json, "faults", size.faults);
  Member(json, "operations", size.operations);
  Member(json, "switches", size.switches);
  json.EndObject();
}

void WriteRow(JsonText& json, const ResultRow& row) {
  json.BeginObject();
  Member(json, "lock", row.lock);
  Member(json, "kind", ToString(row.kind));
  Member(json, "scenario", row.scenario);
  Member(json, "class", ToString(row.synchrony));
  Member(json, "property", row.property);
  Member(json, "code", row.code);
  Member(json, "expected", ToString(row.expected));
  Member(json, "verdict", ToString(row.verdict));
  json.Key("pass");
  json.Bool(row.pass);
  Member(json, "runs", row.runs);
  Member(json, "exercised", row.exercised);
  json.Key("runs_to_first_violation");
  row.runs_to_first_violation ? json.Unsigned(*row.runs_to_first_violation) : json.Null();
  Nullable(json, "replay", row.replay);
  Nullable(json, "counterexample", row.counterexample);
  if (!row.reason.empty()) Member(json, "reason", row.reason);
  if (row.placings) Member(json, "placings", *row.placings);
  if (const auto below = RarerThanOneIn(row)) Member(json, "rarer_than_one_in", *below);
  if (row.proof) WriteProof(json, *row.proof);
  if (row.unshrunk) WriteSize(json, "unshrunk", *row.unshrunk);
  if (row.witness) {
    json.Key("witness");
    json.Bool(true);
  }
  if (!row.saved_case.empty()) Member(json, "saved_case", row.saved_case);
  json.EndObject();
}

void WriteTable(JsonText& json, const Counterexample& counterexample) {
  json.Key("rows");
  json.BeginArray();
  for (const TableRow& row : counterexample.rows) {
    json.BeginObject();
    json.Key("time_ns");
    json.Signed(row.time_ns);
    Member(json, "column", std::uint64_t{row.column});
    Member(json, "text", row.text);
    if (row.kind != RowKind::kEvent) Member(json, "kind", ToString(row.kind));
    if (row.span != SpanChange::kNone) Member(json, "span", ToString(row.span));
    if (row.part != MessagePart::kNone) {
      Member(json, "part", ToString(row.part));
      Member(json, "message", row.message);
    }
    if (row.lost) {
      json.Key("lost");
      json.Bool(true);
    }
    json.EndObject();
  }
  json.EndArray();
}

void WriteStretches(JsonText& json, const Counterexample& counterexample) {
  if (counterexample.stretches.empty()) return;
  json.Key("stretches");
  json.BeginArray();
  for (const Stretch& stretch : counterexample.stretches) {
    json.BeginObject();
    Member(json, "kind", ToString(stretch.kind));
    Member(json, "column", std::uint64_t{stretch.column});
    Member(json, "resource", stretch.resource);
    json.Key("from_ns");
    json.Signed(stretch.from_ns);
    if (stretch.to_ns) {
      json.Key("to_ns");
      json.Signed(*stretch.to_ns);
    }
    if (!stretch.end.empty()) Member(json, "end", stretch.end);
    json.EndObject();
  }
  json.EndArray();
}

void WriteShrunk(JsonText& json, const Shrunk& shrunk) {
  json.Key("shrunk");
  json.BeginObject();
  Member(json, "clients", shrunk.now.clients);
  Member(json, "faults", shrunk.now.faults);
  Member(json, "operations", shrunk.now.operations);
  Member(json, "switches", shrunk.now.switches);
  Member(json, "original_clients", shrunk.original.clients);
  Member(json, "original_faults", shrunk.original.faults);
  Member(json, "original_operations", shrunk.original.operations);
  Member(json, "original_switches", shrunk.original.switches);
  Member(json, "shrinks", shrunk.shrinks);
  Member(json, "seconds", shrunk.time);
  json.EndObject();
}

void WriteRecord(JsonText& json, const Counterexample& counterexample) {
  if (!counterexample.record) return;
  const Record& record = *counterexample.record;
  json.Key("record");
  json.BeginObject();
  Member(json, "trace_hash", fmt::format("{:#018x}", record.trace_hash));
  Member(json, "steps", record.steps);
  Member(json, "violating_step", record.violating_step);
  Member(json, "stride", record.stride);
  Member(json, "digests", record.digests);
  Member(json, "check", fmt::format("{:#010x}", CheckOf(counterexample.replay, record)));
  json.EndObject();
}

// Parsed and printed again instead of pasted, so that a broken program cannot break the file.
void WriteProgram(JsonText& json, const std::string& program) {
  json.Key("program");
  if (program.empty()) {
    json.Null();
    return;
  }
  const bool deep = NestsTooDeep(program);
  const auto value = deep ? nlohmann::ordered_json(nlohmann::ordered_json::value_t::discarded)
                          : nlohmann::ordered_json::parse(program, nullptr, false);
  if (value.is_discarded()) {
    json.String(program);
  } else {
    json.Raw(value.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace));
  }
}

}  // namespace

std::string ToJson(const RunReport& report) {
  JsonText json;
  json.BeginObject();
  Member(json, "schema", kRunSchema);
  if (report.status != RunStatus::kComplete) Member(json, "status", ToString(report.status));
  WriteTool(json, report.tool);
  Member(json, "seed", Hex(report.seed));
  Member(json, "backend", report.backend);
  WriteTotals(json, report.totals);
  json.Key("results");
  json.BeginArray();
  for (const ResultRow& row : report.results) WriteRow(json, row);
  json.EndArray();
  json.Key("goals");
  json.BeginArray();
  for (const GoalCount& goal : report.goals) {
    json.BeginObject();
    Member(json, "name", goal.name);
    Member(json, "count", goal.count);
    json.EndObject();
  }
  json.EndArray();
  if (!report.notes.empty()) Member(json, "notes", report.notes);
  Member(json, "trace_hash", fmt::format("{:#018x}", report.trace_hash));
  json.EndObject();
  return std::move(json).Take();
}

std::string ToJson(const Counterexample& counterexample) {
  JsonText json;
  json.BeginObject();
  Member(json, "schema", kCounterexampleSchema);
  Member(json, "code", counterexample.code);
  Member(json, "property", counterexample.property);
  Member(json, "title", counterexample.title);
  Member(json, "sentence", counterexample.sentence);
  Member(json, "lock", counterexample.lock);
  Member(json, "scenario", counterexample.scenario);
  Member(json, "class", ToString(counterexample.synchrony));
  WriteShrunk(json, counterexample.shrunk);
  Member(json, "violating_runs", counterexample.violating_runs);
  Member(json, "total_runs", counterexample.total_runs);
  Member(json, "replay", counterexample.replay);
  if (!counterexample.debug.empty()) Member(json, "debug", counterexample.debug);
  Member(json, "faults", counterexample.faults);
  Member(json, "needed", counterexample.needed);
  Member(json, "irrelevant", counterexample.irrelevant);
  if (!counterexample.nearest.empty()) Member(json, "nearest", counterexample.nearest);
  if (!counterexample.critical.empty()) Member(json, "critical", counterexample.critical);
  Member(json, "also", counterexample.also);
  Member(json, "hints", counterexample.hints);
  Member(json, "columns", counterexample.columns);
  WriteTable(json, counterexample);
  WriteStretches(json, counterexample);
  if (!counterexample.scripts.empty()) Member(json, "scripts", counterexample.scripts);
  WriteRecord(json, counterexample);
  WriteProgram(json, counterexample.program);
  json.EndObject();
  return std::move(json).Take();
}

}  // namespace interlock::reports
