// SPDX-License-Identifier: MIT
//
// How time passes. By a virtual clock it goes from one moment at which somebody wakes up to the
// next, and costs none; by the machine's, sleepers are waited for.
#include <algorithm>
#include <chrono>

#include "scenarios/run/foreign/drive.h"

namespace interlock::scenarios::drive {
namespace {

using std::chrono::milliseconds;

/// Whoever asks so often in vain is waiting for a lease to end.
constexpr std::uint64_t kPatientEnough = 25;
constexpr std::int64_t kUsPerMs = 1'000;

}  // namespace

std::vector<bool> Drive::Only(int client) const {
  std::vector<bool> only(notes_.size(), false);
  only[static_cast<std::size_t>(client)] = true;
  return only;
}

/// Who cannot go on by itself: at the gate, without the reply that it has got, or stopped.
std::vector<bool> Drive::Kept() const {
  std::vector<bool> kept;
  for (int client = 0; client < crew_.size(); ++client) {
    kept.push_back(crew_.alive(client) &&
                   (crew_.stopped(client) || gate_.HasParked(client) || gate_.IsWithheld(client)));
  }
  return kept;
}

/// Time does not pass the end of what a kept client owns. By a virtual clock it does not pass the
/// time-out of a client that is ready to go on either: without a fault no message takes time.
std::int64_t Drive::LimitUs() const {
  std::int64_t limit_us = INT64_MAX;
  if (const auto end = holds_.NextEnd(Kept())) limit_us = end->ms * kUsPerMs - 1;
  if (clock_ == nullptr) return limit_us;
  for (const Parked& one : gate_.parked()) {
    if (crew_.stopped(one.client) || IsDelayed(one.connection)) continue;
    if (const auto wake_us = clock_->NextWakeUs(one.client)) {
      limit_us = std::min(limit_us, *wake_us - 1);
    }
  }
  return limit_us;
}

void Drive::AdvanceTo(std::int64_t unix_us) {
  if (world_.AdvanceTo(std::min(unix_us, LimitUs()))) Progressed();
}

/// The next moment at which somebody wakes up who may.
std::optional<std::int64_t> Drive::NextAlarmUs() const {
  std::int64_t next_us = gate_.NextTimerUs().value_or(INT64_MAX);
  for (int client = 0; client < crew_.size(); ++client) {
    if (!crew_.alive(client) || crew_.stopped(client)) continue;
    next_us = std::min(next_us, clock_->NextWakeUs(client).value_or(INT64_MAX));
  }
  // Who listens for what expires waits for that.
  if (next_us == INT64_MAX) {
    if (const auto end = holds_.NextEnd()) next_us = end->past_us();
  }
  if (next_us == INT64_MAX || next_us > LimitUs()) return std::nullopt;
  return next_us;
}

bool Drive::SomebodySleeps() const {
  if (clock_ != nullptr) return NextAlarmUs().has_value();
  for (int client = 0; client < crew_.size(); ++client) {
    if (crew_.alive(client) && !crew_.stopped(client) && !gate_.HasParked(client) &&
        !gate_.IsBlocked(client)) {
      return true;
    }
  }
  return false;
}

/// The next end is of what somebody dead owns, and nobody is at the gate: who waits for it need
/// not wait for long.
bool Drive::CanHurry() const {
  std::vector<bool> alive;
  for (int client = 0; client < crew_.size(); ++client) alive.push_back(crew_.alive(client));
  const auto next = holds_.NextEnd();
  const auto of_the_living = holds_.NextEnd(alive);
  if (!next || !gate_.parked().empty()) return false;
  // The machine's clock, by which a client goes, cannot be hurried.
  if (next->by_value && clock_ == nullptr) return false;
  return !of_the_living || next->ms < of_the_living->ms;
}

/// Lets sleepers sleep, until one of them may do something.
void Drive::Sleep(Duration at_most) {
  if (clock_ == nullptr) return SleepByMachine(at_most);
  const auto alarm_us = NextAlarmUs();
  if (!alarm_us) return;
  AdvanceTo(*alarm_us);
  if (InVain() >= kPatientEnough && CanHurry()) {
    AdvanceTo(std::max(gate_.time_us(), holds_.NextEnd()->past_us()));
  }
}

/// The servers' clock goes along.
void Drive::SleepByMachine(Duration at_most) {
  const SteadyTime begin = std::chrono::steady_clock::now();
  const std::size_t parked = gate_.parked().size();
  const std::int64_t begin_us = gate_.time_us();
  for (;;) {
    world_.Poll(milliseconds(1));
    const auto passed = std::chrono::steady_clock::now() - begin;
    AdvanceTo(begin_us + std::chrono::duration_cast<std::chrono::microseconds>(passed).count());
    if (CanHurry()) AdvanceTo(holds_.NextEnd()->past_us());
    if (gate_.parked().size() != parked || passed >= at_most || *options_.stop) return;
    for (int client = 0; client < crew_.size(); ++client) {
      if (crew_.alive(client) && crew_.process(client).ended()) return;
    }
    if (parked == 0 && StandsStill()) return;
  }
}

}  // namespace interlock::scenarios::drive
