// SPDX-License-Identifier: MIT
#include "scenarios/search/shrink/passes.h"

#include <cstdint>

namespace interlock::scenarios {
namespace {

constexpr auto kSchedule = static_cast<std::size_t>(sim::Lane::kSchedule);
constexpr std::uint32_t kScheduleProbe = 96;  // first choices at which a single switch is tried

}  // namespace

std::size_t SwitchesIn(const sim::Tape& tape) {
  const auto& choices = tape.lanes[kSchedule];
  return choices.size() - static_cast<std::size_t>(std::ranges::count(choices, 0U));
}

void TapePasses::Cut() {
  if (Try({})) return;
  for (std::size_t lane = 0; lane < sim::kLanes; ++lane) {
    std::size_t needed = 0;
    while (needed < tape_.lanes[lane].size() && !ended_()) {
      const std::size_t middle = needed + (tape_.lanes[lane].size() - needed) / 2;
      sim::Tape shorter = tape_;
      shorter.lanes[lane].resize(middle);
      if (!Try(shorter)) needed = middle + 1;
    }
  }
}

bool TapePasses::Calm() {
  if (tape_.size() == 0) return false;
  if (Try({})) return true;
  bool smaller = false;
  for (std::size_t lane = 0; lane < sim::kLanes; ++lane) {
    for (std::size_t piece = std::max<std::size_t>(tape_.lanes[lane].size(), 1); piece > 0;
         piece /= 2) {
      for (std::size_t from = 0; from < tape_.lanes[lane].size(); from += piece) {
        smaller = CalmPiece(lane, from, piece) || smaller;
      }
    }
    for (std::size_t i = 0; i < tape_.lanes[lane].size() && !ended_(); ++i) {
      if (tape_.lanes[lane][i] < 2) continue;
      sim::Tape lower = tape_;
      lower.lanes[lane][i] = 1;
      smaller = Try(lower) || smaller;
    }
  }
  return smaller;
}

bool TapePasses::CalmPiece(std::size_t lane, std::size_t from, std::size_t piece) {
  if (ended_()) return false;
  sim::Tape calmer = tape_;
  auto& values = calmer.lanes[lane];
  const auto first = values.begin() + static_cast<std::ptrdiff_t>(from);
  const auto last =
      values.begin() + static_cast<std::ptrdiff_t>(std::min(values.size(), from + piece));
  if (std::all_of(first, last, [](std::uint32_t value) { return value == 0; })) return false;
  std::fill(first, last, 0U);
  return Try(calmer);
}

bool TapePasses::FewerSwitches() {
  if (SwitchesIn(tape_) < 2) return false;
  for (std::uint32_t at = 0; at < kScheduleProbe && !ended_(); ++at) {
    for (const std::uint32_t pick : {1U, 2U}) {
      sim::Tape tape;
      tape.lanes[kSchedule].assign(at + 1, 0);
      tape.lanes[kSchedule].back() = pick;
      if (Try(tape)) return true;
    }
  }
  return false;
}

bool SimplerLength(const Knob& knob, const Workload& now,
                   const std::function<bool(const Workload&)>& try_one,
                   const std::function<bool()>& ended) {
  for (const Duration value : knob.canonical) {
    if (value == knob.Read(now) || ended()) return false;
    if (try_one(knob.Set(now, value))) return true;
  }
  return false;
}

bool EarlierFault(Place place, const Workload& now,
                  const std::function<bool(const Workload&)>& try_one,
                  const std::function<bool()>& ended) {
  const int first = now.clients[place.client].faults[place.index].step;
  for (int step = 0; step < first && !ended(); ++step) {
    Workload earlier = now;
    earlier.clients[place.client].faults[place.index].step = step;
    if (try_one(earlier)) return true;
  }
  return false;
}

}  // namespace interlock::scenarios
