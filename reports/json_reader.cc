// SPDX-License-Identifier: MIT
//
// Invariant: the first error stops all others; every later step sees empty values and does nothing
// harmful, so that no step needs to check for itself.
#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <initializer_list>
#include <nlohmann/json.hpp>
#include <utility>

#include "reports/escape.h"
#include "reports/json_limits.h"
#include "reports/json_writer.h"
#include "reports/record.h"

namespace interlock::reports {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kMaxShown = 60;
// Far beyond any run, and well inside what a double carries in whole milliseconds.
constexpr double kMaxSeconds = 1e12;

/// What an error message shows of a value that is not as it should be.
std::string Shown(const Json& value) {
  if (value.is_structured()) return value.is_array() ? "an array" : "an object";
  std::string text = value.dump(-1, ' ', false, Json::error_handler_t::replace);
  if (text.size() > kMaxShown) text = ToValidUtf8(text.substr(0, kMaxShown)) + "...";
  return SafeForTerminal(text, true);
}

/// One JSON object, with the place where it stands in the file.
class Node {
 public:
  Node(const Json& value, std::string path, std::string* error)
      : value_(value), path_(std::move(path)), error_(error) {
    if (!value_.is_object()) Fail("", fmt::format("expected an object, found {}", Shown(value_)));
  }

  bool ok() const { return error_->empty(); }

  void Fail(std::string_view key, std::string_view what) const {
    if (!ok()) return;
    const std::string where = Where(key);
    *error_ = where.empty() ? std::string(what) : fmt::format("{}: {}", where, what);
  }

  std::string Where(std::string_view key) const {
    if (path_.empty() || key.empty()) return path_ + std::string(key);
    return fmt::format("{}.{}", path_, key);
  }

  std::string* error() const { return error_; }

  /// nullptr, with the error set, if the member is missing.
  const Json* Find(std::string_view key) const {
    if (!ok()) return nullptr;
    const auto it = value_.find(std::string(key));
    if (it != value_.end()) return &*it;
    Fail(key, "is missing");
    return nullptr;
  }

  bool Has(std::string_view key) const { return ok() && value_.contains(std::string(key)); }

  void Read(std::string_view key, std::string* out) const {
    const Json* value = Find(key);
    if (value == nullptr) return;
    if (!value->is_string()) return Fail(key, "expected a string, found " + Shown(*value));
    *out = value->get_ref<const std::string&>();
  }

  void Read(std::string_view key, std::uint64_t* out) const {
    const Json* value = Find(key);
    if (value == nullptr) return;
    if (!value->is_number_unsigned()) {
      return Fail(key, "expected a whole number, 0 or more, found " + Shown(*value));
    }
    *out = value->get<std::uint64_t>();
  }

  void Read(std::string_view key, std::int64_t* out) const {
    const Json* value = Find(key);
    if (value == nullptr) return;
    const bool too_large =
        value->is_number_unsigned() && value->get<std::uint64_t>() > std::uint64_t{INT64_MAX};
    if (!value->is_number_integer() || too_large) {
      return Fail(key, "expected a whole number, found " + Shown(*value));
    }
    *out = value->get<std::int64_t>();
  }

  void Read(std::string_view key, bool* out) const {
    const Json* value = Find(key);
    if (value == nullptr) return;
    if (!value->is_boolean()) return Fail(key, "expected true or false, found " + Shown(*value));
    *out = value->get<bool>();
  }

  void Read(std::string_view key, std::chrono::milliseconds* out) const {
    const Json* value = Find(key);
    if (value == nullptr) return;
    const double seconds = value->is_number() ? value->get<double>() : -1.0;
    if (!(seconds >= 0.0 && seconds <= kMaxSeconds)) {
      return Fail(key, "expected seconds, 0 or more, found " + Shown(*value));
    }
    *out = std::chrono::milliseconds(std::llround(seconds * 1000.0));
  }

  void Read(std::string_view key, std::vector<std::string>* out) const {
    const Json* value = FindArray(key);
    if (value == nullptr) return;
    for (const Json& item : *value) {
      if (!item.is_string()) {
        return Fail(fmt::format("{}[{}]", key, out->size()),
                    "expected a string, found " + Shown(item));
      }
      out->push_back(item.get_ref<const std::string&>());
    }
  }

  template <typename T>
  void Read(std::string_view key, std::optional<T>* out) const {
    const Json* value = Find(key);
    if (value == nullptr || value->is_null()) return;
    T present{};
    Read(key, &present);
    *out = std::move(present);
  }

  void ReadHex(std::string_view key, std::uint64_t* out) const {
    std::string text;
    Read(key, &text);
    if (!ok()) return;
    const bool prefixed = text.size() > 2 && text.compare(0, 2, "0x") == 0;
    const char* begin = text.data() + (prefixed ? 2 : 0);
    const char* end = text.data() + text.size();
    const auto [stop, code] = std::from_chars(begin, end, *out, 16);
    if (!prefixed || code != std::errc() || stop != end) {
      Fail(key, "expected \"0x\" and up to 16 hexadecimal digits, found " + Shown(Json(text)));
    }
  }

