// SPDX-License-Identifier: MIT
#include "scenarios/search/foreign/confirmation.h"

#include <algorithm>
#include <chrono>
#include <string>
#include <utility>

namespace interlock::scenarios::drive {
namespace {

using std::chrono::steady_clock;

constexpr std::uint64_t kMostTries = 80;
constexpr std::int64_t kRepeats = 5;
/// Allowance for a client that polls, which does so more or less often.
constexpr std::uint64_t kFewMore = 2;

/// Makes a case smaller by removing choices as long as the violation still happens.
class Smaller {
 public:
  Smaller(DriveFound& found, Duration at_most, const std::atomic<bool>& stop)
      : found_(found),
        stop_(stop),
        slug_(found.run.findings.front().slug),
        limit_(steady_clock::now() + at_most) {}

  Status Search() {
    const auto begin = steady_clock::now();
    limit_ -= found_.run.real_time;  // Every try takes as long as the run did.
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

/// Repeats the case with started clients, of which each run takes `start`.
Status RepeatStarted(Duration at_most, Duration start, const std::atomic<bool>& stop,
                     DriveFound& found) {
  found.one.options.templates = nullptr;
  found.repeated = 0;
  found.again = 0;
  const auto each = std::max<Duration>(start, std::chrono::milliseconds(1));
  const auto times = std::clamp<std::int64_t>(at_most / each, 1, kRepeats);
  DriveSum of_repeats;
  return Repeat(static_cast<std::uint64_t>(times), stop, found, of_repeats);
}

}  // namespace

bool Has(const DriveRun& run, const std::string& slug) {
  return std::ranges::any_of(run.findings,
                             [&slug](const Finding& finding) { return finding.slug == slug; });
}

void NameBy(const std::string& slug, DriveRun& run) {
  std::stable_partition(run.findings.begin(), run.findings.end(),
                        [&slug](const Finding& finding) { return finding.slug == slug; });
}

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

Status Confirm(Duration at_most, Duration start, const std::atomic<bool>& stop, DriveFound& found) {
  DriveFound original = found;
  // A search of all orders has kept the smallest case.
  if (!found.one.options.orders) {
    if (Status tried = Smaller(found, at_most / 2, stop).Search(); !tried.ok()) return tried;
  }
  const Duration half = at_most / 2;
  if (Status done = RepeatStarted(half, start, stop, found); !done.ok()) return done;
  if (found.again > 0 || found.original.copied == 0 || stop) return Status();
  if (Status done = RepeatStarted(half, start, stop, original); !done.ok()) return done;
  if (original.again > 0) found = std::move(original);
  return Status();
}

}  // namespace interlock::scenarios::drive
