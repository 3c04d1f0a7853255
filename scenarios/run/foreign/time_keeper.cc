// SPDX-License-Identifier: MIT
#include "scenarios/run/foreign/time_keeper.h"

#include <algorithm>
#include <chrono>

namespace interlock::scenarios::drive {
namespace {

using std::chrono::milliseconds;

/// A client that asks this often in vain is waiting for a lease to end.
constexpr std::uint64_t kPatientEnough = 25;
constexpr std::int64_t kUsPerMs = 1'000;
/// A client that sends this much while time stands still because of it is not kept from anything.
constexpr std::uint64_t kGoesOn = 50;

}  // namespace

/// The clients that cannot go on by themselves: at the gate, with their reply withheld, or stopped.
std::vector<bool> TimeKeeper::Kept() const {
  std::vector<bool> kept;
  for (int client = 0; client < state_.crew.size(); ++client) {
    const bool at_the_gate = state_.gate.HasParked(client) || state_.gate.IsWithheld(client);
    kept.push_back(state_.crew.alive(client) &&
                   (state_.crew.stopped(client) || (at_the_gate && !GoesOn(client))));
  }
  return kept;
}

/// Whether it sends on and on, and nothing of it has been overtaken. If orders are searched,
/// commands take no time, and say nothing.
bool TimeKeeper::GoesOn(int client) const {
  if (state_.options.orders || state_.world.SentAtThisTime(client) < kGoesOn) return false;
  return std::ranges::none_of(state_.gate.parked(), [&](const Parked& one) {
    return one.client == client && one.after < state_.gate.executed(client);
  });
}

bool TimeKeeper::AnyKept() const { return std::ranges::count(Kept(), true) > 0; }

/// The limit that time must not pass: the end of what a kept client owns and, under a virtual
/// clock, the time-out of a client that is ready to go on, because without a fault no message takes
/// time.
std::int64_t TimeKeeper::LimitUs() const {
  std::int64_t limit_us = INT64_MAX;
  if (const auto end = state_.holds.NextEnd(Kept())) limit_us = end->ms * kUsPerMs - 1;
  if (state_.clock == nullptr) return limit_us;
  for (const Parked& one : state_.gate.parked()) {
    if (state_.crew.stopped(one.client) || state_.IsDelayed(one.connection)) continue;
    if (GoesOn(one.client)) continue;
    if (const auto wake_us = state_.clock->NextWakeUs(one.client)) {
      limit_us = std::min(limit_us, *wake_us - 1);
    }
  }
  return limit_us;
}

void TimeKeeper::AdvanceTo(std::int64_t unix_us) {
  if (state_.world.AdvanceTo(std::min(unix_us, LimitUs()))) state_.Progressed();
}

/// The next instant at which somebody wakes up who is allowed to.
std::optional<std::int64_t> TimeKeeper::NextAlarmUs() const {
  std::int64_t next_us = state_.gate.NextTimerUs().value_or(INT64_MAX);
  bool somebody_listens = false;
  for (int client = 0; client < state_.crew.size(); ++client) {
    if (!state_.crew.alive(client) || state_.crew.stopped(client)) continue;
    next_us = std::min(next_us, state_.clock->NextWakeUs(client).value_or(INT64_MAX));
    somebody_listens = somebody_listens || state_.gate.IsSubscribed(client);
  }
  // Who listens may wait for an expiry, which a server tells soon after it.
  if (next_us == INT64_MAX || somebody_listens) {
    if (const auto end = state_.holds.NextEnd()) next_us = std::min(next_us, end->past_us());
  }
  if (next_us == INT64_MAX || next_us > LimitUs()) return std::nullopt;
  return next_us;
}

bool TimeKeeper::SomebodySleeps() const {
  if (state_.clock != nullptr) return NextAlarmUs().has_value();
  for (int client = 0; client < state_.crew.size(); ++client) {
    if (state_.crew.alive(client) && !state_.crew.stopped(client) &&
        !state_.gate.HasParked(client) && !state_.gate.IsBlocked(client)) {
      return true;
    }
  }
  return false;
}

bool TimeKeeper::SomebodyWakesInTime() const {
  if (state_.clock == nullptr) return SomebodySleeps();
  const auto alarm_us = NextAlarmUs();
  const auto left = state_.options.bounds.virtual_time - state_.world.now();
  return alarm_us && std::chrono::microseconds(*alarm_us - state_.gate.time_us()) < left;
}

/// Whether the next end is that of something a dead client owns, and nobody is at the gate: its
/// waiters need not wait for long.
bool TimeKeeper::CanHurry() const {
  std::vector<bool> alive;
  for (int client = 0; client < state_.crew.size(); ++client)
    alive.push_back(state_.crew.alive(client));
  const auto next = state_.holds.NextEnd();
  const auto of_the_living = state_.holds.NextEnd(alive);
  if (!next || !state_.gate.parked().empty()) return false;
  // A client that goes by the machine's clock cannot be hurried.
  if (next->by_value && state_.clock == nullptr) return false;
  return !of_the_living || next->ms < of_the_living->ms;
}

void TimeKeeper::Sleep(Duration at_most) {
  if (state_.clock == nullptr) return SleepByMachine(at_most);
  const auto alarm_us = NextAlarmUs();
  if (!alarm_us) return;
  // Asked before anybody is woken: who is awake looks like one that waits for nothing, or not yet.
  const bool hurries = end_.InVain() >= kPatientEnough && CanHurry();
  AdvanceTo(*alarm_us);
  const auto end = state_.holds.NextEnd();
  if (hurries && end) AdvanceTo(std::max(state_.gate.time_us(), end->past_us()));
}

/// Sleeps by the machine's clock, which the servers' clock follows.
void TimeKeeper::SleepByMachine(Duration at_most) {
  const SteadyTime begin = std::chrono::steady_clock::now();
  const std::size_t parked = state_.gate.parked().size();
  const std::int64_t begin_us = state_.gate.time_us();
  for (;;) {
    state_.world.Poll(milliseconds(1));
    const auto passed = std::chrono::steady_clock::now() - begin;
    AdvanceTo(begin_us + std::chrono::duration_cast<std::chrono::microseconds>(passed).count());
    if (CanHurry()) AdvanceTo(state_.holds.NextEnd()->past_us());
    if (state_.gate.parked().size() != parked || passed >= at_most || *state_.options.stop) return;
    for (int client = 0; client < state_.crew.size(); ++client) {
      if (state_.crew.alive(client) && state_.crew.process(client).ended()) return;
    }
    if (parked == 0 && end_.StandsStill()) return;
  }
}

}  // namespace interlock::scenarios::drive
