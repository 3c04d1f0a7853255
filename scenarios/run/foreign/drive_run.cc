// SPDX-License-Identifier: MIT
#include "scenarios/run/foreign/drive_run.h"

#include <algorithm>
#include <chrono>
#include <memory>
#include <utility>

#include <fmt/format.h>

#include "scenarios/run/foreign/drive.h"
#include "sim/machine/virtual_clock.h"
#include "sim/redis/text.h"

namespace interlock::scenarios::drive {
namespace {

using sim::Candidate;
using std::chrono::milliseconds;

/// So many commands of each, and nothing has changed: nobody gets any further.
constexpr std::uint64_t kVainCommands = 25;
constexpr std::uint64_t kVainCommandsOfOwners = 100;
/// By a virtual clock they cost next to nothing, and clients that try some hundred times give up.
constexpr std::uint64_t kVainCommandsVirtually = 500;
/// So many of all since anybody got anything, and nobody will.
constexpr std::uint64_t kFruitlessCommands = 1'500;
/// So many of all, and clients that never end will not end either.
constexpr std::uint64_t kMostCommands = 20'000;
/// Choices that may leave somebody out who is ready.
constexpr std::uint32_t kMostPassedOver = 30;
constexpr std::size_t kLastWords = 2'000;  // bytes
/// While somebody waits at the gate, sleepers are given so much of the machine's time at once.
constexpr Duration kNap = milliseconds(200);
/// Of the machine's time: for what a client may wait for that is not seen.
constexpr Duration kLastChance = milliseconds(1'000);
constexpr std::int64_t kSpinUs = 1'000;
/// Of the patience: a client that has had so much of the processor, and has not come to an end,
/// spins.
constexpr int kBusyShare = 4;
constexpr int kMostExtended = 10;

std::int64_t NowUs() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::microseconds>(now).count();
}

std::uint64_t HashOf(std::string_view text) {
  std::uint64_t hash = 0;
  for (const char letter : text) hash = sim::MixSeed(hash, static_cast<unsigned char>(letter));
  return hash;
}

}  // namespace

Drive::Drive(const DriveOptions& options, sim::Choices& choices, sim::machine::VirtualClock* clock)
    : options_(options),
      choices_(choices),
      clock_(clock),
      world_(options, clock != nullptr ? sim::machine::VirtualClock::kEpochUs : NowUs(), clock),
      gate_(world_.gate()),
      holds_(world_.holds()),
      crew_(options, gate_, clock),
      budget_(options),
      notes_(static_cast<std::size_t>(options.clients)) {}

Result<DriveRun> Drive::Run() {
  if (Status opened = gate_.Open(); !opened.ok()) return opened;
  if (Status started = crew_.Start(); !started.ok()) return started;
  budget_.DrawSwarm(choices_);
  Progressed();
  for (;;) {
    const bool goes_on = !*options_.stop && Settle();
    if (crew_.CountAlive() == 0) holds_.AllEnded();
    world_.TakeFindings(run_);
    if (!goes_on || Stuck() || over_) break;
    Step();
  }
  Finish();
  return std::move(run_);
}

void Drive::Finish() {
  crew_.KillAll();
  run_.most_owners = holds_.most_owners();
  run_.most_entrants = world_.sections().most_entrants();
  run_.has_sections = world_.sections().any();
  run_.virtual_time = world_.now();
  run_.rows = world_.rows();
  for (int client = 0; client < options_.clients; ++client) {
    if (!gate_.has_connected(client)) ++run_.never_connected;
    if (notes_[static_cast<std::size_t>(client)].own_clock) ++run_.own_clocks;
  }
}

/// Until everybody stands still; false: all have ended, or one never stands still.
bool Drive::Settle() {
  SteadyTime limit = std::chrono::steady_clock::now() + options_.patience;
  Duration worked{};
  int extended = 0;
  for (;;) {
    Disturb();
    world_.Poll(Duration{});
    bool all = true;
    for (int client = 0; client < crew_.size(); ++client) {
      if (!crew_.alive(client)) continue;
      if (crew_.HasEnded(client)) {
        Over(client);
        continue;
      }
      const bool still = crew_.IsStill(client);
      if (!still && clock_ != nullptr && clock_->Spins(client)) {
        AdvanceTo(gate_.time_us() + kSpinUs);
      }
      all = still && all;
    }
    if (crew_.CountAlive() == 0 || *options_.stop) return false;
    if (all) return true;
    if (std::chrono::steady_clock::now() > limit) {
      // On a machine that is busy with other things it may just not have come to it.
      const Duration work = crew_.ProcessorTime();
      const bool busy = worked.count() > 0 && work - worked >= options_.patience / kBusyShare;
      if (busy || ++extended > kMostExtended) {
        run_.inconclusive = "a client neither sleeps nor sends anything";
        return false;
      }
      worked = std::max(work, Duration(1));
      limit = std::chrono::steady_clock::now() + options_.patience;
    }
    world_.Poll(crew_.pause());
  }
}

/// Before anything is taken in that shows that they have done it.
void Drive::Disturb() {
  for (const int client : gate_.TakeTouched()) crew_.Disturb(client);
  if (clock_ == nullptr) return;
  for (const int client : clock_->TakeWoken()) crew_.Disturb(client);
}

void Drive::Over(int client) {
  const int code = crew_.process(client).exit_code();
  run_.ends.push_back(
      {client, code, code == 0 ? std::string() : crew_.process(client).OutputTail(kLastWords)});
  world_.Row(client, code == 0 ? "ended" : fmt::format("ended with exit code {}", code));
  world_.Ended(client, false);
  gate_.Drop(client);
  Progressed();
}

std::vector<Parked> Drive::Ready() const {
  std::vector<Parked> ready;
  for (const Parked& one : gate_.parked()) {
    if (!crew_.stopped(one.client) && !IsDelayed(one.connection)) ready.push_back(one);
  }
  // Whoever went last comes first, which is calm.
  std::stable_partition(ready.begin(), ready.end(),
                        [this](const Parked& one) { return one.client == last_; });
  return ready;
}

/// Once, when it has a command, and so is what it is to be.
void Drive::LookAtClocks(const std::vector<Parked>& ready) {
  for (const Parked& one : ready) {
    Note& note = notes_[static_cast<std::size_t>(one.client)];
    if (clock_ == nullptr || std::exchange(note.looked_at, true)) continue;
    note.own_clock = !crew_.process(one.client).HasMapped(sim::machine::VirtualClock::kLibrary);
  }
}

void Drive::Step() {
  const std::vector<Parked> ready = Ready();
  if (ready.empty()) return WaitForSomebody();
  LookAtClocks(ready);
  std::vector<Candidate> candidates;
  for (const Parked& one : ready) {
    const std::string& key = one.argv->size() > 1 ? (*one.argv)[1] : one.argv->front();
    // The same in each run, whoever connects first.
    const auto task =
        static_cast<std::uint32_t>(options_.clients) * static_cast<std::uint32_t>(one.of_client) +
        static_cast<std::uint32_t>(one.client);
    candidates.push_back({one.client, task, HashOf(one.argv->front()), HashOf(key)});
  }
  if (SomebodySleeps()) candidates.push_back({options_.clients, 0, 0, 0});
  const std::size_t pick = Starving(ready).value_or(choices_.PickTask(candidates));
  if (pick >= ready.size()) return Sleep(kNap);
  for (const Parked& one : ready) ++notes_[static_cast<std::size_t>(one.client)].passed_over;
  notes_[static_cast<std::size_t>(ready[pick].client)].passed_over = 0;
  const Parked picked = ready[pick];
  CountDown();
  Execute(picked);
}

/// Whose turn it is, whatever a strategy wants: time stands still for a holder that is kept back.
std::optional<std::size_t> Drive::Starving(const std::vector<Parked>& ready) const {
  for (std::size_t i = 0; i < ready.size(); ++i) {
    const Note& note = notes_[static_cast<std::size_t>(ready[i].client)];
    if (note.passed_over >= kMostPassedOver) return i;
  }
  return std::nullopt;
}

/// Nobody is ready. Who was stopped, and what is delayed, is so for as long as others have
/// something to wake up for.
void Drive::WaitForSomebody() {
  if (SomebodySleeps()) {
    const bool alone = delays_.empty() && Kept() == std::vector<bool>(notes_.size(), false);
    Sleep(alone ? options_.patience : kNap);
    return CountDown();
  }
  if (GoOnEarly()) return;
  if (clock_ != nullptr) return StandStillForEver();
  Sleep(options_.patience);
}

bool Drive::GoOnEarly() {
  if (!delays_.empty()) {
    EndDelay(0);
    return true;
  }
  for (int client = 0; client < crew_.size(); ++client) {
    if (!crew_.stopped(client)) continue;
    GoOn(client);
    return true;
  }
  return false;
}

void Drive::Progressed() {
  progressed_ = std::chrono::steady_clock::now();
  for (int client = 0; client < options_.clients; ++client) {
    notes_[static_cast<std::size_t>(client)].vain_since = gate_.executed(client);
  }
}

/// No progress for too long. By a virtual clock nobody is waited for.
bool Drive::StandsStill() const {
  return clock_ == nullptr && std::chrono::steady_clock::now() - progressed_ > options_.patience;
}

/// So many commands has everybody sent at least since anything changed.
std::uint64_t Drive::InVain() const {
  std::uint64_t least = UINT64_MAX;
  for (int client = 0; client < crew_.size(); ++client) {
    if (!crew_.alive(client)) continue;
    const Note& note = notes_[static_cast<std::size_t>(client)];
    least = std::min(least, gate_.executed(client) - note.vain_since);
  }
  return least;
}

bool Drive::Stuck() {
  bool somebody_holds = false;
  bool somebody_works = false;
  for (int client = 0; client < crew_.size(); ++client) {
    if (!crew_.alive(client)) continue;
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
    NobodyGotAny("termination", "tried on and on, and nobody was granted anything");
    return true;
  }
  if (run_.commands >= kMostCommands) {
    run_.inconclusive = fmt::format("no end after {} commands", kMostCommands);
    return true;
  }
  if (!StandsStill()) return false;
  if (!somebody_holds && !somebody_works && world_.NothingEnds()) {
    Deadlock("got no further");
    return true;
  }
  run_.inconclusive =
      fmt::format("nobody got any further for {} s", options_.patience / std::chrono::seconds(1));
  return true;
}

/// Commands go on, and may even change something. Where sections are told, they would be entered.
bool Drive::IsFruitless() {
  const std::uint64_t fruits = world_.fruits();
  if (std::exchange(fruits_, fruits) != fruits) fruit_at_ = run_.commands;
  return clock_ != nullptr && world_.sections().any() &&
         run_.commands - fruit_at_ >= kFruitlessCommands;
}

/// By the virtual clock nobody has anything to wait for. What is not seen (a timer of the kernel's)
/// gets a last chance.
void Drive::StandStillForEver() {
  const SteadyTime limit =
      std::chrono::steady_clock::now() + std::min(options_.patience, kLastChance);
  while (std::chrono::steady_clock::now() < limit && !*options_.stop) {
    world_.Poll(milliseconds(1));
    for (int client = 0; client < crew_.size(); ++client) {
      if (!crew_.alive(client)) continue;
      const bool moves = gate_.HasParked(client) || clock_->NextWakeUs(client).has_value() ||
                         crew_.process(client).ended();
      if (moves) return;
    }
  }
  over_ = true;
  for (int client = 0; client < crew_.size(); ++client) {
    const Note& note = notes_[static_cast<std::size_t>(client)];
    if (!crew_.alive(client) || (note.looked_at && !note.own_clock)) continue;
    run_.inconclusive = "a client neither sends anything nor waits for a time that is seen";
    return;
  }
  Deadlock("waited, and nothing was left to wait for");
}

void Drive::Deadlock(std::string_view what) { NobodyGotAny("deadlock", what); }

void Drive::NobodyGotAny(std::string_view slug, std::string_view what) {
  std::vector<int> waiting;
  for (int client = 0; client < crew_.size(); ++client) {
    if (crew_.alive(client)) waiting.push_back(client);
  }
  run_.findings.push_back(WaitingOf(slug, waiting, what, run_.faults, world_.rows().size()));
}

Result<DriveRun> RunClients(const DriveOptions& options, sim::Choices& choices) {
  std::unique_ptr<sim::machine::VirtualClock> clock;
  if (options.virtual_clock) {
    std::vector<std::uint64_t> entropy;
    for (int client = 0; client < options.clients; ++client) {
      entropy.push_back(sim::MixSeed(0, static_cast<std::uint64_t>(client)));
    }
    auto made = sim::machine::VirtualClock::Make(entropy);
    if (!made.ok()) return made.status();
    clock = *std::move(made);
  }
  return Drive(options, choices, clock.get()).Run();
}

}  // namespace interlock::scenarios::drive
