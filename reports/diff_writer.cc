// SPDX-License-Identifier: MIT
#include "reports/diff_writer.h"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "reports/escape.h"
#include "reports/headline.h"
#include "reports/json_text.h"
#include "reports/markdown_writer.h"

namespace interlock::reports {
namespace {

constexpr std::array kStandings = {Standing::kNew, Standing::kStill, Standing::kRare,
                                   Standing::kUnseen, Standing::kFixed};
constexpr std::size_t kMostPlaces = 4;

std::uint64_t CountOf(const RunDiff& diff, Standing standing) {
  return static_cast<std::uint64_t>(
      std::count_if(diff.changes.begin(), diff.changes.end(),
                    [standing](const Change& change) { return change.standing == standing; }));
}

/// "2 new, 1 still, 0 rare, 0 unseen, 3 fixed"
std::string DiffCounts(const RunDiff& diff) {
  std::string counts;
  for (const Standing standing : kStandings) {
    counts += fmt::format("{}{} {}", counts.empty() ? "" : ", ",
                          GroupDigits(CountOf(diff, standing)), ToString(standing));
  }
  return counts;
}

std::string Named(const RunDiff& diff, const RunName& run) {
  return fmt::format("{}: {} ({}), seed {:#x}, backend {}, {}", run.headline, run.version,
                     run.commit, run.seed, run.backend,
                     Count(run.size, diff.of_measurements ? "point" : "run"));
}

/// "overstay [none], chaos [bounded] and 3 more"
std::string Places(const Finding& finding) {
  std::string text;
  for (std::size_t i = 0; i < std::min(finding.places.size(), kMostPlaces); ++i) {
    text += (i > 0 ? ", " : "") + finding.places[i];
  }
  if (finding.places.size() > kMostPlaces) {
    text += fmt::format(" and {} more", finding.places.size() - kMostPlaces);
  }
  return text;
}

std::string ReplayOf(const RunDiff& diff, const Finding& finding) {
  return finding.replay.empty() ? "" : fmt::format("{} replay '{}'", diff.program, finding.replay);
}

class DiffTextWriter {
 public:
  DiffTextWriter(const RunDiff& diff, const TextOptions& options)
      : diff_(diff), options_(options), width_(WidthOf(options)) {}

  std::string Write() {
    Wrapped("before", Named(diff_, diff_.before));
    Wrapped("now", Named(diff_, diff_.now));
    for (const Change& change : diff_.changes) Tell(change);
    if (!diff_.notes.empty()) out_ += '\n';
    for (const std::string& note : diff_.notes) Wrapped("note", note);
    out_ += '\n' + Colored(Headline(diff_)) + "  " + DiffCounts(diff_) + '\n';
    return DefuseCiCommands(out_);
  }

 private:
  void Tell(const Change& change) {
    const Finding& finding = change.finding;
    out_ += '\n';
    std::string first = finding.property;
    if (finding.what != "FAIL") first += ": " + finding.what;
    if (!finding.lock.empty()) first += "   " + finding.lock;
    Wrapped(ToUpper(ToString(change.standing)), first);
    if (!finding.places.empty()) Wrapped("", "in " + Places(finding));
    if (!finding.sentence.empty()) Wrapped("", finding.sentence);
    if (!change.remark.empty()) Wrapped("", change.remark);
    // Never cut, as it is there to be copied.
    const std::string replay = ReplayOf(diff_, finding);
    if (!replay.empty()) out_ += "        " + SafeForTerminal(replay, options_.utf8) + '\n';
  }

  void Wrapped(std::string_view label, std::string_view text) {
    std::string first = PadRight(label, 8);
    for (const std::string& line : Wrap(Excerpt(text, 1000, options_.utf8), width_ - 8)) {
      out_ += first + line + '\n';
      first = std::string(8, ' ');
    }
  }

  std::string Colored(std::string_view headline) const {
    if (!options_.color) return std::string(headline);
    return fmt::format("{}{}\x1b[0m", ColorOf(headline), headline);
  }

