// SPDX-License-Identifier: MIT
#include "scenarios/run/foreign/drive_run.h"

#include <algorithm>
#include <chrono>
#include <memory>
#include <tuple>
#include <utility>

#include "scenarios/run/foreign/drive_state.h"
#include "scenarios/run/foreign/end_of_run.h"
#include "scenarios/run/foreign/fault_injector.h"
#include "scenarios/run/foreign/ordered_steps.h"
#include "scenarios/run/foreign/templates.h"
#include "scenarios/run/foreign/time_keeper.h"
#include "sim/machine/virtual_clock.h"
#include "sim/redis/text.h"

namespace interlock::scenarios::drive {
namespace {

using sim::Candidate;
using std::chrono::milliseconds;

/// The most choices in a row that may pass over a client that is ready.
constexpr std::uint32_t kMostPassedOver = 30;
constexpr std::size_t kLastWords = 2'000;  // bytes
/// While a client waits at the gate, sleepers are given this much of the machine's time at once.
constexpr Duration kNap = milliseconds(200);
constexpr std::int64_t kSpinUs = 1'000;
/// A client that runs for the second half of the patience spins if it used at least this fraction
/// (one in kBusyShare) of that half as processor time; if not, the machine may just be busy with
/// other things.
constexpr int kBusyShare = 4;
constexpr int kMostExtended = 10;
/// The machine's time that a client without anything to wait for has to end.
constexpr Duration kLastMoment = milliseconds(500);

std::uint64_t HashOf(std::string_view text) {
  std::uint64_t hash = 0;
  for (const char letter : text) hash = sim::MixSeed(hash, static_cast<unsigned char>(letter));
  return hash;
}

/// Or ends a subscription.
bool Subscribes(const sim::redis::Argv& argv) {
  return sim::redis::ToLower(argv.front()).ends_with("subscribe");
}

/// The loop: once everybody stands still, one client goes on, until all have ended.
class Drive {
 public:
  explicit Drive(DriveState& state) : state_(state) {}

  Result<DriveRun> Run();

 private:
  bool Settle();
  bool NobodyConnects() const;
  bool LookAtAll();
  Duration WorkOf(int client);
  bool NoteSpinners(const std::vector<Duration>& worked);
  void Disturb();
  void Over(int client);
  void Step();
  bool StepInOrder();
  bool SomebodyMoves();
  bool IsIdle(int client) const;
  std::vector<Parked> Ready() const;
  void LookAtClocks(const std::vector<Parked>& ready);
  std::optional<std::size_t> Starving(const std::vector<Parked>& ready) const;
  void WaitForSomebody();
  void Finish();

