// SPDX-License-Identifier: MIT
#include "reports/markdown_writer.h"

#include <map>
#include <set>
#include <string_view>

#include <fmt/format.h>

#include "reports/escape.h"
#include "reports/exit_code.h"
#include "reports/headline.h"
#include "reports/text_layout.h"
#include "reports/text_writer.h"

namespace interlock::reports {
namespace {

constexpr std::size_t kMarkdownWidth = 300;

std::string Safe(std::string_view text) {
  return EscapeMarkdown(Excerpt(text, kMarkdownWidth, true));
}

/// Text made safe by the text writer, in a fence that it cannot end.
std::string Fenced(std::string_view text) {
  std::string fence = "```";
  while (text.find(fence) != std::string_view::npos) fence += '`';
  return fmt::format("{}text\n{}{}\n", fence, text, fence);
}

struct Tally {
  std::uint64_t passed = 0;
  std::uint64_t failed = 0;
  std::uint64_t inconclusive = 0;
};

class MarkdownWriter {
 public:
  MarkdownWriter(const RunReport& report, const std::vector<Counterexample>& examples)
      : report_(report), examples_(examples) {}

  std::string Write() {
    const ToolInfo& tool = report_.tool;
    const Tally all = Sum();
    out_ += fmt::format("# {}\n\n", Headline(report_));
    out_ += fmt::format(
        "{} of {} passed, {} failed, {} inconclusive; {}, seed {:#x}, {}. Interlock {} ({}).\n\n",
        GroupDigits(all.passed), GroupDigits(report_.results.size()), GroupDigits(all.failed),
        GroupDigits(all.inconclusive), Count(report_.totals.runs, "run"), report_.seed,
        Safe(report_.backend), Safe(tool.version), Safe(tool.commit));
    if (report_.status == RunStatus::kPartial) out_ += "**Partial: the run was interrupted.**\n\n";
    if (report_.totals.divergences > 0) {
      out_ += fmt::format("**{} diverged (LK016): no verdict can be trusted.**\n\n",
                          Count(report_.totals.divergences, "double run"));
    }
    Problems();
    Cases();
    Locks();
    Rest();
    return out_;
  }

 private:
  Tally Sum() {
    Tally all;
    for (const ResultRow& row : report_.results) {
      Tally& own = by_lock_[row.lock];
      const ExitCode code = ExitCodeOf(row);
      for (Tally* tally : {&all, &own}) {
        tally->passed += code == ExitCode::kPass ? 1 : 0;
        tally->inconclusive += code == ExitCode::kInconclusive ? 1 : 0;
        tally->failed += code != ExitCode::kPass && code != ExitCode::kInconclusive ? 1 : 0;
      }
    }
    return all;
  }

  void Problems() {
    bool any = false;
    for (const ResultRow& row : report_.results) {
      if (ExitCodeOf(row) == ExitCode::kPass) continue;
      if (!any) out_ += "| verdict | property | lock | scenario | |\n|---|---|---|---|---|\n";
      any = true;
      std::string more = Safe(row.reason);
      if (row.replay) more += (more.empty() ? "" : "; ") + MarkdownCode(*row.replay);
      out_ += fmt::format("| {} | {} {} | {} | {} [{}] | {} |\n", TroubleOf(row), Safe(row.code),
                          Safe(row.property), Safe(row.lock), Safe(row.scenario),
                          ToString(row.synchrony), more);
    }
    if (any) out_ += '\n';
  }

  /// The first case of each property that failed or, if none did, of each expected violation.
  void Cases() {
    for (const bool expected : {false, true}) {
      std::set<std::string_view> told;
      for (const ResultRow& row : report_.results) {
        const bool passes = ExitCodeOf(row) == ExitCode::kPass;
        if (passes != expected || row.verdict != Verdict::kViolated) continue;
        const Counterexample* example = FindCounterexample(examples_, row);
        if (example == nullptr || !told.insert(row.code).second) continue;
        Case(*example, expected);
      }
      if (!told.empty()) return;
    }
  }

  void Case(const Counterexample& example, bool expected) {
    const std::string headline =
        fmt::format("{} {}: {} in {} [{}]", Safe(example.code), Safe(example.title),
                    Safe(example.lock), Safe(example.scenario), ToString(example.synchrony));
    const std::string body = Fenced(ToText(example, TextOptions{.utf8 = true}));
    // Expected cases are folded.
    out_ += expected ? fmt::format("<details><summary>{}</summary>\n\n{}\n</details>\n\n",
                                   EscapeXmlText(headline), body)
                     : fmt::format("## {}\n\n{}\n\n{}\n", headline, Safe(example.sentence), body);
  }

  void Locks() {
    if (by_lock_.empty()) return;
    out_ += "| lock | passed | failed | inconclusive |\n|---|---:|---:|---:|\n";
    for (const auto& [lock, tally] : by_lock_) {
      out_ += fmt::format("| {} | {} | {} | {} |\n", Safe(lock), GroupDigits(tally.passed),
                          GroupDigits(tally.failed), GroupDigits(tally.inconclusive));
    }
    out_ += '\n';
  }

  void Rest() {
    for (const GoalCount& goal : report_.goals) {
      if (goal.count == 0) out_ += fmt::format("- never seen: {}\n", Safe(goal.name));
    }
    for (const std::string& note : report_.notes) out_ += fmt::format("- {}\n", Safe(note));
  }

  const RunReport& report_;
  const std::vector<Counterexample>& examples_;
  std::map<std::string_view, Tally> by_lock_;
  std::string out_;
};

}  // namespace

std::string MarkdownCode(std::string_view text) {
  std::string code = "`";
  for (const char letter : SafeForTerminal(text, true)) {
    if (letter == '|') code += '\\';
    code += letter == '`' ? '\'' : letter;
  }
  return code + '`';
}

std::string CutMarkdown(std::string text, std::size_t most_bytes) {
  if (text.size() <= most_bytes) return text;
  constexpr std::string_view kCut = "\n\n*Cut here: the whole report is in run.json.*\n";
  // An open fence would swallow the last line, so the cut moves before it.
  const std::size_t room = most_bytes > kCut.size() ? most_bytes - kCut.size() : 0;
  std::size_t end = text.rfind("\n```", room);
  bool open = false;
  for (std::size_t at = text.find("\n```"); at < room; at = text.find("\n```", at + 1)) {
    open = !open;
  }
  if (!open || end == std::string::npos) end = text.rfind('\n', room);
  text.resize(end == std::string::npos ? 0 : end);
  return text + std::string(kCut);
}

std::string ToMarkdown(const RunReport& report, const std::vector<Counterexample>& counterexamples,
                       std::size_t most_bytes) {
  return CutMarkdown(MarkdownWriter(report, counterexamples).Write(), most_bytes);
}

}  // namespace interlock::reports
