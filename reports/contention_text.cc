// SPDX-License-Identifier: MIT
#include "reports/contention_text.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "reports/contention_figures.h"
#include "reports/csv_writer.h"
#include "reports/escape.h"
#include "reports/headline.h"
#include "reports/markdown_writer.h"

namespace interlock::reports {
namespace {

struct Column {
  std::string_view head;
  std::string_view figure;
};

/// The columns that fit into a table.
constexpr std::array kColumns = {
    Column{"grants/s", "grants_per_s"}, Column{"wait p50", "wait_p50_ns"},
    Column{"p99", "wait_p99_ns"},       Column{"max", "wait_max_ns"},
    Column{"turn p50", "turn_p50_ns"},  Column{"cmds/grant", "commands_per_grant"},
    Column{"gave up", "abandoned"},     Column{"Jain", "jain_grants"},
    Column{"bypasses", "bypasses"},     Column{"lost", "lost_unnoticed"},
};

std::string PadLeft(std::string text, std::size_t width) {
  const std::size_t has = DisplayWidth(text);
  return has >= width ? text : std::string(width - has, ' ') + text;
}

std::string KneeText(const std::vector<const ContentionPoint*>& points) {
  const auto law = Fit(points);
  if (!law) return "";
  const std::string form = fmt::format("sigma {:.3f}, kappa {:.2g}", law->sigma, law->kappa);
  if (!law->knee) return "throughput has no knee within these numbers of clients (" + form + ")";
  return fmt::format("throughput is highest at some {:.0f} clients ({})", std::max(1.0, *law->knee),
                     form);
}

using Row = std::vector<std::string>;

std::vector<Row> FigureTable(const std::vector<const ContentionPoint*>& points) {
  std::vector<Row> table = {{"clients"}};
  for (const Column& column : kColumns) table.front().emplace_back(column.head);
  for (const ContentionPoint* point : points) {
    Row row = {std::to_string(point->clients)};
    for (const Column& column : kColumns) row.push_back(FigureText(column.figure, *point));
    table.push_back(std::move(row));
  }
  return table;
}

std::string Aligned(const std::vector<Row>& table) {
  std::vector<std::size_t> widths(table.front().size());
  for (const Row& row : table) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      widths[i] = std::max(widths[i], DisplayWidth(row[i]));
    }
  }
  std::string text;
  for (const Row& row : table) {
    text += "  ";
    for (std::size_t i = 0; i < row.size(); ++i) text += PadLeft(row[i], widths[i]) + "  ";
    text.erase(text.find_last_not_of(' ') + 1);
    text += '\n';
  }
  return text;
}

std::string GateWord(const GateResult& gate) {
  if (!gate.measured) return "inconclusive";
  return gate.pass ? "pass" : "FAIL";
}

std::string MetricAttribute(std::string_view text) {
  return EscapeXmlAttribute(Excerpt(text, 300, true));
}

}  // namespace

ExitCode ExitCodeOf(const ContentionReport& report) {
  ExitCode code = ExitCode::kPass;
  for (const GateResult& gate : report.gates) {
    if (!gate.measured) {
      code = Combine(code, ExitCode::kInconclusive);
    } else if (!gate.pass) {
      code = Combine(code, ExitCode::kThreshold);
    }
  }
  if (report.status == RunStatus::kPartial) code = Combine(code, ExitCode::kInconclusive);
  return code;
}

std::string_view Headline(const ContentionReport& report) {
  const ExitCode code = ExitCodeOf(report);
  return code == ExitCode::kPass && report.gates.empty() ? "MEASURED" : Headline(code);
}

std::string_view TimeOf(const ContentionReport& report) {
  return report.backend.starts_with("sim") ? "virtual" : "wall";
}

std::string InWords(const ContentionReport& report) {
  const LoadText& load = report.load;
  const auto time = [](std::int64_t ns) { return DurationInWords(static_cast<double>(ns)); };
  std::string words =
      load.arrivals == "open"
          ? fmt::format("open loop, each client asks every {} ({})", time(load.interval_ns),
                        Excerpt(load.spread, 40, true))
          : fmt::format("closed loop, {} between requests{}", time(load.think_ns),
                        load.think_ns > 0 ? " (" + Excerpt(load.spread, 40, true) + ")" : "");
  words += fmt::format("; sections of {}", time(load.hold_ns));
  // Clients in other languages have their own, which nobody knows here.
  if (load.lease_ns > 0) words += fmt::format(", leases of {}", time(load.lease_ns));
  if (load.patience_ns > 0) words += fmt::format(", patience of {}", time(load.patience_ns));
  if (load.permits > 1) words += fmt::format(", semaphores of {} permits", load.permits);
  if (load.resources > 1) words += fmt::format(", {} resources", load.resources);
  if (load.faults != "none") words += ", faults: " + Excerpt(load.faults, 40, true);
  return words + fmt::format("; {} after a warm-up of {}, in {} time", time(load.duration_ns),
                             time(load.warm_up_ns), TimeOf(report));
}

