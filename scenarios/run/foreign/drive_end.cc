// SPDX-License-Identifier: MIT
//
// How a run is ended that does not end by itself, and what that says. A client is stranded if
// nothing that is seen will let it go on: it has no command at the gate, waits for no time, and is
// not held back by a fault; or it spins. What is proven to go nowhere is a violation at once; at a
// bound, only what has brought nobody anything for long, and where no holder sleeps that will wake
// up.
#include <algorithm>
#include <chrono>
#include <utility>

#include <fmt/format.h>

#include "scenarios/judge/words.h"
#include "scenarios/run/foreign/drive.h"

namespace interlock::scenarios::drive {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

/// So many commands of each, and nothing has changed: nobody gets any further.
constexpr std::uint64_t kVainCommands = 25;
constexpr std::uint64_t kVainCommandsOfOwners = 100;
/// By a virtual clock they cost next to nothing, and clients that try some hundred times give up.
constexpr std::uint64_t kVainCommandsVirtually = 500;
/// So many of all since anybody got anything, and nobody will.
constexpr std::uint64_t kFruitlessCommands = 1'500;
/// Of the machine's time: for what a client may wait for that is not seen.
constexpr Duration kLastChance = milliseconds(1'000);

}  // namespace

std::string TimeText(Duration time) {
  if (time % std::chrono::hours(1) == Duration{}) {
    return fmt::format("{}h", time / std::chrono::hours(1));
  }
  if (time % std::chrono::seconds(1) == Duration{}) {
    return fmt::format("{}s", time / std::chrono::seconds(1));
  }
  return fmt::format("{}ms", time / milliseconds(1));
}

void Drive::Progressed() {
  progressed_ = steady_clock::now();
  for (int client = 0; client < options_.clients; ++client) {
    notes_[static_cast<std::size_t>(client)].vain_since = gate_.executed(client);
  }
}

/// No progress for too long. By a virtual clock nobody is waited for.
bool Drive::StandsStill() const {
  return clock_ == nullptr && steady_clock::now() - progressed_ > options_.patience;
}

/// By the machine's clock nobody can know.
bool Drive::IsStranded(int client) const {
  const Note& note = notes_[static_cast<std::size_t>(client)];
  if (!crew_.alive(client) || gate_.HasParked(client) || gate_.IsWithheld(client)) return false;
  if (clock_ == nullptr || crew_.stopped(client)) return false;
  if (note.spins) return true;
  return note.looked_at && !note.own_clock && !clock_->NextWakeUs(client);
}

/// So many commands has everybody sent at least, who can, since anything changed.
std::uint64_t Drive::InVain() const {
  std::uint64_t least = UINT64_MAX;
  for (int client = 0; client < crew_.size(); ++client) {
    if (!crew_.alive(client) || IsStranded(client)) continue;
    const Note& note = notes_[static_cast<std::size_t>(client)];
    least = std::min(least, gate_.executed(client) - note.vain_since);
  }
  return least == UINT64_MAX ? 0 : least;
}

bool Drive::Stuck() {
  bool somebody_holds = false;
  bool somebody_works = false;
  bool somebody_is_stranded = false;
  for (int client = 0; client < crew_.size(); ++client) {
    if (!crew_.alive(client)) continue;
    const bool holds = world_.sections().Inside(client) || holds_.Owns(client);
    if (IsStranded(client)) {
      somebody_is_stranded = somebody_is_stranded || holds;
      continue;
    }
    somebody_works = somebody_works || world_.sections().Inside(client) || crew_.stopped(client);
    somebody_holds = somebody_holds || holds_.Owns(client);
  }
  // An owner may read a good deal, and change nothing, before it goes on.
  const std::uint64_t enough = clock_ != nullptr ? kVainCommandsVirtually
                               : somebody_holds  ? kVainCommandsOfOwners
                                                 : kVainCommands;
  if (InVain() >= enough && !somebody_works && world_.NothingEnds()) {
    Deadlock("asked again and again, and nothing changed");
    return true;
  }
  if (IsFruitless() && !somebody_holds && !somebody_works) {
    NobodyGotAny(somebody_is_stranded ? "deadlock" : "termination",
                 "tried on and on, and nobody was granted anything");
    return true;
  }
  if (AtBound()) return true;
  if (!StandsStill()) return false;
  if (!somebody_holds && !somebody_works && world_.NothingEnds()) {
    Deadlock("got no further");
    return true;
  }
  run_.inconclusive = fmt::format("nobody got any further for {}", TimeText(options_.patience));
  return true;
}

/// Commands go on, and may even change something. Where sections are told, they would be entered.
bool Drive::IsFruitless() {
  const std::uint64_t fruits = world_.fruits();
  if (std::exchange(fruits_, fruits) != fruits) {
    fruit_at_ = run_.commands;
    fruit_us_ = gate_.time_us();
  }
  return clock_ != nullptr && world_.sections().any() &&
         run_.commands - fruit_at_ >= kFruitlessCommands;
}

/// A holder began then, or before, to wait for a time that is still to come: it works, slowly.
bool Drive::SleepsSince(std::int64_t unix_us) const {
  for (int client = 0; client < crew_.size(); ++client) {
    if (!crew_.alive(client)) continue;
    if (crew_.stopped(client)) return true;
    const bool holds = world_.sections().Inside(client) || holds_.Owns(client);
    if (holds && clock_->SleepsSince(client, unix_us)) return true;
  }
  return false;
}

/// True: the run has had what it may have.
bool Drive::AtBound() {
  const DriveBounds& bounds = options_.bounds;
  std::string which;
  if (run_.commands >= bounds.commands) {
    which = fmt::format("{} commands (--max-commands)", bounds.commands);
  } else if (clock_ != nullptr && world_.now() >= bounds.virtual_time) {
    which = fmt::format("{} of virtual time (--max-virtual-time)", TimeText(bounds.virtual_time));
  } else if (steady_clock::now() - began_ >= bounds.real_time) {
    which = fmt::format("{} of real time (--max-real-time)", TimeText(bounds.real_time));
  } else {
    return false;
  }
  run_.at_bound = true;
  const Duration fruitless = std::chrono::microseconds(gate_.time_us() - fruit_us_);
  const bool in_vain =
      run_.commands - fruit_at_ >= std::min(kFruitlessCommands, bounds.commands / 2) ||
      fruitless >= bounds.virtual_time / 2;
  if (clock_ != nullptr && in_vain && world_.SomebodyWasRefused() && !SleepsSince(fruit_us_)) {
    Deadlock(fmt::format("got no further within {}", which));
  } else {
    run_.inconclusive = fmt::format("no end within {}", which);
  }
  return true;
}

/// Of what is not seen (a timer of the kernel's), within a last chance.
bool Drive::SomebodyMoves() {
  const SteadyTime limit = steady_clock::now() + std::min(options_.patience, kLastChance);
  while (steady_clock::now() < limit && !*options_.stop) {
    world_.Poll(milliseconds(1));
    for (int client = 0; client < crew_.size(); ++client) {
      if (!crew_.alive(client)) continue;
      const bool moves = gate_.HasParked(client) || clock_->NextWakeUs(client).has_value() ||
                         clock_->Spins(client) || crew_.process(client).ended();
      if (moves) return true;
    }
  }
  return false;
}

/// By the virtual clock nobody has anything to wait for.
void Drive::StandStillForEver() {
  if (SomebodyMoves()) return;
  over_ = true;
  bool concerned = false;
  for (int client = 0; client < crew_.size(); ++client) {
    if (!crew_.alive(client)) continue;
    concerned = concerned || world_.IsConcerned(client);
    if (IsStranded(client)) continue;
    run_.inconclusive = "a client neither sends anything nor waits for a time that is seen";
    return;
  }
  if (*options_.stop) return;
  if (!concerned && world_.KnowsLocks()) return;  // What it waits for has nothing to do with one.
  Deadlock("waited, and nothing was left to wait for");
}

std::string Drive::Standing() const {
  std::string text;
  for (int client = 0; client < crew_.size(); ++client) {
    if (!crew_.alive(client)) continue;
    const std::string_view where = world_.sections().Inside(client) ? "was in a section"
                                   : holds_.Owns(client)            ? "held a lock"
                                   : world_.IsConcerned(client)     ? "was asking for a lock"
                                                                    : "was outside";
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", ClientName(client), where);
  }
  return text;
}

void Drive::Deadlock(std::string_view what) { NobodyGotAny("deadlock", what); }

void Drive::NobodyGotAny(std::string_view slug, std::string_view what) {
  std::vector<int> waiting;
  std::vector<int> stranded;
  for (int client = 0; client < crew_.size(); ++client) {
    if (!crew_.alive(client)) continue;
    const bool holds = world_.sections().Inside(client) || holds_.Owns(client);
    (holds && IsStranded(client) ? stranded : waiting).push_back(client);
  }
  std::string words(what);
  if (!waiting.empty()) {
    for (const int one : stranded) {
      words += fmt::format(", while {} {}", ClientName(one),
                           notes_[static_cast<std::size_t>(one)].spins
                               ? "holds a lock and spins"
                               : "holds a lock and waits for nothing that will come");
    }
  } else {
    waiting = stranded;
  }
  run_.findings.push_back(WaitingOf(slug, waiting, words, run_.faults, world_.rows().size()));
  holds_.LeftBehind(false);
  world_.TakeFindings(run_);
}

}  // namespace interlock::scenarios::drive
