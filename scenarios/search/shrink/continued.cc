// SPDX-License-Identifier: MIT
#include "scenarios/search/shrink/continued.h"

#include <algorithm>
#include <utility>

namespace interlock::scenarios {

ContinuedSource::ContinuedSource(sim::Tape tape, std::uint64_t draws,
                                 std::unique_ptr<sim::ChoiceSource> rest)
    : tape_(std::move(tape)), draws_(draws), rest_(std::move(rest)) {}

std::uint32_t ContinuedSource::FromTape(sim::Lane lane, std::uint32_t bound) {
  const auto index = static_cast<std::size_t>(lane);
  const std::size_t position = positions_[index]++;
  const auto& values = tape_.lanes[index];
  return position < values.size() ? std::min(values[position], bound - 1) : 0;
}

std::uint32_t ContinuedSource::Draw(sim::Lane lane, std::uint32_t bound) {
  return Recorded() ? FromTape(lane, bound) : rest_->Draw(lane, bound);
}

std::uint32_t ContinuedSource::PickTask(std::span<const sim::Candidate> candidates) {
  const auto bound = static_cast<std::uint32_t>(candidates.size());
  return Recorded() ? FromTape(sim::Lane::kSchedule, bound) : rest_->PickTask(candidates);
}

std::uint32_t ContinuedSource::PickLatency(int process, std::uint32_t bound) {
  return Recorded() ? FromTape(sim::Lane::kNetwork, bound) : rest_->PickLatency(process, bound);
}

}  // namespace interlock::scenarios
