// SPDX-License-Identifier: MIT
#include "reports/csv_writer.h"

#include <initializer_list>
#include <string_view>

#include "reports/escape.h"

namespace interlock::reports {
namespace {

std::string Field(std::string_view text) {
  std::string field = "\"";
  const std::string safe = SafeForTerminal(text, true);
  if (!safe.empty() && std::string_view("=+-@").find(safe.front()) != std::string_view::npos) {
    field += '\'';
  }
  for (const char letter : safe) {
    if (letter == '"') field += '"';
    field += letter;
  }
  return field + '"';
}

}  // namespace

void AddCsvLine(std::initializer_list<std::string_view> fields, std::string& csv) {
  bool first = true;
  for (const std::string_view field : fields) {
    if (!first) csv += ',';
    first = false;
    csv += Field(field);
  }
  csv += "\r\n";
}

std::string ToCsv(const RunReport& report) {
  std::string csv;
  AddCsvLine({"lock", "kind", "scenario", "class", "code", "property", "expected", "verdict",
              "pass", "runs", "exercised", "runs_to_first_violation", "replay", "counterexample",
              "reason", "backend"},
             csv);
  for (const ResultRow& row : report.results) {
    AddCsvLine(
        {row.lock, ToString(row.kind), row.scenario, ToString(row.synchrony), row.code,
         row.property, ToString(row.expected), ToString(row.verdict), row.pass ? "yes" : "no",
         std::to_string(row.runs), std::to_string(row.exercised),
         row.runs_to_first_violation ? std::to_string(*row.runs_to_first_violation) : "",
         row.replay.value_or(""), row.counterexample.value_or(""), row.reason, report.backend},
        csv);
  }
  return csv;
}

}  // namespace interlock::reports
