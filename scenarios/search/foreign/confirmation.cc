// SPDX-License-Identifier: MIT
#include "scenarios/search/foreign/confirmation.h"

#include <algorithm>
#include <chrono>
#include <set>
#include <string>
#include <utility>

namespace interlock::scenarios::drive {
namespace {

using std::chrono::steady_clock;

constexpr std::uint64_t kMostTries = 80;
constexpr std::int64_t kRepeats = 5;
/// Cases of one property that are kept until it is known which of the keys are locks'.
constexpr std::size_t kMostKeys = 4;
/// Allowance for a client that polls, which does so more or less often.
constexpr std::uint64_t kFewMore = 2;

/// Makes a case smaller by removing choices as long as the violation still happens.
class Smaller {
 public:
  Smaller(DriveFound& found, Duration at_most, const std::atomic<bool>& stop)
      : found_(found),
        stop_(stop),
        slug_(found.run.findings.front().slug),
        key_(found.run.findings.front().key),
        limit_(steady_clock::now() + at_most) {}

  Status Search() {
    const auto begin = steady_clock::now();
    limit_ -= found_.run.real_time;  // Every try takes as long as the run did.
    if (Status tried = DropFaults(); !tried.ok()) return tried;
    for (const sim::Lane lane : {sim::Lane::kFault, sim::Lane::kSchedule}) {
      for (std::size_t block = Size(lane); block > 0; block /= 2) {
        if (Status tried = EaseBlocks(lane, block); !tried.ok()) return tried;
      }
    }
    // Another schedule may do without one more.
    if (Status tried = DropFaults(); !tried.ok()) return tried;
    found_.took =
        std::chrono::duration_cast<std::chrono::milliseconds>(steady_clock::now() - begin);
    return Status();
  }

 private:
  std::vector<std::uint32_t>& LaneOf(sim::Tape& tape, sim::Lane lane) const {
    return tape.lanes[static_cast<std::size_t>(lane)];
  }
  std::size_t Size(sim::Lane lane) { return LaneOf(found_.one.tape, lane).size(); }

  bool GivesUp() const {
    return stop_ || found_.tries >= kMostTries || steady_clock::now() > limit_;
  }

  /// Leaves out each fault that is not needed.
  Status DropFaults() {
    for (std::size_t i = 0; i < found_.run.faults.size() && !GivesUp();) {
      const std::size_t before = found_.run.faults.size();
      // A command that was only put off draws once more when it comes.
      for (const bool draws_again : {false, true}) {
        if (found_.run.faults.size() < before) break;
        if (Status tried = DropFault(found_.run.faults[i], draws_again); !tried.ok()) return tried;
      }
      if (found_.run.faults.size() == before) ++i;
    }
    return Status();
  }

  Status DropFault(const DriveFault& fault, bool draws_again) {
    DriveCase smaller = found_.one;
    std::vector<std::uint32_t>& values = LaneOf(smaller.tape, sim::Lane::kFault);
    const auto place = [&values](std::size_t choice) {
      return values.begin() + static_cast<std::ptrdiff_t>(std::min(choice, values.size()));
    };
    if (place(fault.first_choice) == place(fault.last_choice)) return Status();
    *place(fault.first_choice) = 0;
    values.erase(place(fault.first_choice + (draws_again ? 0 : 1)), place(fault.last_choice));
    return Try(std::move(smaller));
  }

  /// Makes blocks calm, or erases them so that what follows comes earlier.
  Status EaseBlocks(sim::Lane lane, std::size_t block) {
    for (std::size_t at = 0; at < Size(lane); at += block) {
      for (const bool erase : {true, false}) {
        if (GivesUp()) return Status();
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
    if (!Has(*run, slug_, key_) || !simpler) return Status();
    smaller.tape = choices.TakeTape();
    found_.one = std::move(smaller);
    found_.run = *std::move(run);
    NameBy(slug_, found_.run, key_);
    return Status();
  }

  DriveFound& found_;
  const std::atomic<bool>& stop_;
  const std::string slug_;
  const std::string key_;
  steady_clock::time_point limit_;
};

/// Whether it is about a lock, as far as the runs have shown.
bool IsProven(const Finding& finding, const DriveSum& sum) {
  return finding.key.empty() || sum.kept_out.contains(finding.key);
}

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

bool Has(const DriveRun& run, const std::string& slug, const std::string& key) {
  return std::ranges::any_of(run.findings, [&](const Finding& finding) {
    return finding.slug == slug && (key.empty() || finding.key == key);
  });
}

void NameBy(const std::string& slug, DriveRun& run, const std::string& key) {
  std::stable_partition(run.findings.begin(), run.findings.end(),
                        [&slug](const Finding& finding) { return finding.slug == slug; });
  std::stable_partition(run.findings.begin(), run.findings.end(), [&](const Finding& finding) {
    return finding.slug == slug && finding.key == key;
  });
}

bool IsKnown(const std::vector<DriveFound>& found, const Finding& finding, const DriveSum& sum) {
  std::size_t unproven = 0;
  for (const DriveFound& one : found) {
    const Finding& known = one.run.findings.front();
    if (known.slug != finding.slug) continue;
    if (known.key == finding.key || IsProven(known, sum)) return true;
    ++unproven;
  }
  return unproven >= kMostKeys && !IsProven(finding, sum);
}

void DropUnproven(std::vector<DriveFound>& found, DriveSum& sum) {
  std::set<std::string> kept;
  std::erase_if(found, [&](const DriveFound& one) {
    const Finding& finding = one.run.findings.front();
    if (IsProven(finding, sum)) {
      return !kept.insert(finding.slug).second;
    }
    sum.unproven.try_emplace(finding.slug,
                             finding.sentence +
                                 "; but this key has kept nobody out, so it may be no lock's: name "
                                 "the locks' keys (--locks)");
    return true;
  });
}

Status Repeat(std::uint64_t times, const std::atomic<bool>& stop, DriveFound& found,
              DriveSum& sum) {
  const Finding of = found.run.findings.empty() ? Finding{} : found.run.findings.front();
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
    if (of.slug.empty() ? run->findings.empty() : !Has(*run, of.slug, of.key)) continue;
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