  template <typename Enum>
  void ReadEnum(std::string_view key, std::initializer_list<Enum> values, Enum* out) const {
    std::string text;
    Read(key, &text);
    if (!ok()) return;
    std::string words;
    for (const Enum value : values) {
      if (ToString(value) == text) {
        *out = value;
        return;
      }
      words += words.empty() ? "" : ", ";
      words += ToString(value);
    }
    Fail(key, fmt::format("expected one of {}; found {}", words, Shown(Json(text))));
  }

  Node Child(std::string_view key) const {
    static const Json kEmpty = Json::object();
    const Json* value = Find(key);
    return Node(value == nullptr ? kEmpty : *value, Where(key), error_);
  }

  template <typename Item>
  void ReadObjects(std::string_view key, std::vector<Item>* out,
                   void (*read_item)(const Node&, Item*)) const {
    const Json* value = FindArray(key);
    if (value == nullptr) return;
    for (const Json& item : *value) {
      const Node node(item, fmt::format("{}[{}]", Where(key), out->size()), error_);
      read_item(node, &out->emplace_back());
      if (!ok()) return;
    }
  }

 private:
  const Json* FindArray(std::string_view key) const {
    const Json* value = Find(key);
    if (value == nullptr || value->is_array()) return value;
    Fail(key, "expected an array, found " + Shown(*value));
    return nullptr;
  }

  const Json& value_;
  std::string path_;
  std::string* error_;
};

void ReadClass(const Node& node, SynchronyClass* out) {
  node.ReadEnum("class",
                {SynchronyClass::kNone, SynchronyClass::kBounded, SynchronyClass::kArbitrary}, out);
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
  if (node.Has("reason")) node.Read("reason", &row->reason);
}

void ReadGoal(const Node& node, GoalCount* goal) {
  node.Read("name", &goal->name);
  node.Read("count", &goal->count);
}

void ReadPending(const Node& node, PendingCase* pending) {
  node.Read("scenario", &pending->scenario);
  node.Read("waits_for", &pending->waits_for);
}

void ReadTotals(const Node& node, Totals* totals) {
  node.Read("runs", &totals->runs);
  node.Read("runs_with_faults", &totals->runs_with_faults);
  node.Read("commands", &totals->commands);
  node.Read("virtual_seconds", &totals->virtual_time);
  node.Read("wall_seconds", &totals->wall_time);
  node.Read("double_runs", &totals->double_runs);
  node.Read("divergences", &totals->divergences);
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
  if (root.Has("notes")) root.Read("notes", &report->notes);
  if (root.Has("pending")) root.ReadObjects("pending", &report->pending, &ReadPending);
  root.ReadHex("trace_hash", &report->trace_hash);
}

void ReadTableRow(const Node& node, TableRow* row) {
  std::uint64_t column = 0;
  node.Read("time_ns", &row->time_ns);
  node.Read("column", &column);
  node.Read("text", &row->text);
  row->column = column;
  if (node.Has("kind")) {
    node.ReadEnum("kind", {RowKind::kEvent, RowKind::kFault, RowKind::kViolation}, &row->kind);
  }
  if (node.Has("span")) {
    node.ReadEnum("span",
                  {SpanChange::kNone, SpanChange::kSectionBegin, SpanChange::kSectionEnd,
                   SpanChange::kPauseBegin, SpanChange::kPauseEnd},
                  &row->span);
  }
  if (node.Has("part")) {
    node.ReadEnum("part",
                  {MessagePart::kNone, MessagePart::kSend, MessagePart::kExecute,
                   MessagePart::kReply, MessagePart::kReceive},
                  &row->part);
    node.Read("message", &row->message);
  }
  if (node.Has("lost")) node.Read("lost", &row->lost);
}

void ReadShrunk(const Node& node, Shrunk* shrunk) {
  node.Read("clients", &shrunk->now.clients);
  node.Read("faults", &shrunk->now.faults);
  if (node.Has("operations")) node.Read("operations", &shrunk->now.operations);
  if (node.Has("switches")) node.Read("switches", &shrunk->now.switches);
  node.Read("original_clients", &shrunk->original.clients);
  node.Read("original_faults", &shrunk->original.faults);
  if (node.Has("original_operations"))
    node.Read("original_operations", &shrunk->original.operations);
  if (node.Has("original_switches")) node.Read("original_switches", &shrunk->original.switches);
  node.Read("shrinks", &shrunk->shrinks);
  if (node.Has("seconds")) node.Read("seconds", &shrunk->time);
}

/// A record is held against a run, so one that was edited or cut must not be taken for another run.
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
  if (root.Has("debug")) root.Read("debug", &out->debug);
  root.Read("faults", &out->faults);
  root.Read("needed", &out->needed);
  root.Read("irrelevant", &out->irrelevant);
  if (root.Has("nearest")) root.Read("nearest", &out->nearest);
  if (root.Has("critical")) root.Read("critical", &out->critical);
  root.Read("also", &out->also);
  root.Read("hints", &out->hints);
  root.Read("columns", &out->columns);
  root.ReadObjects("rows", &out->rows, &ReadTableRow);
  for (std::size_t i = 0; i < out->rows.size(); ++i) {
    if (out->rows[i].column >= out->columns.size()) {
      root.Fail(fmt::format("rows[{}].column", i), "there is no such column");
    }
  }
  if (root.Has("scripts")) root.Read("scripts", &out->scripts);
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
