// SPDX-License-Identifier: MIT
#include "scenarios/search/foreign/drive_campaign.h"

#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <memory>
#include <utility>

#include <fmt/format.h>

#include "scenarios/cases/server_words.h"
#include "scenarios/run/foreign/real/case_difference.h"
#include "scenarios/search/foreign/confirmation.h"
#include "scenarios/search/foreign/copying.h"
#include "scenarios/search/foreign/drive_report.h"

namespace interlock::scenarios::drive {
namespace {

using std::chrono::steady_clock;

constexpr std::size_t kShownFailures = 5;
/// Without a number of runs: how many there are at most, and how long they are made.
constexpr std::uint64_t kMostRuns = 1'000;
constexpr auto kSearch = std::chrono::seconds(28);

constexpr int kFileTooLarge = 128 + SIGXFSZ;

Status NobodyCame(const DriveOptions& options, std::string_view said) {
  return Status(StatusCode::kInvalidArgument,
                fmt::format("no client has connected: {} finds its server in REDIS_URL, "
                            "REDIS_HOST and REDIS_PORT, or in {{url}} and {{port}} of its own "
                            "arguments{}{}",
                            CommandLine(options), said.empty() ? "" : " ", said));
}

Status NobodySpoke(const DriveOptions& options) {
  return Status(StatusCode::kInvalidArgument,
                fmt::format("clients have connected, and none has sent a command that a server of "
                            "Redis can read: {} (is it TLS, or a part of one?)",
                            CommandLine(options)));
}

/// Why a campaign is not worthwhile: clients that do not even work without faults, one after the
/// other, are not worth one.
Status WhyNot(const DriveRun& calm, const DriveOptions& options) {
  std::string said;
  int failed = 0;
  for (const DriveEnd& end : calm.ends) {
    if (end.exit_code == 0) continue;
    ++failed;
    if (!said.empty()) continue;
    said = fmt::format("exit code {}\n{}", end.exit_code, end.last_words);
    if (end.exit_code == kFileTooLarge) said = "it has printed (or written) more than 64 MiB";
  }
  if (failed == options.clients) {
    return Status(
        StatusCode::kInvalidArgument,
        fmt::format("without any fault all clients fail: {}: {}", CommandLine(options), said));
  }
  if (calm.never_connected == options.clients) {
    return NobodyCame(options, said);
  }
  return calm.commands == 0 ? NobodySpoke(options) : Status();
}

/// What has been used so far, in seconds: by this process, and by those of its children that have
/// ended. An audit has many campaigns, each of which has its own share.
struct ProcessorTimes {
  double own = 0;
  double clients = 0;

  static ProcessorTimes Now() {
    const auto seconds_of = [](int whose) {
      rusage use{};
      getrusage(whose, &use);
      const auto seconds = [](const timeval& time) {
        return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
      };
      return seconds(use.ru_utime) + seconds(use.ru_stime);
    };
    return {seconds_of(RUSAGE_SELF), seconds_of(RUSAGE_CHILDREN)};
  }
};

void Finish(const DriveSum& sum, const DriveOptions& options, const std::vector<DriveFound>& found,
            DriveResult& result) {
  reports::RunReport& report = result.report;
  report.backend = BackendOf(*options.server, "gated fake Redis");
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
  if (!sum.entered_twice.empty()) {
    report.notes.push_back(sum.entered_twice +
                           " without leaving it in between: sections of one client are not told "
                           "apart, so threads that compete for a lock have to be clients each");
  }
  for (std::size_t i = 0; i < std::min(sum.failures.size(), kShownFailures); ++i) {
    report.notes.push_back("a client ended with: " + sum.failures[i]);
  }
  for (const DriveFound& one : found) result.counterexamples.push_back(Explain(one));
}

/// A campaign's search, and what becomes of the violations that it has found.
class Campaign {
 public:
  explicit Campaign(const CampaignOptions& options)
      : options_(options), stop_(*options.drive.stop), drive_(options.drive) {}

  Result<DriveResult> Run();

