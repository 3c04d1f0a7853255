// SPDX-License-Identifier: MIT
#include "sim/machine/heartbeat.h"

#include <charconv>
#include <chrono>
#include <utility>

#include <fmt/format.h>

namespace interlock::sim::machine {
namespace {

using std::chrono::milliseconds;

/// Shorter standstills are within the time that the oracles allow clients to settle.
constexpr Duration kStandstill = milliseconds(500);
/// More than a slewed clock gains in a run, less than could void a promise unnoticed.
constexpr Duration kClockStep = milliseconds(10);

std::int64_t Number(const Reply& reply) {
  std::int64_t value = 0;
  std::from_chars(reply.text.data(), reply.text.data() + reply.text.size(), value);
  return value;
}

std::int64_t InMs(Duration duration) {
  return std::chrono::duration_cast<milliseconds>(duration).count();
}

}  // namespace

Heartbeat::Heartbeat(Runtime& runtime, Admin admin)
    : runtime_(runtime), admin_(std::move(admin)), last_(runtime.Now()) {}

void Heartbeat::Beat() {
  if (!broken_.empty()) return;
  const MonotonicTime sent = runtime_.Now();
  const Result<Reply> time = admin_.Call({"TIME"});
  const MonotonicTime received = runtime_.Now();
  if (!time.ok()) {
    broken_ = "the server was lost on the way: " + time.status().message();
    return;
  }
  Note(received - last_);
  last_ = received;
  CompareClocks(*time, sent, received);
}

void Heartbeat::Waited(Duration took) { Note(took); }

void Heartbeat::Resume(Admin admin) {
  admin_ = std::move(admin);
  last_ = runtime_.Now();
  Beat();
}

void Heartbeat::Note(Duration stood_still) {
  if (stood_still <= kStandstill || !disturbed_.empty()) return;
  disturbed_ = fmt::format("machine or server stood still for {} ms", InMs(stood_still));
}

void Heartbeat::CompareClocks(const Reply& time, MonotonicTime sent, MonotonicTime received) {
  if (time.elements.size() != 2) return;
  const Duration theirs = std::chrono::seconds(Number(time.elements[0])) +
                          std::chrono::microseconds(Number(time.elements[1]));
  const Duration uncertain = received - sent;
  const Duration ahead = theirs - sent.time_since_epoch();
  if (!ahead_.has_value()) {
    ahead_ = ahead;
    uncertain_ = uncertain;
  }
  const Duration moved = ahead > *ahead_ ? ahead - *ahead_ : *ahead_ - ahead;
  if (moved > kClockStep + uncertain + uncertain_) {
    broken_ = fmt::format("the server's clock was set by about {} ms", InMs(moved));
  }
}

}  // namespace interlock::sim::machine
