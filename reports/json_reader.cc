// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <utility>

#include "reports/escape.h"
#include "reports/json_limits.h"
#include "reports/json_node.h"
#include "reports/json_writer.h"
#include "reports/record.h"

namespace interlock::reports {
namespace {

using Node = JsonNode;

void ReadClass(const Node& node, SynchronyClass* out) {
  node.ReadEnum("class",
                {SynchronyClass::kNone, SynchronyClass::kBounded, SynchronyClass::kArbitrary}, out);
}

void ReadProof(const Node& node, Proof* proof) {
  node.Read("bound", &proof->bound);
  node.Read("states", &proof->states);
  node.ReadIfThere("reductions", &proof->reductions);
}

void ReadSize(const Node& node, Size* size) {
  node.Read("clients", &size->clients);
  node.Read("faults", &size->faults);
  node.Read("operations", &size->operations);
  node.Read("switches", &size->switches);
}

void ReadRow(const Node& node, ResultRow* row) {
  node.Read("lock", &row->lock);
  node.ReadEnum("kind", {LockKind::kSound, LockKind::kSpecimen}, &row->kind);
  node.Read("scenario", &row->scenario);
  ReadClass(node, &row->synchrony);
  node.Read("property", &row->property);
  node.Read("code", &row->code);
  node.ReadEnum("expected", {Expectation::kHolds, Expectation::kBreaks, Expectation::kEither},
                &row->expected);
  node.ReadEnum("verdict", {Verdict::kHolds, Verdict::kViolated, Verdict::kInconclusive},
                &row->verdict);
  node.Read("pass", &row->pass);
  node.Read("runs", &row->runs);
  node.Read("exercised", &row->exercised);
  node.Read("runs_to_first_violation", &row->runs_to_first_violation);
  node.Read("replay", &row->replay);
  node.Read("counterexample", &row->counterexample);
  node.ReadIfThere("reason", &row->reason);
  node.ReadIfThere("placings", &row->placings);
  if (node.Has("proof")) ReadProof(node.Child("proof"), &row->proof.emplace());
  if (node.Has("unshrunk")) ReadSize(node.Child("unshrunk"), &row->unshrunk.emplace());
  node.ReadIfThere("witness", &row->witness);
  node.ReadIfThere("saved_case", &row->saved_case);
}

void ReadGoal(const Node& node, GoalCount* goal) {
  node.Read("name", &goal->name);
  node.Read("count", &goal->count);
}

void ReadTotals(const Node& node, Totals* totals) {
  node.Read("runs", &totals->runs);
  node.Read("runs_with_faults", &totals->runs_with_faults);
  node.Read("commands", &totals->commands);
  node.Read("virtual_seconds", &totals->virtual_time);
  node.ReadIfThere("wall_seconds", &totals->wall_time);
  node.Read("double_runs", &totals->double_runs);
  node.Read("divergences", &totals->divergences);
  node.ReadIfThere("states", &totals->states);
}

void ReadReport(const Node& root, RunReport* report) {
  if (root.Has("status")) {
    root.ReadEnum("status", {RunStatus::kComplete, RunStatus::kPartial}, &report->status);
  }
  const Node tool = root.Child("tool");
  tool.Read("version", &report->tool.version);
  tool.Read("commit", &report->tool.commit);
  tool.Read("compiler", &report->tool.compiler);
  root.ReadHex("seed", &report->seed);
  root.Read("backend", &report->backend);
  ReadTotals(root.Child("totals"), &report->totals);
  root.ReadObjects("results", &report->results, &ReadRow);
  root.ReadObjects("goals", &report->goals, &ReadGoal);
  root.ReadIfThere("notes", &report->notes);
  root.ReadHex("trace_hash", &report->trace_hash);
}

std::size_t ReadColumn(const Node& node) {
  std::uint64_t column = 0;
  node.Read("column", &column);
  return column;
}

void ReadTableRow(const Node& node, TableRow* row) {
  node.Read("time_ns", &row->time_ns);
  row->column = ReadColumn(node);
  node.Read("text", &row->text);
  if (node.Has("kind")) {
    node.ReadEnum("kind", {RowKind::kEvent, RowKind::kFault, RowKind::kViolation}, &row->kind);
  }
  if (node.Has("span")) {
    node.ReadEnum("span",
                  {SpanChange::kNone, SpanChange::kSectionBegin, SpanChange::kSectionEnd,
                   SpanChange::kPauseBegin, SpanChange::kPauseEnd, SpanChange::kAskBegin,
                   SpanChange::kAskEnd},
                  &row->span);
  }
  if (node.Has("part")) {
    node.ReadEnum("part",
                  {MessagePart::kNone, MessagePart::kSend, MessagePart::kExecute,
                   MessagePart::kReply, MessagePart::kReceive},
                  &row->part);
    node.Read("message", &row->message);
  }
  node.ReadIfThere("lost", &row->lost);
}

void ReadStretch(const Node& node, Stretch* stretch) {
  node.ReadEnum("kind", {StretchKind::kBelief, StretchKind::kOwner}, &stretch->kind);
  stretch->column = ReadColumn(node);
  node.Read("resource", &stretch->resource);
  node.Read("from_ns", &stretch->from_ns);
  node.ReadIfThere("to_ns", &stretch->to_ns);
  node.ReadIfThere("end", &stretch->end);
}

void ReadShrunk(const Node& node, Shrunk* shrunk) {
  node.Read("clients", &shrunk->now.clients);
  node.Read("faults", &shrunk->now.faults);
  node.ReadIfThere("operations", &shrunk->now.operations);
  node.ReadIfThere("switches", &shrunk->now.switches);
  node.Read("original_clients", &shrunk->original.clients);
  node.Read("original_faults", &shrunk->original.faults);
  node.ReadIfThere("original_operations", &shrunk->original.operations);
  node.ReadIfThere("original_switches", &shrunk->original.switches);
  node.Read("shrinks", &shrunk->shrinks);
  node.ReadIfThere("seconds", &shrunk->time);
}

/// A record is compared with a run, so an edited or truncated one must not pass as another run.
void ReadRecord(const Node& node, const std::string& replay, Record* record) {
  node.ReadHex("trace_hash", &record->trace_hash);
  node.Read("steps", &record->steps);
  node.Read("violating_step", &record->violating_step);
  node.Read("stride", &record->stride);
  node.Read("digests", &record->digests);
  std::uint64_t check = 0;
  node.ReadHex("check", &check);
  if (node.ok() && check != CheckOf(replay, *record)) {
    node.Fail("check", "does not fit: the replay line or the record was edited or cut");
  }
}

void ReadExample(const Node& root, Counterexample* out) {
  root.Read("code", &out->code);
  root.Read("property", &out->property);
  root.Read("title", &out->title);
  root.Read("sentence", &out->sentence);
  root.Read("lock", &out->lock);
  root.Read("scenario", &out->scenario);
  ReadClass(root, &out->synchrony);
  ReadShrunk(root.Child("shrunk"), &out->shrunk);
  root.Read("violating_runs", &out->violating_runs);
  root.Read("total_runs", &out->total_runs);
  root.Read("replay", &out->replay);
  root.ReadIfThere("debug", &out->debug);
  root.Read("faults", &out->faults);
  root.Read("needed", &out->needed);
  root.Read("irrelevant", &out->irrelevant);
  root.ReadIfThere("nearest", &out->nearest);
  root.ReadIfThere("critical", &out->critical);
  root.Read("also", &out->also);
  root.Read("hints", &out->hints);
  root.Read("columns", &out->columns);
  root.ReadObjects("rows", &out->rows, &ReadTableRow);
  if (root.Has("stretches")) root.ReadObjects("stretches", &out->stretches, &ReadStretch);
  const auto check = [&](std::string_view name, const auto& items) {
    for (std::size_t i = 0; i < items.size(); ++i) {
      if (items[i].column < out->columns.size()) continue;
      root.Fail(fmt::format("{}[{}].column", name, i), "there is no such column");
    }
  };
  check("rows", out->rows);
  check("stretches", out->stretches);
  root.ReadIfThere("scripts", &out->scripts);
  if (root.Has("record")) ReadRecord(root.Child("record"), out->replay, &out->record.emplace());
  if (const Json* program = root.Find("program"); program != nullptr && !program->is_null()) {
    out->program = program->dump(-1, ' ', false, Json::error_handler_t::replace);
  }
}

template <typename T>
ReadResult<T> ReadDocument(std::string_view text, std::string_view schema,
                           void (*read)(const Node&, T*)) {
  ReadResult<T> result;
  if (NestsTooDeep(text)) {
    result.error = fmt::format("values are nested deeper than {} levels", kMaxJsonDepth);
    return result;
  }
  Json json;
  try {
    json = Json::parse(text);
  } catch (const Json::exception& error) {
    result.error = "not JSON: " + SafeForTerminal(error.what(), true);
    return result;
  }
  const Node root(json, "", &result.error);
  std::string found;
  root.Read("schema", &found);
  if (root.ok() && found != schema) {
    root.Fail("schema", fmt::format("this program reads {}, found {}", schema, Shown(Json(found))));
  }
  T value;
  if (root.ok()) read(root, &value);
  if (root.ok()) result.value = std::move(value);
  return result;
}

}  // namespace

ReadResult<RunReport> ReadRunReport(std::string_view json) {
  return ReadDocument<RunReport>(json, kRunSchema, &ReadReport);
}

ReadResult<Counterexample> ReadCounterexample(std::string_view json) {
  return ReadDocument<Counterexample>(json, kCounterexampleSchema, &ReadExample);
}

}  // namespace interlock::reports
