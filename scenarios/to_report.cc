// SPDX-License-Identifier: MIT
#include "scenarios/to_report.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "reports/json_text.h"
#include "scenarios/oracles/words.h"
#include "scenarios/property.h"

namespace interlock::scenarios {
namespace {

using reports::Counterexample;
using reports::RowKind;
using reports::SpanChange;
using reports::TableRow;

std::int64_t Microseconds(Duration length) { return length.count() / 1000; }

std::uint64_t FaultCount(const Workload& workload) {
  std::uint64_t count = 0;
  for (const ClientPlan& client : workload.clients) count += client.faults.size();
  return count;
}

std::string FaultLine(int client, const PlannedFault& fault) {
  const std::string who =
      fmt::format("{} at step {}: {}", Client(client), fault.step, sim::ToString(fault.kind));
  const sim::FaultInfo* info = sim::FindFault(fault.kind);
  if (fault.kind == sim::FaultKind::kExpiry) {
    return fmt::format("{} (stands still until {} us after the nearest key deadline)", who,
                       Microseconds(fault.length));
  }
  const std::string where =
      info != nullptr && info->uses_node ? fmt::format(" of node {}", fault.node) : "";
  switch (info != nullptr ? info->length : sim::FaultLength::kUnused) {
    case sim::FaultLength::kUnused:
      break;
    case sim::FaultLength::kDuration:
      return fmt::format("{}{} for {}", who, where, Instant(fault.length));
    case sim::FaultLength::kSigned:
      return fmt::format("{}{} by {} us", who, where, Microseconds(fault.length));
    case sim::FaultLength::kPpm:
      return fmt::format("{}{} of {} ppm", who, where, fault.length.count());
  }
  return who + where;
}

/// The case as data, for people and programs; the token alone is read back.
std::string ProgramJson(const Workload& workload, const std::string& token) {
  reports::JsonText json;
  const auto length = [&](std::string_view name, Duration value) {
    json.Key(name);
    json.Signed(Microseconds(value));
  };
  const auto word = [&](std::string_view name, std::string_view value) {
    json.Key(name);
    json.String(value);
  };
  json.BeginObject();
  word("token", token);
  length("lease_us", workload.lease);
  json.Key("permits");
  json.Signed(workload.permits);
  json.Key("resources");
  json.Signed(workload.resources);
  length("latency_max_us", workload.latency_max);
  word("topology", ToString(workload.topology));
  json.Key("nodes");
  json.Signed(workload.nodes);
  word("persistence", ToString(workload.persistence));
  json.Key("clients");
  json.BeginArray();
  for (const ClientPlan& client : workload.clients) {
    json.BeginObject();
    json.Key("clock_rate_ppm");
    json.Signed(client.clock_rate_ppm);
    json.Key("operations");
    json.BeginArray();
    for (const Operation& operation : client.operations) {
      json.BeginObject();
      word("ask", ToString(operation.ask));
      length("think_us", operation.think);
      length("wait_us", operation.wait);
      length("hold_us", operation.hold);
      json.Key("extend");
      json.Bool(operation.extend);
      length("overstay_us", operation.overstay);
      json.Key("resource");
      json.Signed(operation.resource);
      json.EndObject();
    }
    json.EndArray();
    json.Key("faults");
    json.BeginArray();
    for (const PlannedFault& fault : client.faults) {
      json.BeginObject();
      word("kind", sim::ToString(fault.kind));
      json.Key("step");
      json.Signed(fault.step);
      length("length_us", fault.length);
      json.Key("node");
      json.Signed(fault.node);
      json.EndObject();
    }
    json.EndArray();
    json.EndObject();
  }
  json.EndArray();
  json.EndObject();
  return std::move(json).Take();
}

/// Which event begins or ends a bar in the client's column.
SpanChange SpanOf(const sim::TraceEvent& event) {
  if (event.kind == sim::TraceKind::kResume && event.text.empty()) return SpanChange::kPauseEnd;
  if (event.kind == sim::TraceKind::kNote && event.text == "enter section") {
    return SpanChange::kSectionBegin;
  }
  if (event.kind == sim::TraceKind::kNote && event.text == "leave section") {
    return SpanChange::kSectionEnd;
  }
  const bool pause = event.kind == sim::TraceKind::kFault &&
                     (event.text.starts_with("pause") || event.text.starts_with("expiry"));
  return pause ? SpanChange::kPauseBegin : SpanChange::kNone;
}

/// A command line without what only a machine reads: scripts, hashes and tokens keep their
/// beginning.
std::string Shorten(std::string_view line) {
  constexpr std::size_t kKeep = 6;
  std::string text;
  std::size_t hex = 0;  // length of the run of hexadecimal digits that ends here
  bool quoted = false;
  std::size_t quoted_length = 0;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char letter = line[i];
    if (letter == '"' && (i == 0 || line[i - 1] != '\\')) {
      quoted = !quoted;
      quoted_length = 0;
    } else if (quoted && ++quoted_length > 24) {
      if (quoted_length == 25) text += "…";
      continue;
    }
    const bool digit = (letter >= '0' && letter <= '9') || (letter >= 'a' && letter <= 'f');
    hex = digit ? hex + 1 : 0;
    if (hex <= 20) {
      text.push_back(letter);
    } else if (hex == 21) {
      text.resize(text.size() - 20 + kKeep);
      text += "…";
    }
  }
  return text;
}

/// What a person needs to see of an event; empty: nothing.
std::string TextOf(const sim::TraceEvent& event) {
  switch (event.kind) {
    case sim::TraceKind::kSend:
      return Shorten(event.text) + " ▸";
    case sim::TraceKind::kReceive:
      return "◂ " + Shorten(event.text);
    case sim::TraceKind::kExecute:
      return fmt::format("{}: {}", Client(event.process),
                         event.text.substr(0, event.text.find(' ')));
    case sim::TraceKind::kExpired:
      return event.text + " expired";
    case sim::TraceKind::kFault:
      return "FAULT " + event.text;
    case sim::TraceKind::kBroken:
      return "connection broke: " + event.text;
    case sim::TraceKind::kResume:
      return event.text.empty() ? "resumed" : event.text;
    case sim::TraceKind::kHeal:
      return "all faults end";
    case sim::TraceKind::kNote:
      return event.text;
    case sim::TraceKind::kStart:
    case sim::TraceKind::kEnd:
    case sim::TraceKind::kConnect:
      break;
    case sim::TraceKind::kReply:
      return "  = " + Shorten(event.text);
  }
  return {};
}

std::vector<TableRow> Rows(const RunResult& run, const Violation& violation, std::size_t server) {
  std::vector<TableRow> rows;
  const auto mark = [&] {
    TableRow row;
    row.time_ns = violation.at.count();
    row.column = violation.client >= 0 ? static_cast<std::size_t>(violation.client) : server;
    row.text = fmt::format("{} {}", Code(violation.property), Slug(violation.property));
    row.kind = RowKind::kViolation;
    rows.push_back(row);
  };
  bool marked = false;
  for (const sim::TraceEvent& event : run.events) {
    if (!marked && event.time > violation.at) {
      mark();
      marked = true;
    }
    TableRow row;
    row.text = TextOf(event);
    if (row.text.empty()) continue;
    row.time_ns = event.time.count();
    const bool at_server = event.kind == sim::TraceKind::kExecute ||
                           event.kind == sim::TraceKind::kReply || event.process < 0;
    row.column = at_server ? server : static_cast<std::size_t>(event.process);
    row.kind = event.kind == sim::TraceKind::kFault ? RowKind::kFault : RowKind::kEvent;
    row.span = SpanOf(event);
    rows.push_back(std::move(row));
  }
  if (!marked) mark();
  return rows;
}

/// A waiter that polls in vain fills a table with the same few rows: keeps the first and the last.
void CutPolling(std::vector<TableRow>& rows) {
  constexpr std::size_t kFirst = 24;
  constexpr std::size_t kLast = 8;
  std::size_t calm = 0;  // after the last row that is no command of a client
  std::size_t violation = rows.size();
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (rows[i].kind == RowKind::kViolation) {
      violation = i;
      break;
    }
    if (rows[i].kind == RowKind::kFault || rows[i].span != SpanChange::kNone) calm = i;
  }
  if (violation < calm + kFirst + kLast + 2) return;
  const auto from = rows.begin() + static_cast<std::ptrdiff_t>(calm + kFirst);
  const auto to = rows.begin() + static_cast<std::ptrdiff_t>(violation - kLast);
  from->text = fmt::format("... and so on, {} rows ...", to - from);
  rows.erase(from + 1, to);
}

