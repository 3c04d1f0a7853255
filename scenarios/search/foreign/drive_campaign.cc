// SPDX-License-Identifier: MIT
#include "scenarios/search/foreign/drive_campaign.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include <fmt/format.h>

#include "scenarios/cases/server_words.h"
#include "scenarios/search/foreign/drive_report.h"

namespace interlock::scenarios::drive {
namespace {

using std::chrono::steady_clock;

constexpr std::uint64_t kMostTries = 80;
constexpr auto kLongestSearch = std::chrono::seconds(30);
constexpr std::uint64_t kRepeats = 5;
/// Allowance for a client that polls, which does so more or less often.
constexpr std::uint64_t kFewMore = 2;
constexpr std::size_t kShownFailures = 5;

bool Has(const DriveRun& run, const std::string& slug) {
  return std::ranges::any_of(run.findings,
                             [&slug](const Finding& finding) { return finding.slug == slug; });
}

/// Moves the finding in question to the front, so that it gives the case its name.
void NameBy(const std::string& slug, DriveRun& run) {
  std::stable_partition(run.findings.begin(), run.findings.end(),
                        [&slug](const Finding& finding) { return finding.slug == slug; });
}

/// Makes a case smaller by removing choices as long as the violation still happens.
class Smaller {
 public:
  Smaller(DriveFound& found, const std::atomic<bool>& stop)
      : found_(found), stop_(stop), slug_(found.run.findings.front().slug) {}

  Status Search() {
    const auto begin = steady_clock::now();
    // Every try takes as long as the run did.
    limit_ = begin + kLongestSearch - found_.run.real_time;
    for (const sim::Lane lane : {sim::Lane::kFault, sim::Lane::kSchedule}) {
      for (std::size_t block = Size(lane); block > 0; block /= 2) {
        if (Status tried = EaseBlocks(lane, block); !tried.ok()) return tried;
      }
    }
    found_.took =
        std::chrono::duration_cast<std::chrono::milliseconds>(steady_clock::now() - begin);
    return Status();
  }

 private:
  std::vector<std::uint32_t>& LaneOf(sim::Tape& tape, sim::Lane lane) const {
    return tape.lanes[static_cast<std::size_t>(lane)];
  }
  std::size_t Size(sim::Lane lane) { return LaneOf(found_.one.tape, lane).size(); }

  /// Makes blocks calm, or erases them so that what follows comes earlier.
  Status EaseBlocks(sim::Lane lane, std::size_t block) {
    for (std::size_t at = 0; at < Size(lane); at += block) {
      for (const bool erase : {true, false}) {
        if (stop_ || found_.tries >= kMostTries || steady_clock::now() > limit_) return Status();
        DriveCase smaller = found_.one;
        std::vector<std::uint32_t>& values = LaneOf(smaller.tape, lane);
        if (at >= values.size()) break;
        const auto first = values.begin() + static_cast<std::ptrdiff_t>(at);
        const auto last =
            values.begin() + static_cast<std::ptrdiff_t>(std::min(at + block, values.size()));
        const bool calm = std::all_of(first, last, [](std::uint32_t value) { return value == 0; });
        if (calm) break;
        if (erase) {
          values.erase(first, last);
        } else {
          std::fill(first, last, 0);
        }
        if (Status tried = Try(std::move(smaller)); !tried.ok()) return tried;
      }
    }
    return Status();
  }

  Status Try(DriveCase smaller) {
    ++found_.tries;
    sim::Choices choices = sim::Choices::FromTape(smaller.tape);
    Result<DriveRun> run = RunClients(smaller.options, choices);
    if (!run.ok()) return run.status();
    const bool simpler = run->faults.size() <= found_.run.faults.size() &&
                         run->commands <= found_.run.commands + kFewMore;
    if (!Has(*run, slug_) || !simpler) return Status();
    smaller.tape = choices.TakeTape();
    found_.one = std::move(smaller);
    found_.run = *std::move(run);
    NameBy(slug_, found_.run);
    return Status();
  }

