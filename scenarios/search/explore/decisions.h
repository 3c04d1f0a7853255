// SPDX-License-Identifier: MIT
//
// One path through a decision tree: a forced prefix, then the first alternative everywhere. What
// decides is up to the derived class: see walk.h and program_walk.h.
//
// Thread safety: one run, one thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "sim/choices.h"

namespace interlock::scenarios {

class Decisions : public sim::ChoiceSource {
 public:
  /// One byte per decision: the index of the alternative.
  using Path = std::string;

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

 protected:
  struct Decision {
    std::uint32_t width = 1;
    std::uint32_t first = 0;  // the alternative taken beyond the prefix
    bool open = true;         // a wandering walk may take another one
    bool remember = true;
  };

  /// The prefix must outlive the walk.
  explicit Decisions(std::string_view prefix);

  std::uint32_t Decide(const Decision& decision);
  /// A decision of the prefix does not exist: the run is not the one that the prefix is of.
  virtual void OnAstray();

  bool finished() const { return finished_; }
  std::uint32_t first() const { return first_; }
  bool forced() const { return forced_; }
  bool calm_only() const { return calm_only_; }
  std::uint64_t picks() const { return picks_; }
  void Disturb() { disturbed_ = true; }

 private:
  const std::string_view prefix_;
  Path path_;
  std::vector<std::uint8_t> widths_;
  std::uint64_t picks_ = 0;
  std::uint64_t wander_ = 0;  // 0: not wandering
  bool finished_ = false;
  std::uint32_t first_ = 0;  // of the coming pick
  bool forced_ = false;      // only first_ is open to it
  bool calm_only_ = false;
  bool disturbed_ = false;
};

}  // namespace interlock::scenarios
