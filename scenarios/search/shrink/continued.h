// SPDX-License-Identifier: MIT
//
// The beginning of a recorded run, then other choices: used to continue a replay, and to find the
// critical step.
//
// Thread safety: that of sim::ChoiceSource.
#pragma once

#include <array>
#include <cstddef>
#include <memory>

#include "sim/choices.h"

namespace interlock::scenarios {

class ContinuedSource final : public sim::ChoiceSource {
 public:
  /// The first `draws` choices come from the tape, in the order of the queries; `rest` makes all
  /// others.
  ContinuedSource(sim::Tape tape, std::uint64_t draws, std::unique_ptr<sim::ChoiceSource> rest);

  std::uint32_t Draw(sim::Lane lane, std::uint32_t bound) override;
  std::uint32_t PickTask(std::span<const sim::Candidate> candidates) override;
  std::uint32_t PickLatency(int process, std::uint32_t bound) override;
  bool sees_candidates() const override { return rest_->sees_candidates(); }

 private:
  bool Recorded() { return made_++ < draws_; }
  std::uint32_t FromTape(sim::Lane lane, std::uint32_t bound);

  const sim::Tape tape_;
  const std::uint64_t draws_;
  const std::unique_ptr<sim::ChoiceSource> rest_;
  std::uint64_t made_ = 0;
  std::array<std::size_t, sim::kLanes> positions_{};
};

}  // namespace interlock::scenarios
