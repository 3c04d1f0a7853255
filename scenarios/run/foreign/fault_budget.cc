// SPDX-License-Identifier: MIT
#include "scenarios/run/foreign/fault_budget.h"

#include <algorithm>

namespace interlock::scenarios::drive {
namespace {

/// One step in kOneIn has a fault while any are left; depending on the run, it is one in twice or
/// four times as many.
constexpr std::uint32_t kOneIn = 4;
/// The quarters of all runs that have a kind of fault, by Strike: the kinds that break the most
/// locks have the largest share.
constexpr std::uint32_t kParts = 4;
constexpr std::array<std::uint32_t, 13> kShare = {2, 1, 1, 2, 3, 1, 1, 1, 3, 3, 3, 3, 3};
/// How much more often the end of a client's lease strikes where it releases its lock.
constexpr int kMoreAtItsOwn = 3;

bool IsOfUse(Strike strike, const FaultBudget::Place& place) {
  switch (strike) {
    case Strike::kPause:
    case Strike::kClock:
      return !place.alone;
    case Strike::kExpiry:
      return !place.alone && place.ends;
    case Strike::kForgottenScripts:
      return place.by_hash;
    case Strike::kFailover:
      return place.primary;
    case Strike::kReshard:
    case Strike::kSlotMigration:
    case Strike::kLateClaim:
      return place.movable;
    default:
      return true;
  }
}

}  // namespace

FaultBudget::FaultBudget(const DriveOptions& options)
    : left_{options.crashes,    options.lost_replies, options.lost_replies, options.pauses,
            options.expiries,   options.delays,       options.delays,       options.script_flushes,
            options.clocks,     options.failovers,    options.reshards,     options.slot_migrations,
            options.late_claims},
      any_clocks_(options.virtual_clock && options.clocks > 0 &&
                  (options.clock_offset.count() > 0 || options.clock_rate_percent > 0)) {
  if (!any_clocks_) left(Strike::kClock) = 0;
  if (options.topology == sim::Topology::kIndependent) left(Strike::kFailover) = 0;
}

void FaultBudget::DrawSwarm(sim::Choices& choices) {
  const auto draw = [&](std::size_t i) {
    if (choices.Draw(sim::Lane::kFault, kParts) < kParts - kShare[i]) left_[i] = 0;
  };
  constexpr auto kClock = static_cast<std::size_t>(Strike::kClock);
  for (std::size_t i = 0; i < kClock; ++i) draw(i);
  one_in_ = kOneIn << choices.Draw(sim::Lane::kFault, 3);
  // Cases from before these kinds existed draw nothing for them.
  if (any_clocks_) draw(kClock);
  for (std::size_t i = kClock + 1; i < kKinds; ++i) {
    if (left_[i] > 0) draw(i);
  }
}

/// Draws a client whose clock is shifted at its start, because it may have read the time before its
/// first command, where a fault would strike it.
std::optional<int> FaultBudget::DrawClockAtStart(sim::Choices& choices, int clients) {
  if (left(Strike::kClock) == 0) return std::nullopt;
  const std::uint32_t drawn =
      choices.Draw(sim::Lane::kFault, 2 * static_cast<std::uint32_t>(clients));
  if (drawn < static_cast<std::uint32_t>(clients)) return std::nullopt;
  --left(Strike::kClock);
  return static_cast<int>(drawn) - clients;
}

/// The two kinds share one budget.
void FaultBudget::Use(Strike used, Strike one, Strike other) {
  if (used == one) left(other) = std::max(left(other) - 1, 0);
  if (used == other) left(one) = std::max(left(one) - 1, 0);
}

std::optional<Strike> FaultBudget::Draw(sim::Choices& choices, const Place& place) {
  std::vector<Strike> strikes;
  for (std::size_t i = 0; i < kKinds; ++i) {
    const auto strike = static_cast<Strike>(i);
    if (left(strike) == 0) continue;
    if (!IsOfUse(strike, place)) continue;
    const bool at_its_own = strike == Strike::kExpiry && place.names;
    strikes.insert(strikes.end(), at_its_own ? kMoreAtItsOwn : 1, strike);
  }
  if (strikes.empty()) return std::nullopt;
  // Faults matter most while a client holds a lock, especially around its release.
  const auto count = static_cast<std::uint32_t>(strikes.size());
  const std::uint32_t one_in = one_in_ / (place.names ? 4 : place.owns ? 2 : 1);
  const std::uint32_t drawn = choices.Draw(sim::Lane::kFault, count * std::max(one_in, 2U));
  if (drawn == 0 || drawn > count) return std::nullopt;
  const Strike strike = strikes[drawn - 1];
  Spend(strike);
  return strike;
}

void FaultBudget::Spend(Strike strike) {
  --left(strike);
  Use(strike, Strike::kLostReply, Strike::kLostRequest);
  Use(strike, Strike::kDelayedReply, Strike::kDelayedRequest);
}

std::vector<Strike> FaultBudget::Possible(const Place& place) const {
  std::vector<Strike> possible;
  for (const Strike strike : {Strike::kLostRequest, Strike::kLostReply, Strike::kCrash,
                              Strike::kExpiry, Strike::kForgottenScripts, Strike::kFailover,
                              Strike::kReshard, Strike::kSlotMigration, Strike::kLateClaim}) {
    if (left(strike) > 0 && IsOfUse(strike, place)) possible.push_back(strike);
  }
  return possible;
}

}  // namespace interlock::scenarios::drive
