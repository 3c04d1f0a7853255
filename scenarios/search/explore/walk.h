// SPDX-License-Identifier: MIT
//
// The decisions of one run of a lock (see decisions.h): scheduling, the fate of a dead client's
// requests, and faults, in one sequence.
//
// Thread safety: one run, one thread.
#pragma once

#include <array>
#include <cstdint>
#include <numeric>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "scenarios/log/history.h"
#include "scenarios/search/explore/bounds.h"
#include "scenarios/search/explore/decisions.h"
#include "sim/choices.h"
#include "sim/world.h"

namespace interlock::scenarios {

class Walk final : public Decisions {
 public:
  /// The prefix must outlive the walk.
  Walk(const Bounds& bounds, std::string_view prefix);

  /// REQUIRES: called before the first decision; world and histories outlive the run. `end`: the
  /// latest end of phase 1, and so of faults that heal only then.
  void Attach(const sim::World& world, std::vector<const History*> histories, VirtualTime end);

  std::uint32_t Draw(sim::Lane lane, std::uint32_t bound) override;
  std::optional<sim::Fault> InjectFault(int process, int step, sim::StepKind kind) override;
  bool injects_faults() const override { return true; }

  enum Kind : std::size_t {
    kCrash,
    kLostReply,
    kLostRequest,
    kSilentLoss,
    kPause,
    kShortPause,
    kLag,
    kFailover,
    kRestart,
    kKinds
  };
  /// Whether the bounds allow another fault.
  bool FaultsLeft() const { return faults_left_; }
  /// Faults so far, by kind.
  const std::array<std::uint8_t, kKinds>& spent() const { return spent_; }
  int faults() const { return std::accumulate(spent_.begin(), spent_.end(), 0); }

 private:
  struct Option {
    Kind kind;
    sim::FaultKind fault;
    Duration length{};
    int node = 0;
  };
  struct Place {
    int step = -1;          // the last at which a fault was offered
    VirtualTime sent_at{};  // when it last sent, and after how many picks
    std::uint64_t picks = 0;
  };

  bool Left(Kind kind) const { return spent_[kind] < most_[kind]; }
  /// Sets faults_left_.
  void CountFaultsLeft();
  void AddPause(bool in_section);
  void AddServerFaults();
  /// Sets options_.
  void FindOptions(Place& place, sim::StepKind kind);

  const Bounds& bounds_;
  const sim::World* world_ = nullptr;
  VirtualTime end_{};
  std::vector<const History*> histories_;  // of each resource
  std::vector<Place> places_;
  std::vector<Option> options_;         // of the latest step
  const std::array<int, kKinds> most_;  // faults within the bounds, by kind
  std::array<std::uint8_t, kKinds> spent_{};
  bool faults_left_ = false;  // see FaultsLeft; read at each step, changed only by faults
};

}  // namespace interlock::scenarios