std::string ToText(const ContentionReport& report, const TextOptions& options) {
  std::string text = fmt::format("Interlock {} ({}, {})   seed {:#x}   backend {}\n",
                                 Excerpt(report.tool.version, 40, options.utf8),
                                 Excerpt(report.tool.commit, 40, options.utf8),
                                 Excerpt(report.tool.compiler, 40, options.utf8), report.seed,
                                 Excerpt(report.backend, 100, options.utf8));
  for (const std::string& line : Wrap(InWords(report), WidthOf(options))) text += line + '\n';
  for (const auto& points : ByLock(report)) {
    text += fmt::format("\n{}\n", Excerpt(points.front()->lock, WidthOf(options), options.utf8));
    text += Aligned(FigureTable(points));
    if (const std::string knee = KneeText(points); !knee.empty()) text += "  " + knee + '\n';
  }
  if (!report.gates.empty()) text += '\n';
  for (const GateResult& gate : report.gates) {
    text +=
        fmt::format("{}{}: {}\n", PadRight(GateWord(gate), 14),
                    Excerpt(gate.name, 200, options.utf8), Excerpt(gate.what, 200, options.utf8));
    if (gate.hint.empty()) continue;
    const std::string hint = "hint: " + Excerpt(gate.hint, 500, options.utf8);
    for (const std::string& line : Wrap(hint, WidthOf(options) - 14)) {
      text += std::string(14, ' ') + line + '\n';
    }
  }
  for (const std::string& note : report.notes) {
    text += "\nnote: " + Excerpt(note, 1000, options.utf8) + '\n';
  }
  text += fmt::format("\n{}  {} measured in {}\n", Headline(report),
                      Count(report.points.size(), "point"), ShortSeconds(report.wall_time));
  return text;
}

std::string ToMarkdown(const ContentionReport& report) {
  std::string text =
      fmt::format("# Contention: {}\n\n{}\n", Headline(report), EscapeMarkdown(InWords(report)));
  if (!report.gates.empty()) text += "\n## Gates\n\n";
  for (const GateResult& gate : report.gates) {
    text += fmt::format("- **{}** {}: {}\n", GateWord(gate),
                        EscapeMarkdown(Excerpt(gate.name, 200, true)),
                        EscapeMarkdown(Excerpt(gate.what, 200, true)));
    if (!gate.hint.empty()) text += "  - " + EscapeMarkdown(Excerpt(gate.hint, 500, true)) + '\n';
  }
  for (const auto& points : ByLock(report)) {
    text += fmt::format("\n## {}\n\n", EscapeMarkdown(Excerpt(points.front()->lock, 200, true)));
    const std::vector<Row> table = FigureTable(points);
    for (std::size_t i = 0; i < table.size(); ++i) {
      for (const std::string& cell : table[i]) text += "| " + cell + ' ';
      text += "|\n";
      if (i > 0) continue;
      for (std::size_t cells = table[i].size(); cells > 0; --cells) text += "| --: ";
      text += "|\n";
    }
    if (const std::string knee = KneeText(points); !knee.empty()) text += '\n' + knee + '\n';
  }
  if (!report.notes.empty()) text += "\n## Notes\n\n";
  for (const std::string& note : report.notes) {
    text += "- " + EscapeMarkdown(Excerpt(note, 1000, true)) + '\n';
  }
  return CutMarkdown(std::move(text), kStepSummaryBytes);
}

std::string ToCsv(const ContentionReport& report) {
  std::string csv;
  AddCsvLine({"lock", "clients", "figure", "value", "meaning"}, csv);
  for (const ContentionPoint& point : report.points) {
    for (const Figure& figure : Figures()) {
      const std::optional<double> value = figure.of(point);
      AddCsvLine({point.lock, std::to_string(point.clients), figure.name,
                  value ? fmt::format("{}", *value) : "", figure.meaning},
                 csv);
    }
  }
  return csv;
}

std::string ToJUnit(const ContentionReport& report) {
  std::size_t failures = 0;
  std::size_t errors = 0;
  std::string cases;
  std::map<std::string, int> taken;
  for (const GateResult& gate : report.gates) {
    // Of two cases with the same name a reader keeps the first.
    std::string name = MetricAttribute(gate.name);
    if (const int number = ++taken[name]; number > 1) name += fmt::format(" #{}", number);
    cases +=
        fmt::format("    <testcase classname=\"contention\" name=\"{}\" time=\"0.000\">", name);
    if (!gate.measured) {
      ++errors;
      cases += fmt::format("<error type=\"inconclusive\" message=\"{0}\">{0}</error>",
                           MetricAttribute(gate.what));
    } else if (!gate.pass) {
      ++failures;
      cases += fmt::format("<failure type=\"threshold\" message=\"{0}\">{0}{1}{2}</failure>",
                           MetricAttribute(gate.what), gate.hint.empty() ? "" : "&#10;hint: ",
                           EscapeXmlText(Excerpt(gate.hint, 500, true)));
    }
    cases += "</testcase>\n";
  }
  // Jenkins drops a suite without cases.
  if (report.gates.empty()) {
    cases = "    <testcase classname=\"contention\" name=\"measured\" time=\"0.000\"/>\n";
  }
  const std::string counts =
      fmt::format("tests=\"{}\" failures=\"{}\" errors=\"{}\" skipped=\"0\"",
                  std::max<std::size_t>(report.gates.size(), 1), failures, errors);
  const auto ms = report.wall_time.count();
  return fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
      "<testsuites name=\"interlock\" {0} time=\"{2}.{3:03}\">\n"
      "  <testsuite id=\"0\" name=\"contention\" {0} time=\"0.000\">\n{1}  </testsuite>\n"
      "</testsuites>\n",
      counts, cases, ms / 1000, ms % 1000);
}

}  // namespace interlock::reports