  const RunDiff& diff_;
  const TextOptions& options_;
  const std::size_t width_;
  std::string out_;
};

std::string SafeLine(std::string_view text) { return EscapeMarkdown(Excerpt(text, 500, true)); }

void AddRun(std::string_view key, const RunName& run, JsonText& json) {
  json.Key(key);
  json.BeginObject();
  json.Key("version");
  json.String(run.version);
  json.Key("commit");
  json.String(run.commit);
  json.Key("seed");
  json.String(fmt::format("{:#x}", run.seed));
  json.Key("backend");
  json.String(run.backend);
  json.Key("size");
  json.Unsigned(run.size);
  json.Key("headline");
  json.String(run.headline);
  json.EndObject();
}

void AddStrings(std::string_view key, const std::vector<std::string>& strings, JsonText& json) {
  json.Key(key);
  json.BeginArray();
  for (const std::string& one : strings) json.String(one);
  json.EndArray();
}

void AddChange(const Change& change, JsonText& json) {
  const Finding& finding = change.finding;
  json.BeginObject();
  json.Key("standing");
  json.String(ToString(change.standing));
  json.Key("fingerprint");
  json.String(finding.fingerprint);
  json.Key("what");
  json.String(finding.what);
  json.Key("property");
  json.String(finding.property);
  json.Key("lock");
  json.String(finding.lock);
  AddStrings("places", finding.places, json);
  json.Key("sentence");
  json.String(finding.sentence);
  json.Key("faults");
  if (finding.faults_known) {
    json.BeginArray();
    for (const std::string& fault : finding.faults) json.String(fault);
    json.EndArray();
  } else {
    json.Null();
  }
  json.Key("remark");
  json.String(change.remark);
  json.Key("replay");
  if (finding.replay.empty()) {
    json.Null();
  } else {
    json.String(finding.replay);
  }
  json.EndObject();
}

}  // namespace

std::string_view Headline(const RunDiff& diff) { return Headline(ExitCodeOf(diff)); }

std::string ToText(const RunDiff& diff, const TextOptions& options) {
  return DiffTextWriter(diff, options).Write();
}

std::string ToMarkdown(const RunDiff& diff) {
  std::string text = fmt::format("# Compared with an earlier run: {}\n\n{}.\n\n", Headline(diff),
                                 DiffCounts(diff));
  text += fmt::format("- before: {}\n- now: {}\n", SafeLine(Named(diff, diff.before)),
                      SafeLine(Named(diff, diff.now)));
  if (!diff.changes.empty()) {
    text += "\n| standing | what | lock | where | more |\n|---|---|---|---|---|\n";
  }
  for (const Change& change : diff.changes) {
    const Finding& finding = change.finding;
    std::string more = SafeLine(finding.sentence);
    if (!change.remark.empty()) more += (more.empty() ? "" : "; ") + SafeLine(change.remark);
    const std::string replay = ReplayOf(diff, finding);
    if (!replay.empty()) more += (more.empty() ? "" : "; ") + MarkdownCode(replay);
    text += fmt::format("| **{}** | {}: {} | {} | {} | {} |\n", ToString(change.standing),
                        finding.what, SafeLine(finding.property), SafeLine(finding.lock),
                        SafeLine(Places(finding)), more);
  }
  if (!diff.notes.empty()) text += "\n";
  for (const std::string& note : diff.notes) text += "- " + SafeLine(note) + '\n';
  return CutMarkdown(std::move(text), kStepSummaryBytes);
}

std::string ToJson(const RunDiff& diff) {
  JsonText json;
  json.BeginObject();
  json.Key("schema");
  json.String(kDiffSchema);
  json.Key("kind");
  json.String(diff.of_measurements ? kContentionKind : "check");
  json.Key("headline");
  json.String(Headline(diff));
  AddRun("before", diff.before, json);
  AddRun("now", diff.now, json);
  json.Key("counts");
  json.BeginObject();
  for (const Standing standing : kStandings) {
    json.Key(ToString(standing));
    json.Unsigned(CountOf(diff, standing));
  }
  json.EndObject();
  json.Key("changes");
  json.BeginArray();
  for (const Change& change : diff.changes) AddChange(change, json);
  json.EndArray();
  AddStrings("notes", diff.notes, json);
  json.EndObject();
  return std::move(json).Take();
}

}  // namespace interlock::reports