/// Cuts what comes long after the violation: it explains nothing.
void CutTail(std::vector<TableRow>& rows) {
  constexpr std::ptrdiff_t kAfter = 4;
  const auto violation = std::find_if(rows.begin(), rows.end(), [](const TableRow& row) {
    return row.kind == RowKind::kViolation;
  });
  if (rows.end() - violation > kAfter + 1) rows.erase(violation + kAfter + 1, rows.end());
}

}  // namespace

std::string ReplayCommand(std::string_view program, std::string_view token) {
  if (program.empty()) return std::string(token);
  return fmt::format("{} replay '{}'", program, token);
}

Explained Explain(const Found& found, std::string_view program) {
  const RunCase run_case{found.unit.entry->subject.get(), found.unit.scenario,
                         found.unit.synchrony};
  sim::Universe universe;
  sim::Choices choices = sim::Choices::FromTape(found.tape);
  const RunResult run = RunOnce(universe, run_case, found.workload, choices, true);

  Explained explained;
  explained.trace_hash = run.trace_hash;
  Counterexample& counterexample = explained.counterexample;
  counterexample.code = Code(found.property);
  counterexample.property = Slug(found.property);
  counterexample.lock = run_case.subject->name();
  counterexample.scenario = run_case.scenario->name;
  counterexample.synchrony = static_cast<reports::SynchronyClass>(run_case.synchrony);
  for (const Property& property : FindProperties(counterexample.property)) {
    counterexample.title = property.headline;
    counterexample.hints.emplace_back(property.fixes.front());
  }
  const std::size_t clients = found.workload.clients.size();
  for (std::size_t i = 0; i < clients; ++i) {
    counterexample.columns.push_back(Client(static_cast<int>(i)));
  }
  const auto probes = static_cast<std::size_t>(found.workload.permits);
  for (std::size_t i = 0; i < probes; ++i) {
    counterexample.columns.push_back(Client(static_cast<int>(clients + i)) + " (probe)");
  }
  counterexample.columns.emplace_back("redis");
  if (const Violation* violation = run.Find(found.property)) {
    counterexample.sentence = violation->what;
    counterexample.rows = Rows(run, *violation, clients + probes);
    CutPolling(counterexample.rows);
    CutTail(counterexample.rows);
  }
  for (const Violation& other : run.violations) {
    if (other.property == found.property) continue;
    counterexample.also.push_back(
        fmt::format("{} {}: {}", Code(other.property), Slug(other.property), other.what));
  }
  int client = 0;
  for (const ClientPlan& plan : found.workload.clients) {
    for (const PlannedFault& fault : plan.faults) {
      counterexample.faults.push_back(FaultLine(client, fault));
    }
    ++client;
  }
  counterexample.shrunk = {clients, FaultCount(found.workload), found.original.clients.size(),
                           FaultCount(found.original), static_cast<std::uint64_t>(found.shrinks)};
  counterexample.violating_runs = found.violating_runs;
  counterexample.total_runs = found.runs;
  counterexample.caller = program;
  counterexample.replay = ReplayCommand(program, found.token);
  counterexample.program = ProgramJson(found.workload, found.token);
  return explained;
}

}  // namespace interlock::scenarios