  DriveState& state_;
  EndOfRun end_{state_};
  TimeKeeper time_{state_, end_};
  FaultInjector faults_{state_, time_};
  OrderedSteps ordered_{state_, time_, faults_};
  std::vector<bool> waited_for_;  // by client: in vain, since its last command
};

Result<DriveRun> Drive::Run() {
  if (Status opened = state_.gate.Open(); !opened.ok()) return opened;
  faults_.Begin();
  if (Status started = state_.crew.Start(); !started.ok()) return started;
  state_.began = std::chrono::steady_clock::now();
  state_.Progressed();
  for (;;) {
    const bool goes_on = !*state_.options.stop && Settle();
    if (state_.crew.CountAlive() == 0) state_.world.AllEnded();
    state_.world.TakeFindings(state_.run);
    if (!goes_on || end_.Reached()) break;
    if (!state_.options.orders) {
      Step();
    } else if (!StepInOrder()) {
      break;
    }
  }
  Finish();
  return std::move(state_.run);
}

void Drive::Finish() {
  if (*state_.options.stop) state_.run.stopped = end_.Standing();
  state_.crew.KillAll();
  state_.run.most_owners = state_.holds.most_owners();
  state_.run.kept_out = state_.holds.kept_out();
  state_.run.most_entrants = state_.world.sections().most_entrants();
  state_.run.entered_twice = state_.world.sections().entered_twice();
  state_.run.has_sections = state_.world.sections().any();
  state_.run.has_writes = state_.world.fencing().any();
  state_.run.fenced = state_.world.fencing().compared();
  state_.run.outlasted = state_.world.renewals().outlasted();
  state_.run.refused = state_.world.SomebodyWasRefused();
  state_.run.virtual_time = state_.world.now();
  state_.run.real_time = std::chrono::steady_clock::now() - state_.began;
  state_.run.events = state_.world.TakeEvents();
  state_.run.copied = state_.crew.copied();
  for (int client = 0; client < state_.options.clients; ++client) {
    if (!state_.gate.has_connected(client)) ++state_.run.never_connected;
    if (state_.note(client).own_clock) ++state_.run.own_clocks;
    state_.run.ready_after.push_back(state_.gate.ready_after(client));
  }
}

/// Waits until everybody stands still, or spins. Returns false if all have ended, or if one does
/// neither.
bool Drive::Settle() {
  const Duration half = state_.options.patience / 2;
  SteadyTime limit = std::chrono::steady_clock::now() + half;
  std::vector<Duration> worked;  // by client, in the middle of the patience
  int extended = 0;
  SteadyTime heard = std::chrono::steady_clock::now();
  for (;;) {
    Disturb();
    state_.crew.Read();
    if (state_.world.Poll(Duration{})) heard = std::chrono::steady_clock::now();
    const bool all = LookAtAll();
    if (state_.crew.CountAlive() == 0 || *state_.options.stop) return false;
    if (NobodyConnects()) {
      state_.run.inconclusive = "no client has connected";
      return false;
    }
    // What a client sent between the look at the gate and that at the client is there by now.
    if (all && !state_.world.Poll(Duration{})) return true;
    if (all) heard = std::chrono::steady_clock::now();
    if (std::chrono::steady_clock::now() > limit) {
      limit = std::chrono::steady_clock::now() + half;
      if (worked.empty()) {
        for (int client = 0; client < state_.crew.size(); ++client)
          worked.push_back(WorkOf(client));
      } else if (!NoteSpinners(worked) && ++extended > kMostExtended) {
        state_.run.inconclusive = "a client neither sleeps nor sends anything";
        return false;
      }
    }
    const Duration quiet = std::chrono::steady_clock::now() - heard;
    const Duration pause = all ? Duration{} : state_.crew.AwaitOne(quiet);
    Disturb();
    if (pause.count() > 0 && state_.world.Poll(pause)) heard = std::chrono::steady_clock::now();
  }
}

/// Whether none has ever connected, although the patience is over.
bool Drive::NobodyConnects() const {
  for (int client = 0; client < state_.options.clients; ++client) {
    if (state_.gate.has_connected(client)) return false;
  }
  return std::chrono::steady_clock::now() - state_.began > state_.options.patience;
}

/// Takes note of clients that have ended. Returns whether all others stand still.
bool Drive::LookAtAll() {
  bool all = true;
  for (int client = 0; client < state_.crew.size(); ++client) {
    if (!state_.crew.alive(client)) continue;
    if (state_.crew.HasEnded(client)) {
      Over(client);
      continue;
    }
    bool& spins = state_.note(client).spins;
    spins = spins && !state_.gate.HasParked(client);
    const bool still = spins || state_.crew.IsStill(client);
    const bool asks_for_time = state_.clock != nullptr && state_.clock->Spins(client);
    if ((!still || spins) && asks_for_time) time_.AdvanceTo(state_.gate.time_us() + kSpinUs);
    all = still && all;
  }
  return all;
}

Duration Drive::WorkOf(int client) {
  return state_.crew.alive(client) ? state_.crew.process(client).ProcessorTime() : Duration{};
}

/// Notes the clients that spin, without which the others go on. Returns false if nobody spins.
bool Drive::NoteSpinners(const std::vector<Duration>& worked) {
  bool any = false;
  for (int client = 0; client < state_.crew.size(); ++client) {
    if (!state_.crew.alive(client) || state_.crew.IsStill(client)) continue;
    const Duration work = WorkOf(client) - worked[static_cast<std::size_t>(client)];
    if (work < state_.options.patience / 2 / kBusyShare) continue;
    state_.note(client).spins = true;
    any = true;
  }
  return any;
}

/// Marks the clients that were touched or woken, before anything is read that shows their reaction.
void Drive::Disturb() {
  for (const int client : state_.gate.TakeTouched()) state_.crew.Disturb(client);
  if (state_.clock == nullptr) return;
  for (const int client : state_.clock->TakeWoken()) state_.crew.Disturb(client);
}

void Drive::Over(int client) {
  const int code = state_.crew.process(client).exit_code();
  state_.run.ends.push_back(
      {client, code,
       code == 0 ? std::string() : state_.crew.process(client).OutputTail(kLastWords)});
  state_.world.Log(client, EventKind::kEnded, EndDetails{.exit_code = code});
  state_.world.Ended(client, false);
  state_.gate.Drop(client);
  state_.Progressed();
}

std::vector<Parked> Drive::Ready() const {
  std::vector<Parked> ready;
  for (const Parked& one : state_.gate.parked()) {
    if (!state_.crew.stopped(one.client) && !state_.IsDelayed(one.connection)) ready.push_back(one);
  }
  // What was sent first comes first, so that no connection of a client waits for ever. What one
  // thread has sent over several connections comes in that order; of several threads
  // nobody knows it, and the order of connections is the same in each run. Only a subscription is
  // usually sent by a thread that sends more before it has an answer.
  std::ranges::stable_sort(ready, {}, [this](const Parked& one) {
    return std::tuple(one.client, one.after, !Subscribes(*one.argv),
                      state_.crew.HasOneThread(one.client) ? one.arrival : 0);
  });
  // The client that went last comes first, which is the calm choice.
  std::stable_partition(ready.begin(), ready.end(),
                        [this](const Parked& one) { return one.client == faults_.last(); });
  return ready;
}

/// Looks at each client's clock once, when it has a command: its process is then what it is to be.
void Drive::LookAtClocks(const std::vector<Parked>& ready) {
  for (const Parked& one : ready) {
    ClientNote& note = state_.note(one.client);
    if (state_.clock == nullptr || std::exchange(note.looked_at, true)) continue;
    note.own_clock =
        !state_.crew.ShowsClock(one.client) &&
        !state_.crew.process(one.client).HasMapped(sim::machine::VirtualClock::kLibrary);
  }
}

void Drive::Step() {
  const std::vector<Parked> ready = Ready();
  if (ready.empty()) return WaitForSomebody();
  LookAtClocks(ready);
  std::vector<Candidate> candidates;
  for (const Parked& one : ready) {
    const std::string& key = one.argv->size() > 1 ? (*one.argv)[1] : one.argv->front();
    // This number is the same in each run, whichever client connects first.
    const auto task = static_cast<std::uint32_t>(state_.options.clients) *
                          static_cast<std::uint32_t>(one.of_client) +
                      static_cast<std::uint32_t>(one.client);
    candidates.push_back({one.client, task, HashOf(one.argv->front()), HashOf(key)});
  }
  if (time_.SomebodyWakesInTime()) candidates.push_back({state_.options.clients, 0, 0, 0});
  const std::size_t pick = Starving(ready).value_or(state_.choices.PickTask(candidates));
  if (pick >= ready.size()) return time_.Sleep(kNap);
  for (const Parked& one : ready) ++state_.note(one.client).passed_over;
  state_.note(ready[pick].client).passed_over = 0;
  const Parked picked = ready[pick];
  faults_.CountDown();
  faults_.Execute(picked);
}

/// Whether it waits for nothing that is seen.
bool Drive::IsIdle(int client) const {
  return !state_.gate.HasParked(client) && !state_.gate.IsWithheld(client) &&
         !state_.gate.IsBlocked(client) && !state_.gate.IsSubscribed(client) &&
         !state_.note(client).spins && !state_.clock->NextWakeUs(client);
}

/// A process that is about to end may look still. It is waited for, because the others' steps are
/// to be the same in each run that makes the same choices.
bool Drive::SomebodyMoves() {
  waited_for_.resize(static_cast<std::size_t>(state_.crew.size()));
  for (int client = 0; client < state_.crew.size(); ++client) {
    const auto at = static_cast<std::size_t>(client);
    if (state_.clock == nullptr || waited_for_[at] || !state_.crew.alive(client)) continue;
    const SteadyTime limit = std::chrono::steady_clock::now() + kLastMoment;
    while (IsIdle(client) && !*state_.options.stop) {
      if (state_.crew.process(client).ended()) return true;
      waited_for_[at] = std::chrono::steady_clock::now() > limit;
      if (waited_for_[at]) break;
      state_.world.Poll(milliseconds(1));
      if (!IsIdle(client)) return true;
    }
  }
  return false;
}

/// The same if each step is one choice. Returns false if the run need not go on.
bool Drive::StepInOrder() {
  if (SomebodyMoves()) return true;
  const std::vector<Parked> ready = Ready();
  if (!ready.empty()) {
    LookAtClocks(ready);
    for (const Parked& one : ready) waited_for_[static_cast<std::size_t>(one.client)] = false;
    return ordered_.Step(ready);
  }
  ordered_.Wait();
  WaitForSomebody();
  return true;
}

/// The client whose turn it is whatever a strategy wants, because time stands still for a holder
/// that is kept back.
std::optional<std::size_t> Drive::Starving(const std::vector<Parked>& ready) const {
  for (std::size_t i = 0; i < ready.size(); ++i) {
    const ClientNote& note = state_.note(ready[i].client);
    if (note.passed_over >= kMostPassedOver) return i;
  }
  return std::nullopt;
}

/// Called when nobody is ready. A stopped client stays stopped, and a delayed message delayed, as
/// long as others have something to wake up for within the run.
void Drive::WaitForSomebody() {
  if (!time_.SomebodyWakesInTime() && faults_.GoOnEarly()) return;
  if (time_.SomebodySleeps()) {
    const bool alone = state_.delays.empty() && !time_.AnyKept();
    time_.Sleep(alone ? state_.options.patience : kNap);
    return faults_.CountDown();
  }
  if (state_.clock != nullptr) return end_.StandStillForEver();
  time_.Sleep(state_.options.patience);
}

}  // namespace

Result<DriveRun> RunClients(const DriveOptions& options, sim::Choices& choices) {
  std::unique_ptr<sim::machine::VirtualClock> clock;
  if (options.virtual_clock) {
    auto made = MakeClocks(options.clients);
    if (!made.ok()) return made.status();
    clock = *std::move(made);
  }
  DriveState state(options, choices, clock.get());
  return Drive(state).Run();
}

}  // namespace interlock::scenarios::drive