 private:
  bool GoesOn(std::uint64_t runs) const;
  std::uint64_t Planned(std::uint64_t runs) const;
  Status SearchCalmly();
  Status SearchAtRandom();
  Status RunOne(std::uint64_t number);
  void Take(DriveRun run, sim::Choices& choices, std::uint64_t number);
  Status ConfirmAll();
  std::string Rate() const;

  const CampaignOptions& options_;
  const std::atomic<bool>& stop_;
  DriveOptions drive_;
  std::unique_ptr<Templates> templates_;
  std::string why_none_;  // why there are no templates
  DriveSum sum_;
  std::vector<DriveFound> found_;
  std::vector<std::string> notes_;
  const steady_clock::time_point began_ = steady_clock::now();
  const ProcessorTimes used_before_ = ProcessorTimes::Now();
  Duration searched_{};
  Duration start_{};  // how long a run of started clients takes
};

bool Campaign::GoesOn(std::uint64_t runs) const {
  if (stop_) return false;
  if (options_.runs) return runs < *options_.runs;
  return runs < kMostRuns && steady_clock::now() - began_ < kSearch;
}

std::uint64_t Campaign::Planned(std::uint64_t runs) const {
  if (options_.runs) return *options_.runs;
  const std::chrono::duration<double> passed = steady_clock::now() - began_;
  const double share = passed / std::chrono::duration<double>(kSearch);
  const double all = static_cast<double>(runs) / std::max(share, 0.001);
  return std::min(kMostRuns, static_cast<std::uint64_t>(all) + 1);
}

/// The first run, which is calm and of started clients, and shows how the others are to be made.
Status Campaign::SearchCalmly() {
  sim::Choices choices = sim::Choices::FromTape({});
  Result<DriveRun> run = RunClients(drive_, choices);
  if (run.ok() && run->own_clocks > 0 && options_.all_orders) {
    return Status(
        StatusCode::kInvalidArgument,
        fmt::format("the order of {} cannot be searched: it cannot be given a clock (it is "
                    "linked statically, perhaps)",
                    CommandLine(drive_)));
  }
  if (run.ok() && run->own_clocks > 0) {
    notes_.emplace_back(
        "the clients' programs cannot be given a clock (they are linked statically, perhaps), and "
        "so go by the machine's");
    drive_.virtual_clock = false;
    choices = sim::Choices::FromTape({});
    run = RunClients(drive_, choices);
  }
  if (!run.ok()) return run.status();
  if (!stop_ && run->findings.empty()) {
    if (Status works = WhyNot(*run, drive_); !works.ok()) return works;
  }
  if (!stop_ && (options_.all_orders || GoesOn(1))) {
    auto templates = TemplatesFor(drive_, *run, why_none_);
    if (!templates.ok()) return templates.status();
    templates_ = *std::move(templates);
    if (templates_ != nullptr && templates_->CanCopyAny()) drive_.templates = templates_.get();
    notes_.push_back(HowRunsBegin(templates_.get(), drive_.clients, why_none_));
  }
  start_ = run->real_time;
  // A search of all orders makes this run again.
  if (!options_.all_orders) Take(*std::move(run), choices, 0);
  return Status();
}

Status Campaign::SearchAtRandom() {
  options_.progress(0, Planned(0));
  for (std::uint64_t i = 1; GoesOn(i); ++i) {
    options_.progress(i, Planned(i));
    if (Status done = RunOne(i); !done.ok()) return done;
  }
  return Status();
}

Status Campaign::RunOne(std::uint64_t number) {
  const std::uint64_t seed =
      SeedWithStrategy(sim::MixSeed(options_.seed, number), options_.strategy);
  sim::Choices choices = ChoicesOfRun(seed);
  Result<DriveRun> run = RunClients(drive_, choices);
  if (!run.ok()) return run.status();
  Take(*std::move(run), choices, number);
  return Status();
}

void Campaign::Take(DriveRun run, sim::Choices& choices, std::uint64_t number) {
  if (stop_ && run.findings.empty()) return AddStopped(std::move(run), drive_, sum_);
  Add(run, drive_, sum_);
  const sim::Tape tape = choices.TakeTape();
  for (const Finding& finding : std::vector<Finding>(run.findings)) {
    if (IsKnown(found_, finding, sum_)) continue;
    NameBy(finding.slug, run, finding.key);
    found_.push_back({{drive_, tape}, run, run, number + 1});
  }
}

Status Campaign::ConfirmAll() {
  const auto limit = steady_clock::now() + options_.confirmation;
  auto left = static_cast<std::int64_t>(found_.size());
  for (DriveFound& one : found_) {
    const Duration share = (limit - steady_clock::now()) / left--;
    if (Status done = Confirm(std::max(share, Duration{}), start_, stop_, one); !done.ok()) {
      return done;
    }
  }
  if (stop_) return Status();
  std::erase_if(found_, [this](const DriveFound& one) {
    const bool by_copies_only = one.again == 0 && one.original.copied > 0;
    if (by_copies_only) sum_.unconfirmed.push_back(one.run.findings.front().slug);
    return by_copies_only;
  });
  return Status();
}

/// How fast the search was, and what for.
std::string Campaign::Rate() const {
  const ProcessorTimes now = ProcessorTimes::Now();
  const double own_s = now.own - used_before_.own;
  const double clients_s = now.clients - used_before_.clients;
  const double searched_s = std::chrono::duration<double>(searched_).count();
  return fmt::format(
      "{} runs in {:.1f} s, {:.1f} a second; processor time of the clients {:.1f} s, of interlock "
      "itself {:.1f} s ({:.0f} %)",
      sum_.runs, searched_s, static_cast<double>(sum_.runs) / std::max(searched_s, 0.001),
      clients_s, own_s, 100 * own_s / std::max(own_s + clients_s, 0.001));
}

Result<DriveResult> Campaign::Run() {
  if (Status calm = SearchCalmly(); !calm.ok()) return calm;
  std::optional<OrderOptions> orders = options_.all_orders;
  std::optional<OrderCampaign> all;
  if (orders) {
    orders->runs = options_.runs;
    orders->seed = options_.seed;
    orders->progress = options_.progress;
    all.emplace(*orders, drive_, sum_, found_);
  }
  if (Status done = all ? all->Search() : SearchAtRandom(); !done.ok()) return done;
  DriveResult result;
  if (all) result.state = all->State();
  searched_ = steady_clock::now() - began_;
  DropUnproven(found_, sum_);
  if (Status confirmed = ConfirmAll(); !confirmed.ok()) return confirmed;
  templates_.reset();  // so that their processor time is counted, too
  notes_.push_back(Rate());
  result.report.seed = options_.seed;
  if (stop_) result.report.status = reports::RunStatus::kPartial;
  Finish(sum_, drive_, found_, result);
  if (all) {
    all->Judge(result.report.results);
    result.report.notes.push_back(all->Sentence());
  }
  for (std::string& note : notes_) result.report.notes.push_back(std::move(note));
  return result;
}

}  // namespace

Result<DriveResult> RunCampaign(const CampaignOptions& options) { return Campaign(options).Run(); }

Result<DriveResult> ReplayCase(const reports::Counterexample& example, const DriveCase& one,
                               std::uint64_t times, const std::atomic<bool>& stop) {
  DriveSum sum;
  DriveFound found;
  found.one = one;
  found.one.options.stop = &stop;
  if (Status repeated = Repeat(times, stop, found, sum); !repeated.ok()) return repeated;
  if (!stop && sum.commands == 0) {
    return NobodyCame(one.options, fmt::format("{}", fmt::join(sum.failures, "\n")));
  }
  DriveResult result;
  if (stop) result.report.status = reports::RunStatus::kPartial;
  found.original = found.run;
  std::vector<DriveFound> all;
  if (!found.run.findings.empty()) all.push_back(found);
  Finish(sum, one.options, all, result);
  if (found.again > 0 || stop) return result;
  sim::Choices choices = sim::Choices::FromTape(one.tape);
  const Result<DriveRun> run = RunClients(found.one.options, choices);
  if (!run.ok()) return run.status();
  const std::string difference = DifferenceFrom(example, *run);
  if (difference.empty()) return result;
  result.report.notes.push_back(
      "this is not the run that the case shows, so it says little of the "
      "recorded race: " +
      difference);
  return result;
}

}  // namespace interlock::scenarios::drive
