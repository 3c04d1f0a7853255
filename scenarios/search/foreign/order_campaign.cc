// SPDX-License-Identifier: MIT
#include "scenarios/search/foreign/order_campaign.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "scenarios/search/foreign/confirmation.h"
#include "scenarios/search/foreign/order_state.h"

namespace interlock::scenarios::drive {
namespace {

using std::chrono::steady_clock;

/// The random runs before a search, and how long they may take.
constexpr std::uint64_t kProbes = 24;
constexpr auto kProbing = std::chrono::seconds(4);
constexpr auto kBetweenSaves = std::chrono::seconds(3);
/// Saving takes at most one part of the search's time in this number of parts.
constexpr int kPartsOfSaving = 20;

/// Up to its first finding: commands, then faults, then switches.
auto SizeOfCase(const DriveRun& run) {
  const std::size_t end = std::min(run.findings.front().events, run.events.size());
  std::size_t commands = 0;
  for (std::size_t i = 0; i < end; ++i) commands += run.events[i].kind == EventKind::kSend ? 1 : 0;
  return std::tuple(commands, run.faults.size(), run.switches);
}

/// "3 runs", "1 run"
std::string Counted(std::uint64_t count, std::string_view what) {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

}  // namespace

OrderCampaign::OrderCampaign(const OrderOptions& options, const DriveOptions& drive, DriveSum& sum,
                             std::vector<DriveFound>& found)
    : options_(options),
      drive_(drive),
      sum_(sum),
      found_(found),
      search_(
          [&drive](StepWatch& watch, sim::Choices& choices) {
            DriveOptions watched = drive;
            watched.watch = &watch;
            return RunClients(watched, choices);
          },
          *drive.stop, options.reduce) {}

/// The violations are repeated by their choices, because a state keeps no run.
Status OrderCampaign::Resume() {
  Result<OrderState> state =
      ReadOrderState(options_.resume, drive_, options_.reduce, options_.version);
  if (!state.ok()) return state.status();
  sum_ = state->sum;
  for (const OrderCase& one : state->found) {
    sim::Choices choices = sim::Choices::FromTape(one.tape);
    Result<DriveRun> run = RunClients(drive_, choices);
    if (!run.ok()) return run.status();
    if (*drive_.stop) break;
    if (!Has(*run, one.slug, one.key)) {
      ++state->totals.astray;
      state->totals.how_astray = "a violation of " + one.slug + " was not repeated";
      continue;
    }
    NameBy(one.slug, *run, one.key);
    found_.push_back({{drive_, one.tape}, *run, *run, one.first_run});
  }
  search_.Restore(std::move(state->left), state->totals);
  return Status();
}

Status OrderCampaign::Estimate() {
  const auto began = steady_clock::now();
  for (std::uint64_t i = 0; i < kProbes && steady_clock::now() - began < kProbing; ++i) {
    Result<OrderRun> probe = search_.Probe(sim::MixSeed(options_.seed, i));
    if (!probe.ok()) return probe.status();
    if (*drive_.stop) return Status();
  }
  Announce(began);
  return Status();
}

void OrderCampaign::Announce(steady_clock::time_point began) const {
  const OrderTotals& totals = search_.totals();
  const std::chrono::duration<double> passed = steady_clock::now() - began;
  const double each =
      passed.count() / static_cast<double>(std::max<std::uint64_t>(totals.probes, 1));
  options_.announce(fmt::format(
      "about {} runs, as {} suggest (Knuth's estimate), {:.0f} s at {:.1f} a second",
      search_.Expected(), Counted(totals.probes, "random run"), totals.estimate * each, 1 / each));
}

bool OrderCampaign::GoesOn() {
  if (*drive_.stop) {
    ended_by_ = "it was interrupted";
  } else if (options_.runs && search_.totals().runs + search_.totals().pruned >= *options_.runs) {
    ended_by_ = fmt::format("--runs {} was reached", *options_.runs);
  } else if (options_.budget && steady_clock::now() - began_ >= *options_.budget) {
    ended_by_ = fmt::format("the budget of {} was over", TimeText(*options_.budget));
  }
  return ended_by_.empty();
}

Status OrderCampaign::Search() {
  const Status begun = options_.resume.empty() ? Estimate() : Resume();
  if (!begun.ok()) return begun;
  next_save_ = steady_clock::now() + kBetweenSaves;
  while (!search_.done() && GoesOn()) {
    SaveNowAndThen();
    const OrderTotals& totals = search_.totals();
    options_.progress(totals.runs + totals.pruned, search_.Expected());
    auto made = search_.Next();
    if (!made.ok()) return made.status();
    if (*made) Take(*std::move(*made), totals.runs + totals.pruned);
  }
  return Status();
}

void OrderCampaign::SaveNowAndThen() {
  const auto began = steady_clock::now();
  if (began < next_save_) return;
  options_.save(State());
  const auto ended = steady_clock::now();
  next_save_ = ended + std::max<Duration>(kBetweenSaves, (ended - began) * kPartsOfSaving);
}

/// A run that was cut short counts for nothing: another one has taken the same steps.
void OrderCampaign::Take(OrderRun made, std::uint64_t number) {
  if (made.pruned) return;
  if (!*drive_.stop) Add(made.run, drive_, sum_);
  const Findings findings = made.run.findings;
  for (const Finding& finding : findings) {
    NameBy(finding.slug, made.run, finding.key);
    Note(made, number);
  }
}

void OrderCampaign::Note(const OrderRun& made, std::uint64_t number) {
  const Finding& finding = made.run.findings.front();
  const auto known = std::ranges::find_if(found_, [&finding](const DriveFound& one) {
    const Finding& other = one.run.findings.front();
    return other.slug == finding.slug && other.key == finding.key;
  });
  if (known == found_.end()) {
    if (IsKnown(found_, finding, sum_)) return;
    found_.push_back({{drive_, made.tape}, made.run, made.run, number});
  } else if (SizeOfCase(made.run) < SizeOfCase(known->run)) {
    *known = {{drive_, made.tape}, made.run, made.run, known->first_run};
  }
}

bool OrderCampaign::complete() const { return search_.left().empty() && search_.totals().Repeat(); }

std::string OrderCampaign::Bounds() const {
  const OrderTotals& totals = search_.totals();
  const OrderBounds& orders = *drive_.orders;
  std::string text = fmt::format(
      "{}, {} of a client, {} of virtual time, {}, {}, {}", Counted(orders.polls, "poll"),
      Counted(orders.commands, "command"), TimeText(drive_.bounds.virtual_time),
      drive_.crashes == 1 ? "1 crash" : fmt::format("{} crashes", drive_.crashes),
      drive_.lost_replies == 1 ? "1 lost reply"
                               : fmt::format("{} lost replies", drive_.lost_replies),
      drive_.expiries == 1 ? "1 expiry" : fmt::format("{} expiries", drive_.expiries));
  const auto add_if_any = [&text](int count, std::string_view what) {
    if (count > 0) text += ", " + Counted(static_cast<std::uint64_t>(count), what);
  };
  add_if_any(drive_.script_flushes, "script flush");
  add_if_any(drive_.failovers, "failover");
  add_if_any(drive_.reshards, "reshard");
  add_if_any(drive_.slot_migrations, "slot migration");
  add_if_any(drive_.late_claims, "late claim");
  text = fmt::format(
      "all orders of {}' commands within {}; {}, {} pruned; {} could have polled more, "
      "and {} came to another bound",
      Counted(static_cast<std::uint64_t>(drive_.clients), "client"), text,
      Counted(totals.runs, "run"), totals.pruned, totals.held_back, sum_.bounded);
  if (totals.retried > 0) text += fmt::format("; {} went astray once", totals.retried);
  return text;
}

std::string OrderCampaign::WhyNot() const {
  const OrderTotals& totals = search_.totals();
  if (totals.astray > 0) {
    return fmt::format(
        "the clients did not repeat themselves: {} were given up after two tries; in one of them, "
        "{}",
        Counted(totals.astray, "sequence") + " of choices", totals.how_astray);
  }
  if (!totals.Repeat()) {
    return fmt::format(
        "the clients did not repeat themselves: {} of choices had to be tried twice, which a busy "
        "machine explains in one run of a hundred at most; in one of them, {}",
        Counted(totals.retried, "sequence"), totals.how_astray);
  }
  return fmt::format("{} after {} of about {}", ended_by_,
                     Counted(totals.runs + totals.pruned, "run"), search_.Expected());
}

std::string OrderCampaign::Sentence() const {
  if (complete()) return "complete: " + Bounds();
  return fmt::format("incomplete, because {}; it was for {}", WhyNot(), Bounds());
}

void OrderCampaign::Judge(std::vector<reports::ResultRow>& rows) const {
  for (reports::ResultRow& row : rows) {
    if (row.verdict != reports::Verdict::kHolds) continue;
    if (complete()) {
      row.proof = reports::Proof{Sentence(), 0, {}};
      continue;
    }
    row.verdict = reports::Verdict::kInconclusive;
    row.pass = false;
    row.reason = "not all orders were tried: " + WhyNot();
  }
}

std::string OrderCampaign::State() const {
  if (search_.left().empty()) return {};
  OrderState state{search_.left(), search_.totals(), sum_, {}};
  for (const DriveFound& one : found_) {
    const Finding& finding = one.run.findings.front();
    state.found.push_back({finding.slug, finding.key, one.one.tape, one.first_run});
  }
  return ToJson(state, drive_, options_.reduce, options_.version);
}

}  // namespace interlock::scenarios::drive
