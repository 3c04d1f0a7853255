// SPDX-License-Identifier: MIT
//
// The beginning of a recorded run, then other choices: used to continue a replay, and to find the
// critical step.
//
// Thread safety: that of sim::ChoiceSource.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <utility>

#include "sim/choices.h"

namespace interlock::scenarios {

class ContinuedSource final : public sim::ChoiceSource {
 public:
  /// The first `draws` choices come from the tape, in the order of the queries; `rest` makes all
  /// others.
  ContinuedSource(sim::Tape tape, std::uint64_t draws, std::unique_ptr<sim::ChoiceSource> rest)
      : tape_(std::move(tape)), draws_(draws), rest_(std::move(rest)) {}

  std::uint32_t Draw(sim::Lane lane, std::uint32_t bound) override {
    return Next().Draw(lane, bound);
  }
  std::uint32_t PickTask(std::span<const sim::Candidate> candidates) override {
    return Next().PickTask(candidates);
  }
  std::uint32_t PickLatency(int process, std::uint32_t bound) override {
    return Next().PickLatency(process, bound);
  }
  bool sees_candidates() const override { return rest_->sees_candidates(); }

 private:
  sim::ChoiceSource& Next() {
    if (made_++ < draws_) return tape_;
    return *rest_;
  }

  sim::TapeSource tape_;
  const std::uint64_t draws_;
  const std::unique_ptr<sim::ChoiceSource> rest_;
  std::uint64_t made_ = 0;
};

}  // namespace interlock::scenarios
