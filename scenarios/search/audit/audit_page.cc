// SPDX-License-Identifier: MIT
#include "scenarios/search/audit/audit_page.h"

#include <algorithm>
#include <string_view>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "reports/escape.h"
#include "reports/exit_code.h"
#include "reports/json_text.h"
#include "reports/text_layout.h"

namespace interlock::scenarios::audit {
namespace {

using reports::Counterexample;
using reports::ExitCode;
using reports::ResultRow;
using reports::Verdict;

constexpr std::string_view kSchema = "interlock.audit/1";
constexpr std::size_t kFaultWidth = 120;
/// Commands in it may be scripts of many lines.
constexpr std::size_t kSentenceWidth = 240;
constexpr std::string_view kLimit = "a known limit of every lease lock";

/// A library's or a server's words, on one line and without a meaning in Markdown.
std::string Said(std::string_view text) {
  return reports::EscapeMarkdown(reports::SafeForTerminal(text, true));
}

/// "LK003 section-exclusion, LK009 deadlock"; empty: no row has this verdict.
std::string Properties(const Audited& one, Verdict verdict) {
  std::vector<std::string> names;
  for (const ResultRow& row : one.report.results) {
    if (row.verdict == verdict) names.push_back(fmt::format("{} {}", row.code, row.property));
  }
  return fmt::format("{}", fmt::join(names, ", "));
}

/// The beginning of a sentence that quotes commands.
std::string Beginning(std::string_view sentence) {
  return Said(reports::Excerpt(sentence, kSentenceWidth, true));
}

std::string VerdictOf(const Audited& one) {
  if (!one.not_audited.empty()) return "not audited";
  const std::string broke = Properties(one, Verdict::kViolated);
  const ExitCode code = ExitCodeOf(one);
  if (code == ExitCode::kViolated) return "unexpected: " + broke;
  if (code == ExitCode::kInconclusive) {
    return broke.empty() ? "inconclusive" : "inconclusive; breaks " + broke;
  }
  return broke.empty() ? "holds" : "breaks " + broke;
}

std::string InstalledFrom(const Library& library) {
  if (!library.npm.empty()) return fmt::format("npm package {}, as locked", library.npm);
  if (!library.debian.empty()) return fmt::format("Debian package {}", library.debian.front());
  return "nothing to install";
}

std::string Bounds(const Library& library) {
  const drive::DriveOptions& drive = library.drive;
  std::string text = fmt::format("{} clients", drive.clients);
  if (drive.nodes > 1) text += fmt::format(", {} masters", drive.nodes);
  if (drive.permits > 1) text += fmt::format(", {} permits", drive.permits);
  return text + fmt::format(
                    "; in a run at most {} crash, {} pause, {} expiry, {} lost reply, {} delay, "
                    "{} forgotten scripts, {} wrong clock",
                    drive.crashes, drive.pauses, drive.expiries, drive.lost_replies, drive.delays,
                    drive.script_flushes, drive.clocks);
}

std::string Searched(const Audited& one) {
  const reports::Totals& totals = one.report.totals;
  return fmt::format("{}, {} with faults, {} commands", reports::Count(totals.runs, "run"),
                     totals.runs_with_faults, totals.commands);
}

/// What the finding means for a user of the library.
std::string Meaning(const KnownBreak* known) {
  if (known == nullptr) return "not known before: look at the case before anything is claimed";
  std::string text = known->limit ? std::string(kLimit) + "; " : "";
  return text + (known->contradicts.empty()
                     ? "contradicts no sentence of the documentation"
                     : fmt::format("contradicts: \"{}\"", Said(known->contradicts)));
}

std::vector<OnServer> ServersOf(const Audited& one, std::size_t index) {
  return index < one.on_servers.size() ? one.on_servers[index] : std::vector<OnServer>();
}

/// "reproduced on Redis 7.0.15 of its own: 5 of 5"
std::string OnServers(const Audited& one, std::size_t index) {
  std::vector<std::string> all;
  for (const OnServer& on : ServersOf(one, index)) {
    all.push_back(
        fmt::format("{} on {}: {} of {}{}", on.reproduced > 0 ? "reproduced" : "not seen",
                    on.server, on.reproduced, on.tries,
                    on.why_not.empty() ? "" : fmt::format(" ({})", Beginning(on.why_not))));
  }
  return all.empty() ? "not replayed on a real server" : fmt::format("{}", fmt::join(all, "; "));
}

std::string Finding(const Audited& one, std::size_t index) {
  const Counterexample& example = one.cases[index];
  const KnownBreak* known = FindBreak(one.library, example.property);
  const std::string why_not = WhyNotClaimed(example, ServersOf(one, index));
  std::string text =
      fmt::format("- **{} {}**: {}\n", example.code, example.property, Beginning(example.sentence));
  if (known != nullptr) text += fmt::format("  - {}\n", Said(known->why));
  text += fmt::format("  - case of {}, {}: `{}`; replays on the fake: {} of {}; {}\n",
                      reports::Count(example.shrunk.now.operations, "command"),
                      reports::Count(example.shrunk.now.faults, "fault"),
                      CaseFileOf(one, example.property), example.violating_runs, example.total_runs,
                      OnServers(one, index));
  for (const std::string& fault : example.faults) {
    text += fmt::format("  - fault: {}\n", Said(reports::Excerpt(fault, kFaultWidth, true)));
  }
  text += fmt::format("  - {}\n", Meaning(known));
  if (!why_not.empty()) text += fmt::format("  - not claimed: {}\n", why_not);
  return text;
}

std::string Section(const Audited& one) {
  const Library& library = one.library;
  std::string text = fmt::format("## {} {} ({})\n\n", Said(library.name), Said(library.version),
                                 Said(library.language));
  text += library.promise.empty() ? "- promises: none found in its documentation\n"
                                  : fmt::format("- promises: \"{}\" ({})\n", Said(library.promise),
                                                Said(library.promised_in));
  for (const std::string& note : library.notes) text += fmt::format("- {}\n", Said(note));
  if (!one.not_audited.empty()) return text + fmt::format("- {}\n\n", Said(one.not_audited));
  text += fmt::format("- from: {}; {}\n", InstalledFrom(library), Bounds(library));
  text += fmt::format("- searched: {}\n", Searched(one));
  for (const std::string& note : one.report.notes) text += fmt::format("  - {}\n", Said(note));
  const std::string held = Properties(one, Verdict::kHolds);
  const std::string open = Properties(one, Verdict::kInconclusive);
  if (!held.empty()) text += fmt::format("- held: {}\n", held);
  if (!open.empty()) text += fmt::format("- not decided: {}\n", open);
  for (std::size_t i = 0; i < one.cases.size(); ++i) text += Finding(one, i);
  return text + "\n";
}

void AddOnServers(const Audited& one, std::size_t index, reports::JsonText& json) {
  json.Key("on_servers");
  json.BeginArray();
  for (const OnServer& on : ServersOf(one, index)) {
    json.BeginObject();
    json.Key("server").String(on.server);
    json.Key("tries").Unsigned(on.tries);
    json.Key("reproduced").Unsigned(on.reproduced);
    json.Key("why_not").String(on.why_not);
    json.EndObject();
  }
  json.EndArray();
}

void AddFinding(const Audited& one, std::size_t index, reports::JsonText& json) {
  const Counterexample& example = one.cases[index];
  const KnownBreak* known = FindBreak(one.library, example.property);
  json.BeginObject();
  json.Key("code").String(example.code);
  json.Key("property").String(example.property);
  json.Key("sentence").String(example.sentence);
  json.Key("case").String(CaseFileOf(one, example.property));
  json.Key("commands").Unsigned(example.shrunk.now.operations);
  json.Key("faults").Unsigned(example.shrunk.now.faults);
  json.Key("replays").Unsigned(example.total_runs);
  json.Key("repeated").Unsigned(example.violating_runs);
  AddOnServers(one, index, json);
  json.Key("expected").Bool(known != nullptr);
  json.Key("limit").Bool(known != nullptr && known->limit);
  json.Key("contradicts").String(known == nullptr ? "" : known->contradicts);
  json.Key("not_claimed").String(WhyNotClaimed(example, ServersOf(one, index)));
  json.EndObject();
}

void Add(const Audited& one, reports::JsonText& json) {
  const Library& library = one.library;
  json.BeginObject();
  json.Key("folder").String(library.folder);
  json.Key("library").String(library.name);
  json.Key("version").String(library.version);
  json.Key("language").String(library.language);
  json.Key("promise").String(library.promise);
  json.Key("promised_in").String(library.promised_in);
  json.Key("verdict").String(VerdictOf(one));
  json.Key("exit_code").Signed(ToInt(ExitCodeOf(one)));
  json.Key("not_audited").String(one.not_audited);
  if (one.not_audited.empty()) {
    json.Key("runs").Unsigned(one.report.totals.runs);
    json.Key("report").String(RunFileOf(one));
  }
  json.Key("findings");
  json.BeginArray();
  for (std::size_t i = 0; i < one.cases.size(); ++i) AddFinding(one, i, json);
  json.EndArray();
  json.EndObject();
}

}  // namespace

std::string RunFileOf(const Audited& one) { return one.library.folder + "/run.json"; }

std::string CaseFileOf(const Audited& one, const std::string& property) {
  return fmt::format("{}/counterexamples/drive.{}.json", one.library.folder, property);
}

std::string ToMarkdown(const AuditRecord& record) {
  std::string text = fmt::format(
      "# Locks of {}, audited on {}\n\n"
      "By interlock {} ({}), seed {}, on the simulated Redis. A clean row says that nothing was "
      "found in the runs beside it, not that there is nothing.\n\n"
      "| library | version | language | verdict | searched |\n|---|---|---|---|---|\n",
      record.libraries.size() == 1 ? "a library"
                                   : fmt::format("{} libraries", record.libraries.size()),
      record.date, record.tool.version, record.tool.commit, record.seed);
  for (const Audited& one : record.libraries) {
    text += fmt::format("| {} | {} | {} | {} | {} |\n", Said(one.library.name),
                        Said(one.library.version), Said(one.library.language), VerdictOf(one),
                        one.not_audited.empty() ? Searched(one) : "nothing");
  }
  text += "\n";
  for (const Audited& one : record.libraries) text += Section(one);
  return text;
}

std::string ToJson(const AuditRecord& record) {
  reports::JsonText json;
  json.BeginObject();
  json.Key("schema").String(kSchema);
  json.Key("version").String(record.tool.version);
  json.Key("commit").String(record.tool.commit);
  json.Key("date").String(record.date);
  json.Key("seed").Unsigned(record.seed);
  json.Key("libraries");
  json.BeginArray();
  for (const Audited& one : record.libraries) Add(one, json);
  json.EndArray();
  json.EndObject();
  return std::move(json).Take();
}

std::string ToText(const AuditRecord& record) {
  std::string text;
  for (const Audited& one : record.libraries) {
    text +=
        fmt::format("{:<28} {}\n", reports::SafeForTerminal(one.library.folder, true),
                    one.not_audited.empty() ? fmt::format("{} ({})", VerdictOf(one), Searched(one))
                                            : reports::Excerpt(one.not_audited, 300, true));
  }
  return text;
}

}  // namespace interlock::scenarios::audit
