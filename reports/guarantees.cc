// SPDX-License-Identifier: MIT
#include "reports/guarantees.h"

#include <fmt/format.h>

#include <optional>
#include <utility>

#include "reports/escape.h"
#include "reports/json_text.h"

namespace interlock::reports {
namespace {

/// "LK005"; a letter tells apart the three levels of LK013: server, belief, critical section.
std::string Label(const ResultRow& row) {
  if (row.property == "permits-server") return row.code + "-S";
  if (row.property == "permits-belief") return row.code + "-B";
  if (row.property == "permits-section") return row.code + "-C";
  return row.code;
}

/// Results without a promise either way are in parentheses.
std::string Labels(const GuaranteeCell& cell, Verdict verdict) {
  std::string labels;
  for (const ResultRow& row : cell.rows) {
    if (row.verdict != verdict) continue;
    const bool promised = row.expected != Expectation::kEither;
    labels += fmt::format("{}{}", labels.empty() ? "" : " ",
                          promised ? Label(row) : fmt::format("({})", Label(row)));
  }
  return labels;
}

/// Why the row does not pass; nullopt: it does.
std::optional<std::string> GuaranteeProblem(const GuaranteeCell& cell, const ResultRow& row) {
  const std::string where =
      fmt::format("{} {} under {}, {}", cell.lock, Label(row), cell.fault_class, cell.topology);
  switch (ExitCodeOf(row)) {
    case ExitCode::kPass:
      return std::nullopt;
    case ExitCode::kKnownFailurePasses:
      return fmt::format("NO LONGER FAILS  {}: said to fail, and held in {}", where,
                         Count(row.runs, "run"));
    case ExitCode::kInconclusive:
      return fmt::format("NOT SHOWN        {}: {}", where, row.reason);
    default:
      break;
  }
  return fmt::format("NOT KEPT         {}: promised, and violated", where);
}

std::string_view GuaranteeWord(Verdict verdict) {
  switch (verdict) {
    case Verdict::kHolds:
      return "holds";
    case Verdict::kViolated:
      return "breaks";
    case Verdict::kInconclusive:
      break;
  }
  return "unknown";
}

std::string_view PromiseWord(Expectation expected) {
  switch (expected) {
    case Expectation::kHolds:
      return "holds";
    case Expectation::kBreaks:
      return "fails";
    case Expectation::kEither:
      break;
  }
  return "none";
}

void TextMember(JsonText& json, std::string_view key, std::string_view value) {
  json.Key(key);
  json.String(value);
}

void WriteGuaranteeRow(JsonText& json, const ResultRow& row) {
  json.BeginObject();
  TextMember(json, "code", row.code);
  TextMember(json, "property", row.property);
  TextMember(json, "verdict", GuaranteeWord(row.verdict));
  TextMember(json, "promised", PromiseWord(row.expected));
  json.Key("pass");
  json.Bool(row.pass);
  json.Key("runs");
  json.Unsigned(row.runs);
  json.Key("exercised");
  json.Unsigned(row.exercised);
  if (row.replay.has_value()) TextMember(json, "replay", *row.replay);
  if (!row.reason.empty()) TextMember(json, "reason", row.reason);
  json.EndObject();
}

void WriteHead(JsonText& json, const GuaranteeTable& table) {
  TextMember(json, "schema", kGuaranteesSchema);
  if (table.status != RunStatus::kComplete) TextMember(json, "status", ToString(table.status));
  json.Key("tool");
  json.BeginObject();
  TextMember(json, "version", table.tool.version);
  TextMember(json, "commit", table.tool.commit);
  TextMember(json, "compiler", table.tool.compiler);
  json.EndObject();
  TextMember(json, "seed", fmt::format("{:#x}", table.seed));
  if (table.backend != "sim") TextMember(json, "backend", table.backend);
  if (!table.notes.empty()) {
    json.Key("notes");
    json.BeginArray();
    for (const std::string& note : table.notes) json.String(note);
    json.EndArray();
  }
  json.Key("divergences");
  json.Unsigned(table.divergences);
  json.Key("fault_classes");
  json.BeginArray();
  for (const FaultClassInfo& one : table.classes) {
    json.BeginObject();
    TextMember(json, "name", one.name);
    TextMember(json, "summary", one.summary);
    json.EndObject();
  }
  json.EndArray();
}

std::string MarkdownText(std::string_view text) {
  return EscapeMarkdown(SafeForTerminal(text, true));
}

/// Of another server than the usual one; else empty.
std::string BackendText(const GuaranteeTable& table, std::string_view before) {
  return table.backend == "sim" ? "" : fmt::format("{}backend {}", before, table.backend);
}

std::string OrDash(std::string text) { return text.empty() ? "-" : text; }

class TextTable {
 public:
  TextTable(const GuaranteeTable& table, const TextOptions& options)
      : table_(table), options_(options) {}

  std::string Write() {
    const ToolInfo& tool = table_.tool;
    Line(fmt::format("Interlock {} ({}, {})   seed {:#x}{}", tool.version, tool.commit,
                     tool.compiler, table_.seed, BackendText(table_, "   ")));
    for (const std::string& note : table_.notes) Line(note);
    if (table_.status == RunStatus::kPartial) Line("PARTIAL: the run was interrupted.");
    Line("In parentheses: not promised either way.");
    const std::string* lock = nullptr;
    for (const GuaranteeCell& cell : table_.cells) {
      if (lock == nullptr || *lock != cell.lock) {
        Line("");
        Line(cell.lock);
      }
      lock = &cell.lock;
      Cell(cell);
    }
    Problems();
    return DefuseCiCommands(out_);
  }

