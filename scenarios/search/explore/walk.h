// SPDX-License-Identifier: MIT
//
// One path through the decision tree: a forced prefix, then the first alternative everywhere.
// Scheduling, the fate of a dead client's requests, and faults are all decisions, in one sequence.
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
#include "sim/choices.h"
#include "sim/world.h"

namespace interlock::scenarios {

class Walk final : public sim::ChoiceSource {
 public:
  /// One byte per decision: the index of the alternative.
  using Path = std::string;

  /// The prefix must outlive the walk.
  Walk(const Bounds& bounds, std::string_view prefix);

  /// REQUIRES: called before the first decision; world and histories outlive the run. `end`: the
  /// latest end of phase 1, and so of faults that heal only then.
  void Attach(const sim::World& world, std::vector<const History*> histories, VirtualTime end);

  std::uint32_t Draw(sim::Lane lane, std::uint32_t bound) override;
  std::optional<sim::Fault> InjectFault(int process, int step, sim::StepKind kind) override;
  bool injects_faults() const override { return true; }

  /// Called when the next process is chosen, even if there is only one. Beyond the prefix the first
  /// of `alternatives` is taken; the walk does not record the others. `calm`: nor faults that could
  /// strike before the next choice.
  void OnPick(std::string_view alternatives, bool calm) {
    ++picks_;
    first_ = alternatives.empty() ? 0 : static_cast<unsigned char>(alternatives.front());
    forced_ = alternatives.size() == 1;
    calm_only_ = calm;
    disturbed_ = false;
  }
  /// Whether anything but "no fault strikes" was decided since the last pick.
  bool disturbed() const { return disturbed_; }
  /// Beyond the prefix, chooses at random instead, except for picks with a single alternative.
  void Wander(std::uint64_t seed) { wander_ = sim::MixSeed(seed, 1) | 1; }
  /// From now on takes the first alternative and no faults, and records nothing.
  void Finish() { finished_ = true; }

  /// Whether all decisions of the prefix have been taken.
  bool BeyondPrefix() const { return path_.size() >= prefix_.size(); }
  const Path& path() const { return path_; }
  /// Number of alternatives of each recorded decision.
  const std::vector<std::uint8_t>& widths() const { return widths_; }

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

  struct Decision {
    std::uint32_t width = 1;
    std::uint32_t first = 0;  // the alternative taken beyond the prefix
    bool open = true;         // a wandering walk may take another one
    bool remember = true;
  };

  std::uint32_t Decide(const Decision& decision);
  bool Left(Kind kind) const { return spent_[kind] < most_[kind]; }
  /// Sets faults_left_.
  void CountFaultsLeft();
  void AddPause(bool in_section);
  void AddServerFaults();
  /// Sets options_.
  void FindOptions(Place& place, sim::StepKind kind);

  const Bounds& bounds_;
  const std::string_view prefix_;
  const sim::World* world_ = nullptr;
  VirtualTime end_{};
  std::vector<const History*> histories_;  // of each resource
  Path path_;
  std::vector<std::uint8_t> widths_;
  std::vector<Place> places_;
  std::vector<Option> options_;  // of the latest step
  std::uint64_t picks_ = 0;
  const std::array<int, kKinds> most_;  // faults within the bounds, by kind
  std::array<std::uint8_t, kKinds> spent_{};
  bool faults_left_ = false;  // see FaultsLeft; read at each step, changed only by faults
  std::uint64_t wander_ = 0;  // 0: not wandering
  bool finished_ = false;
  std::uint32_t first_ = 0;  // of the coming pick
  bool forced_ = false;      // only first_ is open to it
  bool calm_only_ = false;
  bool disturbed_ = false;
};

}  // namespace interlock::scenarios
