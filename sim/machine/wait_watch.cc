// SPDX-License-Identifier: MIT
#include "sim/machine/wait_watch.h"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <ctime>
#include <utility>

namespace interlock::sim::machine {
namespace {

/// What is sent over the loopback arrives within microseconds, even on a busy machine.
constexpr auto kOnItsWay = std::chrono::milliseconds(1);

bool Waits(std::uint32_t word) {
  return PhaseOf(word) == WaitPhase::kWaits || PhaseOf(word) == WaitPhase::kSleeps;
}

}  // namespace

void WaitWatch::BeginGift() {
  const std::uint32_t word = word_.word;
  was_still_ = !piled_up_ && Waits(word) && NumberOf(word) > floor_;
  if (was_still_) floor_ = NumberOf(word);
}

void WaitWatch::EndGift() {
  if (std::exchange(was_still_, false)) return;
  floor_ = NumberOf(word_.word);
  piled_up_ = true;
}

void WaitWatch::Read() { read_ = word_.word; }

WaitWatch::Look WaitWatch::LookAt(pid_t process, bool sent) {
  // In this order: a word of another process was written after its number.
  const std::uint32_t word = word_.word;
  const WaitPhase phase = PhaseOf(word);
  if (word_.process != process || phase == WaitPhase::kHidden) return Look::kUnknown;
  if (phase == WaitPhase::kEnds) return Look::kEnds;
  if (!Waits(word) || word != read_ || NumberOf(word) <= floor_) return Look::kBusy;
  if (piled_up_ || (phase == WaitPhase::kWaits && !sent)) {
    const auto now = std::chrono::steady_clock::now();
    if (std::exchange(seen_, word) != word) seen_at_ = now;
    if (now - seen_at_ < kOnItsWay) return Look::kSeemsStill;
    piled_up_ = false;
  }
  return Look::kStill;
}

void WaitWatch::TakeAsStill() {
  const std::uint32_t word = word_.word;
  if (Waits(word) && NumberOf(word) == floor_) --floor_;
  piled_up_ = false;
}

void WaitWatch::Await(Duration at_most) {
  const auto ns = std::chrono::duration_cast<std::chrono::nanoseconds>(at_most).count();
  constexpr std::int64_t kSecondNs = 1'000'000'000;
  const timespec length{ns / kSecondNs, ns % kSecondNs};
  word_.watched = 1;
  const std::uint32_t word = word_.word;
  const bool news = PhaseOf(word) >= WaitPhase::kWaits && NumberOf(word) > floor_;
  if (!news) syscall(SYS_futex, &word_.word, FUTEX_WAIT, word, &length);
  word_.watched = 0;
}

}  // namespace interlock::sim::machine
