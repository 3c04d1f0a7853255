// SPDX-License-Identifier: MIT
//
// Choices that aim faults at targets and report where they struck: by step number, which replays
// the run without this source, and by target.
//
// Thread safety: that of sim::ChoiceSource.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "scenarios/search/shrink/aim.h"
#include "sim/choices.h"

namespace interlock::scenarios {

/// A fault at the step of its target or, without one, at its process's first step from `fault.step`
/// on. Once it has struck, both tell where.
struct AimedFault {
  sim::Fault fault;
  std::optional<Target> target;
  bool struck = false;
};

class AimedSource final : public sim::ChoiceSource {
 public:
  /// `rest` makes all choices except faults. Of several faults at one step, the first in `faults`
  /// strikes first. `faults` outlives the source.
  AimedSource(std::unique_ptr<sim::ChoiceSource> rest, std::vector<AimedFault>& faults)
      : rest_(std::move(rest)), faults_(faults) {}

  std::uint32_t Draw(sim::Lane lane, std::uint32_t bound) override {
    return rest_->Draw(lane, bound);
  }
  std::uint32_t PickTask(std::span<const sim::Candidate> candidates) override {
    return rest_->PickTask(candidates);
  }
  std::uint32_t PickLatency(int process, std::uint32_t bound) override {
    return rest_->PickLatency(process, bound);
  }
  bool sees_candidates() const override { return rest_->sees_candidates(); }

  std::optional<sim::Fault> InjectFault(int process, int step, sim::StepKind kind) override;
  bool injects_faults() const override { return true; }
  void OnPlace(int process, std::uint64_t place) override { At(process).place = place; }
  bool follows_places() const override { return true; }

 private:
  struct Whereabouts {
    std::uint64_t place = 0;
    int step = -1;                                                 ///< the latest
    Target at;                                                     ///< the target it corresponds to
    std::map<std::pair<std::uint64_t, sim::StepKind>, int> steps;  ///< in each place, of each kind
  };
  Whereabouts& At(int process);
  static bool IsDue(const AimedFault& one, const Whereabouts& where, int step);

  const std::unique_ptr<sim::ChoiceSource> rest_;
  std::vector<AimedFault>& faults_;
  std::vector<Whereabouts> processes_;
};

}  // namespace interlock::scenarios
