// SPDX-License-Identifier: MIT
#include "scenarios/run/foreign/end_of_run.h"

#include <algorithm>
#include <chrono>
#include <span>
#include <utility>

#include <fmt/format.h>

#include "scenarios/log/words.h"
#include "sim/redis/text.h"

namespace interlock::scenarios::drive {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

/// After this number of commands by each client without any change, nobody gets any further.
constexpr std::uint64_t kVainCommands = 25;
constexpr std::uint64_t kVainCommandsOfOwners = 100;
/// Under a virtual clock commands cost next to nothing, and clients that try some hundred times
/// give up.
constexpr std::uint64_t kVainCommandsVirtually = 500;
/// After this number of commands by all clients since one got anything, none will.
constexpr std::uint64_t kFruitlessCommands = 1'500;
/// The same within a bound that allows less, if no lease is left to end: half of the bound, and at
/// least this.
constexpr std::uint64_t kFewestInVain = 20;
/// A command that was sent so often of late says nothing of its client's going on.
constexpr std::ptrdiff_t kRepeats = 3;
/// The machine's time that is allowed for events that a client may wait for unseen, and for the
/// kernel's timers.
constexpr Duration kLastChance = milliseconds(200);
constexpr Duration kLastChanceOfTimers = milliseconds(1'000);

/// The command and what it is about.
std::string FormOf(const std::string& command) {
  return command.substr(0, command.find(' ', command.find(' ') + 1));
}

/// "C2 asked again and again, and nothing changed, since the crash of C1", seen after that many
/// events.
Finding WaitingOf(std::string_view slug, const std::vector<int>& waiting, std::string_view what,
                  const std::vector<DriveFault>& faults, std::size_t events) {
  std::string names;
  for (const int one : waiting) names += (names.empty() ? "" : " and ") + ClientName(one);
  std::string dead;
  for (const DriveFault& fault : faults) {
    if (fault.kind == sim::FaultKind::kCrash)
      dead = ", since the crash of " + ClientName(fault.client);
  }
  return {std::string(slug), fmt::format("{} {}{}", names, what, dead), events};
}

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

bool EndOfRun::StandsStill() const {
  return state_.clock == nullptr &&
         steady_clock::now() - state_.progressed > state_.options.patience;
}

/// False under the machine's clock, by which nobody can know.
bool EndOfRun::IsStranded(int client) const {
  const ClientNote& note = state_.note(client);
  if (!state_.crew.alive(client) || state_.gate.HasParked(client) || state_.gate.IsWithheld(client))
    return false;
  if (state_.clock == nullptr || state_.crew.stopped(client)) return false;
  if (note.spins) return true;
  return note.looked_at && !note.own_clock && !state_.clock->NextWakeUs(client);
}

std::uint64_t EndOfRun::InVain() const {
  std::uint64_t least = UINT64_MAX;
  for (int client = 0; client < state_.crew.size(); ++client) {
    if (!state_.crew.alive(client) || IsStranded(client)) continue;
    const ClientNote& note = state_.note(client);
    least = std::min(least, state_.gate.executed(client) - note.vain_since);
  }
  return least == UINT64_MAX ? 0 : least;
}

bool EndOfRun::Reached() {
  if (over_) return true;
  bool somebody_holds = false;
  bool somebody_works = false;
  bool somebody_is_stranded = false;
  for (int client = 0; client < state_.crew.size(); ++client) {
    if (!state_.crew.alive(client)) continue;
    const bool holds = state_.HoldsLock(client);
    if (IsStranded(client)) {
      somebody_is_stranded = somebody_is_stranded || holds;
      continue;
    }
    somebody_works =
        somebody_works || state_.world.sections().Inside(client) || state_.crew.stopped(client);
    somebody_holds = somebody_holds || state_.holds.Owns(client);
  }
  // An owner may read a lot, and change nothing, before it goes on.
  const std::uint64_t enough = state_.clock != nullptr ? kVainCommandsVirtually
                               : somebody_holds        ? kVainCommandsOfOwners
                                                       : kVainCommands;
  if (InVain() >= enough && !somebody_works && state_.world.NothingEnds()) {
    NobodyGotAny("deadlock", "asked again and again, and nothing changed");
    return true;
  }
  if (somebody_holds || somebody_works) held_at_ = state_.run.commands;
  if (IsFruitless()) {
    NobodyGotAny(somebody_is_stranded ? "deadlock" : "termination",
                 "tried on and on, and nobody was granted anything");
    return true;
  }
  if (AtBound()) return true;
  if (!StandsStill()) return false;
  if (!somebody_holds && !somebody_works && state_.world.NothingEnds()) {
    NobodyGotAny("deadlock", "got no further");
    return true;
  }
  state_.run.inconclusive =
      fmt::format("nobody got any further for {}", TimeText(state_.options.patience));
  return true;
}

/// Whether commands go on in vain, though they may even change something, and no holder is in the
/// way. If sections are reported, they would be entered.
bool EndOfRun::IsFruitless() {
  const std::uint64_t fruits = state_.world.fruits();
  if (std::exchange(fruits_, fruits) != fruits) {
    fruit_at_ = state_.run.commands;
    fruit_us_ = state_.gate.time_us();
    fruit_event_ = state_.world.events();
  }
  return state_.clock != nullptr && state_.world.sections().any() &&
         state_.run.commands - std::max(fruit_at_, held_at_) >= kFruitlessCommands;
}

/// Whether a holder began then, or before, to wait for a time that is still to come: it works,
/// slowly. A stopped client, too, is expected to go on.
bool EndOfRun::SleepsSince(std::int64_t unix_us) const {
  for (int client = 0; client < state_.crew.size(); ++client) {
    if (!state_.crew.alive(client)) continue;
    if (state_.crew.stopped(client)) return true;
    const bool holds = state_.HoldsLock(client);
    if (holds && state_.clock->SleepsSince(client, unix_us)) return true;
  }
  return false;
}

/// Whether somebody holds a lock, waits for no other one, and sends something of late that is not
/// what it sends again and again.
bool EndOfRun::AHolderGoesOn() const {
  for (int client = 0; client < state_.crew.size(); ++client) {
    if (!state_.crew.alive(client) || IsStranded(client)) continue;
    if (!state_.HoldsLock(client) || state_.world.IsAsking(client)) continue;
    std::vector<std::string> sent;
    const std::span<const LogEvent> since = std::span(state_.world.log()).subspan(fruit_event_);
    for (const LogEvent& event : since) {
      if (event.client != client || event.kind != EventKind::kSend) continue;
      sent.push_back(FormOf(event.As<SendDetails>().command));
    }
    for (const Parked& one : state_.gate.parked()) {
      if (one.client == client) sent.push_back(FormOf(sim::redis::ToText(*one.argv)));
    }
    const std::span<const std::string> late = std::span(sent).subspan(sent.size() / 2);
    const bool new_ones = std::ranges::any_of(late, [late](const std::string& form) {
      return std::ranges::count(late, form) < kRepeats;
    });
    if (new_ones) return true;
  }
  return false;
}

/// The most that any client has sent.
std::uint64_t EndOfRun::MostCommands() const {
  std::uint64_t most = 0;
  for (int client = 0; client < state_.crew.size(); ++client) {
    most = std::max(most, state_.gate.executed(client));
  }
  return most;
}

/// Whether the run has reached one of its bounds.
bool EndOfRun::AtBound() {
  const DriveBounds& bounds = state_.options.bounds;
  const auto& orders = state_.options.orders;
  const std::uint64_t each = orders ? orders->commands : bounds.commands;
  std::string which;
  if (orders && MostCommands() >= each) {
    which = fmt::format("{} commands of a client (--client-commands)", each);
  } else if (state_.run.commands >= bounds.commands) {
    which = fmt::format("{} commands (--max-commands)", bounds.commands);
  } else if (state_.clock != nullptr && state_.world.now() >= bounds.virtual_time) {
    which = fmt::format("{} of virtual time (--max-virtual-time)", TimeText(bounds.virtual_time));
  } else if (steady_clock::now() - state_.began >= bounds.real_time) {
    which = fmt::format("{} of real time (--max-real-time)", TimeText(bounds.real_time));
  } else {
    return false;
  }
  state_.run.at_bound = true;
  const Duration fruitless = std::chrono::microseconds(state_.gate.time_us() - fruit_us_);
  const std::uint64_t vain = state_.run.commands - fruit_at_;
  const bool in_vain = vain >= kFruitlessCommands || fruitless >= bounds.virtual_time / 2 ||
                       (vain >= std::max(kFewestInVain, std::min(bounds.commands, each) / 2) &&
                        state_.world.NothingEnds());
  if (state_.clock != nullptr && in_vain && state_.world.SomebodyWasRefused() &&
      !SleepsSince(fruit_us_) && !AHolderGoesOn()) {
    NobodyGotAny("deadlock", fmt::format("got no further within {}", which));
  } else {
    state_.run.inconclusive = fmt::format("no end within {}", which);
  }
  return true;
}

/// How long a client may still move by an unseen cause.
Duration EndOfRun::LastChance() const {
  for (int client = 0; client < state_.crew.size(); ++client) {
    const ClientNote& note = state_.note(client);
    const bool shows_times =
        note.looked_at && !note.own_clock && !state_.clock->HasKernelTimer(client);
    if (state_.crew.alive(client) && !shows_times) {
      return std::min(state_.options.patience, kLastChanceOfTimers);
    }
  }
  return std::min(state_.options.patience, kLastChance);
}

/// Whether a client moves by an unseen cause, within a last chance. Those that show what they wait
/// for have none.
bool EndOfRun::SomebodyMoves() {
  const SteadyTime limit = steady_clock::now() + LastChance();
  while (steady_clock::now() < limit && !*state_.options.stop) {
    state_.crew.Read();
    state_.world.Poll(milliseconds(1));
    bool all_show = true;
    for (int client = 0; client < state_.crew.size(); ++client) {
      if (!state_.crew.alive(client)) continue;
      const bool moves = state_.gate.HasParked(client) ||
                         state_.clock->NextWakeUs(client).has_value() ||
                         state_.clock->Spins(client) || state_.crew.process(client).ended();
      if (moves) return true;
      all_show = all_show && state_.crew.WaitsForDriver(client);
    }
    if (all_show) return false;
  }
  return false;
}

void EndOfRun::StandStillForEver() {
  if (SomebodyMoves()) return;
  over_ = true;
  bool concerned = false;
  for (int client = 0; client < state_.crew.size(); ++client) {
    if (!state_.crew.alive(client)) continue;
    concerned = concerned || state_.world.IsConcerned(client);
    if (IsStranded(client)) continue;
    state_.run.inconclusive = "a client neither sends anything nor waits for a time that is seen";
    return;
  }
  if (*state_.options.stop) return;
  if (!concerned && state_.world.KnowsLocks())
    return;  // What they wait for has nothing to do with a lock.
  NobodyGotAny("deadlock", "waited, and nothing was left to wait for");
}

std::string EndOfRun::Standing() const {
  std::string text;
  for (int client = 0; client < state_.crew.size(); ++client) {
    if (!state_.crew.alive(client)) continue;
    const std::string_view where = state_.world.sections().Inside(client) ? "was in a section"
                                   : state_.holds.Owns(client)            ? "held a lock"
                                   : state_.world.IsConcerned(client)     ? "was asking for a lock"
                                                                          : "was outside";
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", ClientName(client), where);
  }
  return text;
}

void EndOfRun::NobodyGotAny(std::string_view slug, std::string_view what) {
  std::vector<int> waiting;
  std::vector<int> stranded;
  for (int client = 0; client < state_.crew.size(); ++client) {
    if (!state_.crew.alive(client)) continue;
    const bool holds = state_.HoldsLock(client);
    (holds && IsStranded(client) ? stranded : waiting).push_back(client);
  }
  std::string words(what);
  if (!waiting.empty()) {
    for (const int one : stranded) {
      words +=
          fmt::format(", while {} {}", ClientName(one),
                      state_.note(one).spins ? "holds a lock and spins"
                                             : "holds a lock and waits for nothing that will come");
    }
  } else {
    waiting = stranded;
  }
  state_.run.findings.push_back(
      WaitingOf(slug, waiting, words, state_.run.faults, state_.world.events()));
  state_.holds.LeftBehind(false);
  state_.world.TakeFindings(state_.run);
}

}  // namespace interlock::scenarios::drive
