// SPDX-License-Identifier: MIT
#include "scenarios/run/forced/real_pace.h"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <string>

#include "sim/world.h"

namespace interlock::scenarios::real {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;

constexpr std::int64_t kSecondUs = 1'000'000;
constexpr Duration kPatience = std::chrono::seconds(2);
/// Pause between two looks at what a server does.
constexpr Duration kPollPause = microseconds(200);

std::int64_t Us(Duration time) { return std::chrono::duration_cast<microseconds>(time).count(); }

Result<std::int64_t> ClockOf(sim::machine::Admin& admin) {
  const Result<Reply> time = admin.Call({"TIME"});
  if (!time.ok()) return time.status();
  std::int64_t parts[2] = {};
  for (std::size_t i = 0; i < 2 && i < time->elements.size(); ++i) {
    const std::string& text = time->elements[i].text;
    std::from_chars(text.data(), text.data() + text.size(), parts[i]);
  }
  return parts[0] * kSecondUs + parts[1];
}

}  // namespace

std::int64_t RealPace::SimulatedUs(Duration now) {
  return sim::WorldOptions().server_epoch_us + Us(now);
}

Status RealPace::Begin(sim::machine::Admin& clock, Duration now) {
  for (int reading = 0; reading < 2; ++reading) {
    const Result<std::int64_t> shown = ClockOf(clock);
    if (!shown.ok()) return shown.status();
    began_ = runtime_.Now();
    began_us_ = *shown;
    const std::int64_t ahead = (SimulatedUs(now) - *shown) % kSecondUs;
    const auto rest = microseconds((ahead + kSecondUs) % kSecondUs);
    if (reading == 0) runtime_.NewEvent()->WaitUntil(AddSaturating(runtime_.Now(), rest));
  }
  late_ = -Scaled(now);
  return Status();
}

TwoClocks RealPace::WaitFor(Duration now) {
  const MonotonicTime due = AddSaturating(*began_, Scaled(now) + late_);
  while (!stop_ && runtime_.Now() < due) {
    const MonotonicTime soon = AddSaturating(runtime_.Now(), milliseconds(100));
    runtime_.NewEvent()->WaitUntil(std::min(due, soon));
  }
  const Duration passed = runtime_.Now() - *began_;
  late_ = std::max(late_, passed - Scaled(now));
  return {SimulatedUs(now), began_us_ + Us(passed)};
}

Duration RealPace::Late(Duration now) const {
  return began_ ? std::max(late_, runtime_.Now() - *began_ - Scaled(now)) : late_;
}

bool RealPace::Until(const std::function<bool()>& done) const {
  const MonotonicTime limit = Patience();
  while (!done()) {
    if (stop_ || runtime_.Now() >= limit) return false;
    runtime_.NewEvent()->WaitUntil(AddSaturating(runtime_.Now(), kPollPause));
  }
  return true;
}

MonotonicTime RealPace::Patience() const { return AddSaturating(runtime_.Now(), kPatience); }

}  // namespace interlock::scenarios::real
