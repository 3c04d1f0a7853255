// SPDX-License-Identifier: MIT
#include "scenarios/search/foreign/drive_report.h"

#include <algorithm>
#include <array>
#include <span>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "scenarios/judge/property.h"
#include "scenarios/log/words.h"
#include "scenarios/search/foreign/drive_rows.h"

namespace interlock::scenarios::drive {
namespace {

constexpr std::string_view kScenario = "drive";
constexpr const char* kByCopiesOnly =
    "copies of the clients violated it, but started ones did not with the same choices";

const Property& PropertyNamed(std::string_view slug) { return *FindProperties(slug).front(); }

/// A line of a stack's trace, or of what interpreters print after it.
bool TracesAStack(std::string_view line) {
  constexpr std::string_view kIndentsAndFrames = " \t#}";
  return line.empty() || kIndentsAndFrames.find(line.front()) != std::string_view::npos ||
         line == "Stack trace:" || line.starts_with("Node.js v");
}

/// The last line that is no part of a stack's trace; PHP, Ruby and Node name the error before it,
/// and Python after it. All are: the last line.
std::string_view LineOfTheError(std::string_view text) {
  while (!text.empty() && (text.back() == '\n' || text.back() == '\r')) text.remove_suffix(1);
  const auto last_line = [](std::string_view all) { return all.substr(all.rfind('\n') + 1); };
  for (std::string_view rest = text; !rest.empty();) {
    const std::string_view line = last_line(rest);
    if (!TracesAStack(line)) return line;
    rest.remove_suffix(std::min(rest.size(), line.size() + 1));
  }
  return last_line(text);
}

std::string NeverTested(std::string_view slug) {
  const bool by_writes = slug == "tokens" || slug == "fenced-writes";
  return fmt::format("never put to the test: {}",
                     by_writes ? "no two clients wrote under grants whose order is known"
                               : "no two clients met at a lock");
}

/// Those that had struck by the time of the run's first finding.
std::span<const DriveFault> FaultsOfCase(const DriveRun& run) {
  const auto later =
      std::ranges::lower_bound(run.faults, run.findings.front().events, {}, &DriveFault::events);
  return {run.faults.begin(), later};
}

reports::Size SizeOf(const DriveRun& run, const DriveOptions& options) {
  return {static_cast<std::uint64_t>(options.clients), FaultsOfCase(run).size(), run.commands,
          run.switches};
}

constexpr std::string_view kByTheirClocks =
    "let the server count the lease (PX, or TIME within a script), and never compare a time that "
    "another client wrote with one's own clock";

}  // namespace

std::string CommandLine(const DriveOptions& options) {
  return fmt::format("{}", fmt::join(options.command, " "));
}

std::string BoundsOf(const DriveSum& sum, const DriveOptions& options) {
  const DriveBounds& bounds = options.bounds;
  return fmt::format(
      "bounds of a run: {} commands, {} of virtual time, {} of real time; {} of {} runs came to "
      "one",
      bounds.commands, TimeText(bounds.virtual_time), TimeText(bounds.real_time), sum.bounded,
      sum.runs);
}

void Add(const DriveRun& run, const DriveOptions& options, DriveSum& sum) {
  ++sum.runs;
  sum.with_faults += run.faults.empty() ? 0 : 1;
  sum.commands += run.commands;
  const bool entered = run.most_entrants > static_cast<std::size_t>(options.permits);
  sum.owned += run.most_owners > 0 ? 1 : 0;
  sum.contended += run.most_owners > 1 ? 1 : 0;
  // A refused client has met another's hold.
  sum.entered += entered || (run.has_sections && run.refused) ? 1 : 0;
  sum.refused += run.refused ? 1 : 0;
  sum.kept_out.insert(run.kept_out.begin(), run.kept_out.end());
  sum.fenced += run.fenced ? 1 : 0;
  sum.outlasted += run.outlasted ? 1 : 0;
  sum.has_writes = sum.has_writes || run.has_writes;
  sum.bounded += run.at_bound ? 1 : 0;
  sum.met += entered || run.refused || run.most_owners > 1 ? 1 : 0;
  const bool owner_ended = run.most_owners > 0 && !run.ends.empty();
  sum.owner_gone += run.owner_died || owner_ended ? 1 : 0;
  sum.has_sections = sum.has_sections || run.has_sections;
  if (sum.entered_twice.empty() && run.faults.empty()) sum.entered_twice = run.entered_twice;
  sum.virtual_time += std::chrono::duration_cast<std::chrono::milliseconds>(run.virtual_time);
  if (!run.inconclusive.empty()) {
    ++sum.inconclusive;
    sum.why_inconclusive = run.inconclusive;
  }
  // A client may well fail when its connection breaks.
  const bool broke = std::ranges::any_of(run.faults, [](const DriveFault& one) {
    return one.kind == sim::FaultKind::kResetBefore || one.kind == sim::FaultKind::kResetAfter ||
           one.kind == sim::FaultKind::kFailover;
  });
  if (broke) return;
  for (const DriveEnd& end : run.ends) {
    if (end.exit_code == 0) continue;
    std::string failure(LineOfTheError(end.last_words));
    if (failure.empty()) failure = fmt::format("exit code {}", end.exit_code);
    const bool known =
        std::find(sum.failures.begin(), sum.failures.end(), failure) != sum.failures.end();
    if (!known) sum.failures.push_back(std::move(failure));
  }
}

void AddStopped(DriveRun run, const DriveOptions& options, DriveSum& sum) {
  sum.stopped = run.stopped;
  if (sum.runs > 0 || run.commands == 0) return;
  run.inconclusive = "it was stopped";
  Add(run, options, sum);
}

reports::Counterexample Explain(const DriveFound& found) {
  const DriveOptions& options = found.one.options;
  const Finding& finding = found.run.findings.front();
  const Property& property = PropertyNamed(finding.slug);
  reports::Counterexample example;
  example.code = property.code;
  example.property = property.slug;
  example.title = property.headline;
  example.sentence = finding.sentence;
  example.lock = CommandLine(options);
  example.scenario = kScenario;
  for (int client = 0; client < options.clients; ++client) {
    example.columns.push_back(ClientName(client));
  }
  example.columns.emplace_back("redis");
  const std::span<const LogEvent> events = found.run.events;
  example.rows = RowsOf(events.first(std::min(finding.events, events.size())), options.clients);
  reports::TableRow last;
  if (!example.rows.empty()) last.time_ns = example.rows.back().time_ns;
  last.column = example.columns.size() - 1;
  last.text = fmt::format("{} {}", property.code, property.slug);
  last.kind = reports::RowKind::kViolation;
  example.rows.push_back(last);
  for (const DriveFault& fault : FaultsOfCase(found.run)) {
    example.faults.push_back(fmt::format("{}: {}, at {}", ClientName(fault.client),
                                         sim::ToString(fault.kind), fault.command));
  }
  example.shrunk = {SizeOf(found.run, options), SizeOf(found.original, options), found.tries,
                    found.took};
  for (std::size_t i = 1; i < found.run.findings.size(); ++i) {
    example.also.push_back(found.run.findings[i].sentence);
  }
  const bool clocks = std::ranges::any_of(FaultsOfCase(found.run), [](const DriveFault& one) {
    return one.kind == sim::FaultKind::kClientClockJump ||
           one.kind == sim::FaultKind::kClientClockRate;
  });
  if (clocks) example.hints.emplace_back(kByTheirClocks);
  for (const std::string_view fix : property.fixes) {
    if (!fix.empty()) example.hints.emplace_back(fix);
  }
  if (found.repeated > 0) {
    example.violating_runs = found.again;
    example.total_runs = found.repeated;
  }
  example.program = ToJson(found.one);
  return example;
}

std::vector<reports::ResultRow> RowsOf(const DriveSum& sum, const DriveOptions& options,
                                       const std::vector<DriveFound>& found) {
  struct Judged {
    std::string_view slug;
    std::uint64_t exercised;
    bool applies;
  };
  // A pattern that no key matches puts nothing to the test, whoever was refused something else.
  const bool matches_none = !options.pattern.empty() && sum.owned == 0;
  const std::uint64_t by_key = matches_none ? 0 : std::max(sum.contended, sum.refused);
  const std::array<Judged, 12> all = {{
      {"server-exclusion", by_key, true},
      {"section-exclusion", sum.entered, sum.has_sections && options.permits == 1},
      {"fenced-writes", sum.fenced, sum.has_writes && options.permits == 1},
      {"foreign-release", by_key, true},
      {"foreign-extend", by_key, true},
      {"tokens", sum.fenced, sum.has_writes},
      {"deadlock", sum.met, true},
      {"spurious-refusal", sum.refused, false},
      {"termination", sum.met, false},
      {"keys", sum.owner_gone, sum.owner_gone > 0},
      {"false-validity", sum.outlasted, sum.outlasted > 0},
      {"permits-section", sum.entered, sum.has_sections && options.permits > 1},
  }};
  std::vector<reports::ResultRow> rows;
  for (const Judged& one : all) {
    const auto case_of_it = std::ranges::find_if(
        found, [&](const DriveFound& f) { return f.run.findings.front().slug == one.slug; });
    const bool violated = case_of_it != found.end();
    const bool unconfirmed = std::ranges::count(sum.unconfirmed, one.slug) > 0;
    const auto unproven = violated ? sum.unproven.end() : sum.unproven.find(std::string(one.slug));
    // If a lock keeps no key with one owner, only its sections can be judged.
    const bool by_keys = one.slug == "server-exclusion" || one.slug == "foreign-release" ||
                         one.slug == "foreign-extend";
    if (!violated && !unconfirmed && unproven == sum.unproven.end() &&
        (!one.applies || (by_keys && sum.contended == 0 && sum.has_sections && !matches_none))) {
      continue;
    }
    const Property& property = PropertyNamed(one.slug);
    reports::ResultRow row;
    row.lock = CommandLine(options);
    row.scenario = kScenario;
    row.property = property.slug;
    row.code = property.code;
    row.runs = sum.runs;
    row.exercised = violated ? std::max<std::uint64_t>(one.exercised, 1) : one.exercised;
    const bool undecided = unconfirmed || unproven != sum.unproven.end() ||
                           (one.slug == "deadlock" && sum.inconclusive > 0);
    row.verdict = violated                          ? reports::Verdict::kViolated
                  : row.exercised == 0 || undecided ? reports::Verdict::kInconclusive
                                                    : reports::Verdict::kHolds;
    row.pass = row.verdict == reports::Verdict::kHolds;
    if (violated && case_of_it->first_run > 0) {
      row.runs_to_first_violation = case_of_it->first_run;
    }
    if (undecided && !violated) row.reason = unconfirmed ? kByCopiesOnly : sum.why_inconclusive;
    if (row.exercised == 0 && sum.runs == 0) {
      row.reason = "no run has come to an end";
    } else if (row.exercised == 0) {
      row.reason = NeverTested(one.slug);
      if (by_keys && matches_none) {
        row.reason += fmt::format(" whose key matches {}", options.pattern);
      }
    }
    if (unproven != sum.unproven.end()) row.reason = unproven->second;
    rows.push_back(std::move(row));
  }
  return rows;
}

}  // namespace interlock::scenarios::drive
