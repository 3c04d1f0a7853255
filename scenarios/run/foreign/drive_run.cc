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

/// Choices that may leave somebody out who is ready.
constexpr std::uint32_t kMostPassedOver = 30;
constexpr std::size_t kLastWords = 2'000;  // bytes
/// While somebody waits at the gate, sleepers are given so much of the machine's time at once.
constexpr Duration kNap = milliseconds(200);
constexpr std::int64_t kSpinUs = 1'000;
/// A client that runs for the second half of the patience spins if it has had this share of that
/// half of the processor; if not, the machine may just be busy with other things.
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
  budget_.DrawSwarm(choices_);
  // Before they can look at it.
  if (const auto client = budget_.DrawClockAtStart(choices_, options_.clients)) {
    ShiftClock(*client, "its start");
  }
  if (Status started = crew_.Start(); !started.ok()) return started;
  began_ = std::chrono::steady_clock::now();
  Progressed();
  for (;;) {
    const bool goes_on = !*options_.stop && Settle();
    if (crew_.CountAlive() == 0) world_.AllEnded();
    world_.TakeFindings(run_);
    if (!goes_on || Stuck() || over_) break;
    Step();
  }
  Finish();
  return std::move(run_);
}

void Drive::Finish() {
  if (*options_.stop) run_.stopped = Standing();
  crew_.KillAll();
  run_.most_owners = holds_.most_owners();
  run_.most_entrants = world_.sections().most_entrants();
  run_.has_sections = world_.sections().any();
  run_.refused = world_.SomebodyWasRefused();
  run_.virtual_time = world_.now();
  run_.real_time = std::chrono::steady_clock::now() - began_;
  run_.rows = world_.rows();
  for (int client = 0; client < options_.clients; ++client) {
    if (!gate_.has_connected(client)) ++run_.never_connected;
    if (notes_[static_cast<std::size_t>(client)].own_clock) ++run_.own_clocks;
  }
}

/// Until everybody stands still, or spins; false: all have ended, or one does neither.
bool Drive::Settle() {
  const Duration half = options_.patience / 2;
  SteadyTime limit = std::chrono::steady_clock::now() + half;
  std::vector<Duration> worked;  // by client, in the middle of the patience
  int extended = 0;
  for (;;) {
    Disturb();
    world_.Poll(Duration{});
    const bool all = LookAtAll();
    if (crew_.CountAlive() == 0 || *options_.stop) return false;
    if (all) return true;
    if (std::chrono::steady_clock::now() > limit) {
      limit = std::chrono::steady_clock::now() + half;
      if (worked.empty()) {
        for (int client = 0; client < crew_.size(); ++client) worked.push_back(WorkOf(client));
      } else if (!NoteSpinners(worked) && ++extended > kMostExtended) {
        run_.inconclusive = "a client neither sleeps nor sends anything";
        return false;
      }
    }
    world_.Poll(crew_.pause());
  }
}

/// Takes note of those that have ended; true: all others stand still.
bool Drive::LookAtAll() {
  bool all = true;
  for (int client = 0; client < crew_.size(); ++client) {
    if (!crew_.alive(client)) continue;
    if (crew_.HasEnded(client)) {
      Over(client);
      continue;
    }
    bool& spins = notes_[static_cast<std::size_t>(client)].spins;
    spins = spins && !gate_.HasParked(client);
    const bool still = spins || crew_.IsStill(client);
    const bool asks_for_time = clock_ != nullptr && clock_->Spins(client);
    if ((!still || spins) && asks_for_time) AdvanceTo(gate_.time_us() + kSpinUs);
    all = still && all;
  }
  return all;
}

Duration Drive::WorkOf(int client) {
  return crew_.alive(client) ? crew_.process(client).ProcessorTime() : Duration{};
}

/// The others go on without them. False: nobody spins.
bool Drive::NoteSpinners(const std::vector<Duration>& worked) {
  bool any = false;
  for (int client = 0; client < crew_.size(); ++client) {
    if (!crew_.alive(client) || crew_.IsStill(client)) continue;
    const Duration work = WorkOf(client) - worked[static_cast<std::size_t>(client)];
    if (work < options_.patience / 2 / kBusyShare) continue;
    notes_[static_cast<std::size_t>(client)].spins = true;
    any = true;
  }
  return any;
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