 private:
  void Cell(const GuaranteeCell& cell) {
    Line(fmt::format("  {:<22} {:<12} {}", cell.fault_class, cell.topology,
                     Count(cell.runs, "run")));
    List("holds", Labels(cell, Verdict::kHolds));
    List("breaks", Labels(cell, Verdict::kViolated));
    List("unknown", Labels(cell, Verdict::kInconclusive));
    for (const ResultRow& row : cell.rows) {
      if (row.verdict != Verdict::kViolated || !row.replay.has_value()) continue;
      Line(fmt::format("    {:<9}{} replay '{}'", Label(row), table_.tool.program, *row.replay));
    }
  }

  void List(std::string_view word, const std::string& labels) {
    if (labels.empty()) return;
    for (const std::string& line : Wrap(labels, WidthOf(options_) - 13)) {
      Line(fmt::format("    {:<9}{}", word, line));
      word = "";
    }
  }

  void Problems() {
    std::uint64_t promised = 0;
    std::uint64_t kept = 0;
    std::vector<std::string> problems;
    for (const GuaranteeCell& cell : table_.cells) {
      for (const ResultRow& row : cell.rows) {
        if (row.expected != Expectation::kEither) ++promised;
        if (row.expected != Expectation::kEither && row.pass) ++kept;
        if (auto problem = GuaranteeProblem(cell, row)) problems.push_back(std::move(*problem));
      }
    }
    Line("");
    for (const std::string& problem : problems) Line(problem);
    if (table_.divergences > 0)
      Line("INTERNAL: runs diverged, so that nothing here can be trusted");
    Line(fmt::format("{} of {} statements of the locks about themselves are as they say",
                     GroupDigits(kept), GroupDigits(promised)));
  }

  void Line(std::string_view text) {
    out_ += SafeForTerminal(text, options_.utf8);
    out_ += '\n';
  }

  const GuaranteeTable& table_;
  const TextOptions options_;
  std::string out_;
};

}  // namespace

ExitCode ExitCodeOf(const GuaranteeTable& table) {
  RunReport report;
  for (const GuaranteeCell& cell : table.cells) {
    report.results.insert(report.results.end(), cell.rows.begin(), cell.rows.end());
  }
  report.status = table.status;
  report.totals.divergences = table.divergences;
  return ExitCodeOf(report);
}

std::string ToJson(const GuaranteeTable& table) {
  JsonText json;
  json.BeginObject();
  WriteHead(json, table);
  json.Key("cells");
  json.BeginArray();
  for (const GuaranteeCell& cell : table.cells) {
    json.BeginObject();
    TextMember(json, "lock", cell.lock);
    TextMember(json, "fault_class", cell.fault_class);
    TextMember(json, "topology", cell.topology);
    json.Key("runs");
    json.Unsigned(cell.runs);
    json.Key("properties");
    json.BeginArray();
    for (const ResultRow& row : cell.rows) WriteGuaranteeRow(json, row);
    json.EndArray();
    json.EndObject();
  }
  json.EndArray();
  json.EndObject();
  return std::move(json).Take();
}

std::string ToMarkdown(const GuaranteeTable& table) {
  const std::string_view partial =
      table.status == RunStatus::kPartial ? "**Partial: the run was interrupted.** " : "";
  std::string notes;
  for (const std::string& note : table.notes) notes += MarkdownText(note) + ". ";
  std::string text = fmt::format(
      "# What each lock guarantees\n\nInterlock {}, seed {:#x}{}. {}{}In parentheses: not promised "
      "either way.\n\n| lock | faults | topology | runs | holds | breaks | unknown |\n"
      "|---|---|---|---|---|---|---|\n",
      MarkdownText(table.tool.version), table.seed, MarkdownText(BackendText(table, ", ")), partial,
      notes);
  for (const GuaranteeCell& cell : table.cells) {
    text +=
        fmt::format("| {} | {} | {} | {} | {} | {} | {} |\n", MarkdownText(cell.lock),
                    MarkdownText(cell.fault_class), MarkdownText(cell.topology), cell.runs,
                    OrDash(Labels(cell, Verdict::kHolds)), OrDash(Labels(cell, Verdict::kViolated)),
                    OrDash(Labels(cell, Verdict::kInconclusive)));
  }
  text += "\nThe classes of faults:\n\n";
  for (const FaultClassInfo& one : table.classes) {
    text += fmt::format("- {}: {}\n", MarkdownText(one.name), MarkdownText(one.summary));
  }
  text += "\nSmallest counterexamples, for `interlock replay`:\n\n";
  for (const GuaranteeCell& cell : table.cells) {
    for (const ResultRow& row : cell.rows) {
      if (row.verdict != Verdict::kViolated || !row.replay.has_value()) continue;
      text += fmt::format("- {} {} under {}, {}: `{}`\n", MarkdownText(cell.lock), Label(row),
                          MarkdownText(cell.fault_class), MarkdownText(cell.topology), *row.replay);
    }
  }
  return text;
}

std::string ToText(const GuaranteeTable& table, const TextOptions& options) {
  return TextTable(table, options).Write();
}

}  // namespace interlock::reports
