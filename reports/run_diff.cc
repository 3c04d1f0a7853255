// SPDX-License-Identifier: MIT
#include "reports/run_diff.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <utility>

#include <fmt/format.h>

#include "reports/contention_gates.h"
#include "reports/contention_text.h"
#include "reports/headline.h"
#include "reports/text_layout.h"
#include "reports/text_writer.h"

namespace interlock::reports {
namespace {

constexpr double kByChance = 0.05;

std::uint64_t Fnv(std::string_view text) {
  std::uint64_t hash = 0xcbf29ce484222325ULL;
  for (const char byte : text) hash = (hash ^ static_cast<unsigned char>(byte)) * 0x100000001b3ULL;
  return hash;
}

/// The words of a fault's line that have no digit and are no unit: "at step pause for".
std::string Skeleton(std::string_view line) {
  constexpr std::array<std::string_view, 5> kUnits = {"ns", "us", "ms", "s", "ppm"};
  std::string words;
  while (!line.empty()) {
    const std::size_t end = std::min(line.find_first_of(" :()"), line.size());
    const std::string_view word = line.substr(0, end);
    line.remove_prefix(std::min(end + 1, line.size()));
    const bool number = word.find_first_of("0123456789") != std::string_view::npos;
    const bool unit = std::find(kUnits.begin(), kUnits.end(), word) != kUnits.end();
    if (word.empty() || number || unit) continue;
    words += words.empty() ? "" : " ";
    words += word;
  }
  return words;
}

/// A row that does not pass, with its finding, and how often it was seen.
struct Seen {
  Finding finding;
  std::vector<const ResultRow*> rows;
  std::vector<double> shares;  ///< share of the runs in which it was seen, one per row
};

double ShareOf(const ResultRow& row, const Counterexample* example) {
  if (example != nullptr && example->total_runs > 0 && example->violating_runs > 0) {
    return std::min(1.0, static_cast<double>(example->violating_runs) /
                             static_cast<double>(example->total_runs));
  }
  const std::uint64_t first = row.runs_to_first_violation.value_or(0);
  return first > 0 ? 1.0 / static_cast<double>(first) : 1.0;
}

Finding FindingOf(const ResultRow& row, const Counterexample* example) {
  Finding finding;
  finding.code = ExitCodeOf(row);
  finding.what = TroubleOf(row);
  finding.property = row.code + " " + row.property;
  finding.lock = row.lock;
  finding.sentence = example != nullptr ? example->sentence : row.reason;
  finding.faults_known = example != nullptr || row.verdict != Verdict::kViolated;
  if (example != nullptr) {
    for (const std::string& line : example->faults) finding.faults.push_back(Skeleton(line));
    std::sort(finding.faults.begin(), finding.faults.end());
  }
  finding.replay = row.replay.value_or("");
  std::string all = fmt::format("{}\n{}\n{}\n", finding.what, finding.lock, finding.property);
  for (const std::string& fault : finding.faults) all += fault + '\n';
  if (!finding.faults_known) all += '?';
  finding.fingerprint = fmt::format("{:016x}", Fnv(all));
  return finding;
}

bool SameTrouble(const Finding& a, const Finding& b) {
  return a.lock == b.lock && a.property == b.property && a.what == b.what;
}

/// A finding without faults to compare equals any other of its lock and property.
bool Same(const Finding& a, const Finding& b) {
  if (a.fingerprint == b.fingerprint) return true;
  return SameTrouble(a, b) && (!a.faults_known || !b.faults_known);
}

std::vector<Seen> SeenIn(const StoredRun& run) {
  std::vector<Seen> all;
  for (const ResultRow& row : run.report.results) {
    if (ExitCodeOf(row) == ExitCode::kPass) continue;
    const Counterexample* example = FindCounterexample(run.counterexamples, row);
    Finding finding = FindingOf(row, example);
    auto found = std::find_if(all.begin(), all.end(),
                              [&finding](const Seen& one) { return Same(one.finding, finding); });
    if (found == all.end()) {
      found = all.insert(all.end(), Seen{std::move(finding), {}, {}});
    } else if (!found->finding.faults_known && finding.faults_known) {
      finding.places = std::move(found->finding.places);
      found->finding = std::move(finding);
    }
    found->finding.places.push_back(fmt::format("{} [{}]", row.scenario, ToString(row.synchrony)));
    found->rows.push_back(&row);
    found->shares.push_back(ShareOf(row, example));
  }
  return all;
}

/// The verdict on the same subject in the other run; nullptr: there is none.
const ResultRow* Counterpart(const StoredRun& run, const ResultRow& row) {
  for (const ResultRow& other : run.report.results) {
    if (other.lock == row.lock && other.code == row.code && other.property == row.property &&
        other.scenario == row.scenario && other.synchrony == row.synchrony) {
      return &other;
    }
  }
  return nullptr;
}

struct Look {
  bool anywhere = false;        ///< it was exercised
  std::uint64_t runs = 0;       ///< number of runs that did
  double missed_by_chance = 1;  ///< probability of missing it at its known frequency
};

Look LookFor(const Seen& seen, const StoredRun& in) {
  Look look;
  for (std::size_t i = 0; i < seen.rows.size(); ++i) {
    const ResultRow* other = Counterpart(in, *seen.rows[i]);
    if (other == nullptr || other->verdict == Verdict::kInconclusive) continue;
    look.anywhere = true;
    look.runs += other->runs;
    look.missed_by_chance *= std::pow(1 - seen.shares[i], static_cast<double>(other->runs));
  }
  return look;
}

std::string ByChance(const Look& look) {
  return fmt::format("{} of it would miss it in {:.0f} of 100 cases", Count(look.runs, "run"),
                     std::max(1.0, std::round(look.missed_by_chance * 100)));
}

Change Gone(const Seen& seen, const StoredRun& now) {
  Change change{Standing::kFixed, seen.finding, ""};
  const Look look = LookFor(seen, now);
  // An acquittal or an inconclusive verdict is over as soon as there is another one.
  const bool by_luck = seen.finding.what == "FAIL" && look.missed_by_chance > kByChance;
  if (!look.anywhere) {
    change.standing = Standing::kUnseen;
    change.remark = "the later run did not put it to the test";
  } else if (by_luck) {
    change.standing = Standing::kRare;
    change.remark = "not seen again, but " + ByChance(look);
  }
  return change;
}

Change Fresh(const Seen& seen, const StoredRun& before, const std::vector<Seen>& earlier) {
  Change change{Standing::kNew, seen.finding, ""};
  const Look look = LookFor(seen, before);
  const bool otherwise = std::any_of(earlier.begin(), earlier.end(), [&](const Seen& one) {
    return SameTrouble(one.finding, seen.finding);
  });
  if (otherwise) {
    change.remark = "this lock broke this property before, by other faults";
  } else if (!look.anywhere) {
    change.remark = "the earlier run did not put it to the test";
  } else if (seen.finding.what == "FAIL" && look.missed_by_chance > kByChance) {
    change.remark = "it may be older: " + ByChance(look);
  }
  return change;
}

RunName NameOf(const StoredRun& run) {
  if (run.contention) {
    const ContentionReport& report = *run.contention;
    return {report.tool.version, report.tool.commit,   report.seed,
            report.backend,      report.points.size(), std::string(Headline(report))};
  }
  const RunReport& report = run.report;
  return {report.tool.version, report.tool.commit, report.seed,
          report.backend,      report.totals.runs, std::string(Headline(report))};
}

void DiffChecks(const StoredRun& before, const StoredRun& now, RunDiff& diff) {
  const std::vector<Seen> earlier = SeenIn(before);
  const std::vector<Seen> later = SeenIn(now);
  for (const Seen& seen : later) {
    const bool known = std::any_of(earlier.begin(), earlier.end(), [&](const Seen& one) {
      return Same(one.finding, seen.finding);
    });
    diff.changes.push_back(known ? Change{Standing::kStill, seen.finding, ""}
                                 : Fresh(seen, before, earlier));
  }
  for (const Seen& seen : earlier) {
    const bool known = std::any_of(later.begin(), later.end(), [&](const Seen& one) {
      return Same(one.finding, seen.finding);
    });
    if (!known) diff.changes.push_back(Gone(seen, now));
  }
  if (before.report.seed == now.report.seed &&
      before.report.tool.commit == now.report.tool.commit &&
      before.report.trace_hash == now.report.trace_hash && before.report.trace_hash != 0) {
    diff.notes.emplace_back("both are the same runs: one seed, one commit, one trace hash");
  }
}

Finding FindingOf(const GateResult& gate) {
  Finding finding;
  finding.code = gate.measured ? ExitCode::kThreshold : ExitCode::kInconclusive;
  finding.what = gate.measured ? "FAIL" : "inconclusive";
  finding.property = gate.name;
  finding.sentence = "found " + gate.what;
  if (!gate.measured) finding.sentence = gate.what;
  if (!gate.hint.empty()) finding.sentence += "; " + gate.hint;
  finding.faults_known = true;
  finding.fingerprint = fmt::format("{:016x}", Fnv(finding.what + "\n" + gate.name));
  return finding;
}

const GateResult* FindGate(const ContentionReport& report, const std::string& name) {
  const auto found = std::find_if(report.gates.begin(), report.gates.end(),
                                  [&name](const GateResult& gate) { return gate.name == name; });
  return found == report.gates.end() ? nullptr : &*found;
}

bool Good(const GateResult& gate) { return gate.measured && gate.pass; }

void DiffMeasurements(const ContentionReport& before, const ContentionReport& now, RunDiff& diff) {
  for (const GateResult& gate : now.gates) {
    if (Good(gate)) continue;
    const GateResult* old = FindGate(before, gate.name);
    const bool known = old != nullptr && !Good(*old) && old->measured == gate.measured;
    diff.changes.push_back({known ? Standing::kStill : Standing::kNew, FindingOf(gate),
                            old == nullptr ? "the earlier run had no such threshold" : ""});
  }
  for (const GateResult& gate : before.gates) {
    if (Good(gate)) continue;
    const GateResult* fresh = FindGate(now, gate.name);
    if (fresh != nullptr && !Good(*fresh)) continue;
    diff.changes.push_back({fresh != nullptr ? Standing::kFixed : Standing::kUnseen,
                            FindingOf(gate),
                            fresh != nullptr ? "" : "the later run has no such threshold"});
  }
  std::vector<std::string> sentences = Compare(before, now);
  diff.notes.insert(diff.notes.end(), std::make_move_iterator(sentences.begin()),
                    std::make_move_iterator(sentences.end()));
}

}  // namespace

std::string_view ToString(Standing standing) {
  switch (standing) {
    case Standing::kNew:
      return "new";
    case Standing::kStill:
      return "still";
    case Standing::kRare:
      return "rare";
    case Standing::kUnseen:
      return "unseen";
    case Standing::kFixed:
      return "fixed";
  }
  return "?";
}

RunDiff Diff(const StoredRun& before, const StoredRun& now) {
  RunDiff diff;
  diff.of_measurements = now.contention.has_value();
  diff.before = NameOf(before);
  diff.now = NameOf(now);
  diff.program = now.contention ? now.contention->tool.program : now.report.tool.program;
  if (before.contention && now.contention) {
    DiffMeasurements(*before.contention, *now.contention, diff);
  } else {
    DiffChecks(before, now, diff);
  }
  std::stable_sort(diff.changes.begin(), diff.changes.end(),
                   [](const Change& a, const Change& b) { return a.standing < b.standing; });
  const auto status = [](const StoredRun& run) {
    return run.contention ? run.contention->status : run.report.status;
  };
  diff.partial = status(now) == RunStatus::kPartial;
  if (diff.partial)
    diff.notes.emplace_back("the later run was interrupted: it is only part of one");
  if (status(before) == RunStatus::kPartial) {
    diff.notes.emplace_back(
        "the earlier run was interrupted: what is new may just be unseen there");
  }
  diff.divergences = now.report.totals.divergences;
  if (diff.divergences > 0) {
    diff.notes.emplace_back("the later run diverged (LK016): no verdict of it can be trusted");
  }
  return diff;
}

ExitCode ExitCodeOf(const RunDiff& diff) {
  ExitCode code = diff.partial ? ExitCode::kInconclusive : ExitCode::kPass;
  if (diff.divergences > 0) code = ExitCode::kInternal;
  for (const Change& change : diff.changes) {
    if (change.standing == Standing::kNew) code = Combine(code, change.finding.code);
    if (change.standing == Standing::kRare || change.standing == Standing::kUnseen) {
      code = Combine(code, ExitCode::kInconclusive);
    }
  }
  return code;
}

}  // namespace interlock::reports