  DriveFound& found_;
  const std::atomic<bool>& stop_;
  const std::string slug_;
  steady_clock::time_point limit_;
};

/// Adds a run that was cut short without a violation. It counts only if it is the only one, so that
/// the report can say which clients have met.
void AddStopped(DriveRun run, const DriveOptions& options, DriveSum& sum) {
  sum.stopped = run.stopped;
  if (sum.runs > 0 || run.commands == 0) return;
  run.inconclusive = "it was stopped";
  Add(run, options, sum);
}

/// Runs the case, and counts how often it violates its property. If it has none, any violation
/// counts, and the first violating run is kept.
Status Repeat(std::uint64_t times, const std::atomic<bool>& stop, DriveFound& found,
              DriveSum& sum) {
  const std::string slug = found.run.findings.empty() ? "" : found.run.findings.front().slug;
  for (std::uint64_t i = 0; i < times && !stop; ++i) {
    sim::Choices choices = sim::Choices::FromTape(found.one.tape);
    Result<DriveRun> run = RunClients(found.one.options, choices);
    if (!run.ok()) return run.status();
    if (stop && run->findings.empty()) {
      AddStopped(*std::move(run), found.one.options, sum);
      break;
    }
    Add(*run, found.one.options, sum);
    ++found.repeated;
    if (slug.empty() ? run->findings.empty() : !Has(*run, slug)) continue;
    if (found.run.findings.empty()) found.run = *std::move(run);
    ++found.again;
  }
  return Status();
}

/// The number of repeats that take no longer than a search.
std::uint64_t RepeatsOf(const DriveRun& run) {
  const auto each = std::max<Duration>(run.real_time, std::chrono::milliseconds(1));
  return std::min<std::uint64_t>(kRepeats, static_cast<std::uint64_t>(kLongestSearch / each));
}

/// Why a campaign is not worthwhile: clients that do not even work without faults, one after the
/// other, are not worth one.
Status WhyNot(const DriveRun& calm, const DriveOptions& options) {
  std::string said;
  int failed = 0;
  for (const DriveEnd& end : calm.ends) {
    if (end.exit_code == 0) continue;
    ++failed;
    if (said.empty()) said = fmt::format("exit code {}\n{}", end.exit_code, end.last_words);
  }
  const std::string command = CommandLine(options);
  if (failed == options.clients) {
    return Status(StatusCode::kInvalidArgument,
                  fmt::format("without any fault all clients fail: {}: {}", command, said));
  }
  if (calm.never_connected == options.clients) {
    return Status(StatusCode::kInvalidArgument,
                  fmt::format("no client has connected: {} finds its server in REDIS_URL, "
                              "REDIS_HOST and REDIS_PORT, or in {{url}} and {{port}} of its own "
                              "arguments {}",
                              command, said));
  }
  return Status();
}

bool IsKnown(const std::vector<DriveFound>& found, const std::string& slug) {
  return std::ranges::any_of(
      found, [&slug](const DriveFound& one) { return one.run.findings.front().slug == slug; });
}

void Finish(const DriveSum& sum, const DriveOptions& options, const std::vector<DriveFound>& found,
            DriveResult& result) {
  reports::RunReport& report = result.report;
  report.backend = "gated fake Redis";
  if (options.server != &sim::redis::DefaultDialect()) {
    report.backend += fmt::format(" {}", options.server->name);
  }
  if (auto why = WhyUnproven(*options.server)) report.notes.push_back(*std::move(why));
  report.totals.runs = sum.runs;
  report.totals.runs_with_faults = sum.with_faults;
  report.totals.commands = sum.commands;
  report.totals.virtual_time = sum.virtual_time;
  report.results = RowsOf(sum, options, found);
  report.notes.push_back(BoundsOf(sum, options));
  if (!sum.stopped.empty()) report.notes.push_back("stopped while " + sum.stopped);
  if (!sum.has_sections) {
    report.notes.emplace_back(
        "no client has reported a section (INTERLOCK.ENTER name, INTERLOCK.LEAVE name), so only "
        "the locks' keys are judged");
  }
  for (std::size_t i = 0; i < std::min(sum.failures.size(), kShownFailures); ++i) {
    report.notes.push_back("a client ended with: " + sum.failures[i]);
  }
  for (const DriveFound& one : found) result.counterexamples.push_back(Explain(one));
}

}  // namespace

Result<DriveResult> RunCampaign(const CampaignOptions& options) {
  DriveSum sum;
  std::vector<DriveFound> found;
  const std::atomic<bool>& stop = *options.drive.stop;
  DriveOptions drive = options.drive;
  std::optional<std::string> note;
  for (std::uint64_t i = 0; i < options.runs && !stop; ++i) {
    options.progress(i);
    // The first run is calm.
    const std::uint64_t seed = SeedWithStrategy(sim::MixSeed(options.seed, i), options.strategy);
    sim::Choices choices = i == 0 ? sim::Choices::FromTape({}) : ChoicesOfRun(seed);
    Result<DriveRun> run = RunClients(drive, choices);
    if (run.ok() && i == 0 && run->own_clocks > 0) {
      note =
          "the clients' programs cannot be given a clock (they are linked statically, perhaps), "
          "and so go by the machine's";
      drive.virtual_clock = false;
      run = RunClients(drive, choices);
    }
    if (!run.ok()) return run.status();
    if (stop && run->findings.empty()) {
      AddStopped(*std::move(run), drive, sum);
      break;
    }
    if (i == 0 && run->findings.empty()) {
      if (Status works = WhyNot(*run, drive); !works.ok()) return works;
    }
    Add(*run, drive, sum);
    const sim::Tape tape = choices.TakeTape();
    for (const Finding& finding : std::vector<Finding>(run->findings)) {
      if (IsKnown(found, finding.slug)) continue;
      NameBy(finding.slug, *run);
      found.push_back({{drive, tape}, *run, *run, i + 1});
    }
  }
  DriveResult result;
  result.report.seed = options.seed;
  for (DriveFound& one : found) {
    if (Status smaller = Smaller(one, stop).Search(); !smaller.ok()) return smaller;
    DriveSum of_repeats;
    if (Status repeated = Repeat(RepeatsOf(one.run), stop, one, of_repeats); !repeated.ok()) {
      return repeated;
    }
  }
  if (stop) result.report.status = reports::RunStatus::kPartial;
  Finish(sum, drive, found, result);
  if (note) result.report.notes.push_back(*note);
  return result;
}

Result<DriveResult> ReplayCase(const DriveCase& one, std::uint64_t times,
                               const std::atomic<bool>& stop) {
  DriveSum sum;
  DriveFound found;
  found.one = one;
  found.one.options.stop = &stop;
  if (Status repeated = Repeat(times, stop, found, sum); !repeated.ok()) return repeated;
  DriveResult result;
  if (stop) result.report.status = reports::RunStatus::kPartial;
  found.original = found.run;
  std::vector<DriveFound> all;
  if (!found.run.findings.empty()) all.push_back(found);
  Finish(sum, one.options, all, result);
  return result;
}

}  // namespace interlock::scenarios::drive
